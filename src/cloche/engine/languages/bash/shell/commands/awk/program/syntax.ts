/** The syntax tree of an awk program. */

export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "^";
export type Comparison = "<" | "<=" | "==" | "!=" | ">" | ">=";

/** A variable; `slot` is its place among the parameters of a function, or -1 for a global one. */
export interface NameExpr {
  kind: "name";
  name: string;
  slot: number;
}

export interface FieldExpr {
  kind: "field";
  index: Expr;
}

/** `array[keys]`; the array may be an element itself. */
export interface ElementExpr {
  kind: "element";
  array: ArrayExpr;
  keys: Expr[];
}

export type ArrayExpr = NameExpr | ElementExpr;
export type Target = NameExpr | FieldExpr | ElementExpr;

export interface CallExpr {
  kind: "call";
  name: string;
  args: Expr[];
  line: number;
  /** The variable that holds the function's name, in `@name(...)`. */
  by?: Expr;
}

export interface BuiltinExpr {
  kind: "builtin";
  name: string;
  args: Expr[];
}

export type InputKind = "main" | "file" | "command" | "coprocess";

export interface GetlineExpr {
  kind: "getline";
  input: InputKind;
  source?: Expr;
  target?: Target;
}

export type Expr =
  | { kind: "number"; value: number }
  | { kind: "string"; value: string }
  | { kind: "regex"; source: string }
  | NameExpr
  | FieldExpr
  | ElementExpr
  | { kind: "unary"; op: "-" | "+" | "!"; operand: Expr }
  | { kind: "arithmetic"; op: Arithmetic; left: Expr; right: Expr }
  | { kind: "concat"; parts: Expr[] }
  | { kind: "compare"; op: Comparison; left: Expr; right: Expr }
  | { kind: "match"; negated: boolean; text: Expr; pattern: Expr }
  | { kind: "in"; keys: Expr[]; array: ArrayExpr }
  | { kind: "logic"; op: "&&" | "||"; left: Expr; right: Expr }
  | { kind: "choice"; test: Expr; yes: Expr; no: Expr }
  | { kind: "assign"; op: Arithmetic | ""; target: Target; value: Expr }
  | { kind: "step"; target: Target; by: 1 | -1; before: boolean }
  | CallExpr
  | BuiltinExpr
  | GetlineExpr
  /** Parentheses, which only matter to what may follow `print`. */
  | { kind: "group"; parts: Expr[] }
  /** A value that an earlier instruction has put into the frame. */
  | { kind: "temporary"; slot: number };

export type OutputKind = ">" | ">>" | "|" | "|&";

export interface PrintStatement {
  kind: "print";
  formatted: boolean;
  args: Expr[];
  output?: { kind: OutputKind; target: Expr };
  line: number;
}

/** One `case`, or the `default` if it has no value. */
export interface SwitchCase {
  value?: Expr;
  body: Statement[];
}

export type Statement =
  | { kind: "block"; body: Statement[] }
  | { kind: "expression"; value: Expr; line: number }
  | PrintStatement
  | { kind: "if"; test: Expr; yes: Statement; no?: Statement; line: number }
  | { kind: "while"; test: Expr; body: Statement; line: number }
  | { kind: "do"; test: Expr; body: Statement; line: number }
  | { kind: "for"; first?: Statement; test?: Expr; step?: Statement; body: Statement; line: number }
  | { kind: "forIn"; target: NameExpr; array: ArrayExpr; body: Statement; line: number }
  | { kind: "switch"; value: Expr; cases: SwitchCase[]; line: number }
  | { kind: "delete"; array: ArrayExpr; keys?: Expr[]; line: number }
  | { kind: "return" | "exit"; value?: Expr; line: number }
  | { kind: "break" | "continue" | "next" | "nextfile"; line: number };

/** What starts an action. */
export type Pattern =
  | { kind: "BEGIN" | "END" | "BEGINFILE" | "ENDFILE" | "always" }
  | { kind: "test"; test: Expr }
  | { kind: "range"; first: Expr; last: Expr };

export interface Rule {
  pattern: Pattern;
  /** Without a body the record is printed. */
  body?: Statement[];
  line: number;
}

export interface FunctionNode {
  name: string;
  parameters: string[];
  body: Statement[];
  line: number;
}

export interface Program {
  rules: Rule[];
  functions: Map<string, FunctionNode>;
}
