/** The syntax tree. It is plain data (functions are saved as JSON); what is computed from a node hangs on symbols. */

/** A script or the body of a substitution. */
export interface ScriptNode {
  type: "Script";
  statements: StatementNode[];
}

/** Pipelines joined by && and ||, perhaps in the background. */
export interface StatementNode {
  type: "Statement";
  pipelines: PipelineNode[];
  /** Between the pipelines: one fewer than those. */
  operators: ("&&" | "||")[];
  background: boolean;
  line: number;
  /** As written, for `set -v`, `jobs` and BASH_COMMAND. */
  text: string;
}

export interface PipelineNode {
  type: "Pipeline";
  commands: CommandNode[];
  negated: boolean;
  /** `time`: its format. */
  timed?: "default" | "posix";
  /** Per bar: whether it is `|&`. */
  both?: boolean[];
}

export type CommandNode = SimpleCommandNode | CompoundNode | FunctionNode;

export type CompoundNode =
  | IfNode
  | ForNode
  | SelectNode
  | ArithmeticForNode
  | WhileNode
  | CaseNode
  | SubshellNode
  | GroupNode
  | ArithmeticCommandNode
  | ConditionalNode
  | CoprocNode;

export interface SimpleCommandNode {
  type: "Simple";
  assignments: AssignmentNode[];
  /** The command word first. */
  words: WordNode[];
  redirections: RedirectionNode[];
  line: number;
}

interface Compound {
  redirections: RedirectionNode[];
  line: number;
}

export interface IfNode extends Compound {
  type: "If";
  clauses: { condition: StatementNode[]; body: StatementNode[] }[];
  otherwise?: StatementNode[];
}

export interface ForNode extends Compound {
  type: "For";
  name: string;
  /** Undefined: over "$@". */
  words?: WordNode[];
  body: StatementNode[];
}

export interface SelectNode extends Compound {
  type: "Select";
  name: string;
  words?: WordNode[];
  body: StatementNode[];
}

export interface ArithmeticForNode extends Compound {
  type: "ArithmeticFor";
  init?: ArithmeticNode;
  condition?: ArithmeticNode;
  update?: ArithmeticNode;
  body: StatementNode[];
}

export interface WhileNode extends Compound {
  type: "While";
  until: boolean;
  condition: StatementNode[];
  body: StatementNode[];
}

export interface CaseNode extends Compound {
  type: "Case";
  word: WordNode;
  items: { patterns: WordNode[]; body: StatementNode[]; end: ";;" | ";&" | ";;&" }[];
}

export interface SubshellNode extends Compound {
  type: "Subshell";
  body: StatementNode[];
}

export interface GroupNode extends Compound {
  type: "Group";
  body: StatementNode[];
}

export interface ArithmeticCommandNode extends Compound {
  type: "ArithmeticCommand";
  expression: ArithmeticNode;
}

export interface ConditionalNode extends Compound {
  type: "Conditional";
  expression: ConditionNode;
}

export interface CoprocNode extends Compound {
  type: "Coproc";
  name: string;
  body: CommandNode;
}

export interface FunctionNode {
  type: "Function";
  name: string;
  body: CompoundNode;
  /** Done at each call. */
  redirections: RedirectionNode[];
  line: number;
}

/** `name=value`, `name[subscript]+=value`, `name=(…)`. */
export interface AssignmentNode {
  name: string;
  subscript?: SubscriptNode;
  append: boolean;
  /** Undefined for `name=`, and for an array. */
  value?: WordNode;
  array?: ArrayElementNode[];
}

export interface ArrayElementNode {
  subscript?: SubscriptNode;
  append: boolean;
  value: WordNode;
}

/** What is between the brackets: a key of an associative array, or arithmetic once it is expanded. */
export interface SubscriptNode {
  text: string;
  word: WordNode;
}

export interface RedirectionNode {
  operator: "<" | ">" | ">>" | ">&" | "<&" | "<>" | ">|" | "&>" | "&>>" | "<<<" | "<<" | "<<-";
  /** As given, else the operator's own. */
  fd?: number;
  /** `{name}>file`. */
  variable?: string;
  /** The file, descriptor or here-string; for a here-document its text. */
  target: WordNode;
  /** Of a here-document, for printing. */
  delimiter?: string;
  /** Whether a here-document's end was found. */
  closed?: boolean;
  line: number;
}

/** Parts that together are one word. It may become none, one or several fields. */
export interface WordNode {
  type: "Word";
  parts: WordPart[];
  /** The only field of the word, if that never changes: no expansion, no pattern. */
  plain?: string;
  /** Set if the word has the form of an assignment: builtins that declare take it as one. */
  assignment?: AssignmentNode;
  /** As written. */
  text: string;
}

export type WordPart =
  | LiteralPart
  | QuotedPart
  | DoubleQuotedPart
  | ParameterPart
  | CommandSubstitutionPart
  | ArithmeticPart
  | ProcessSubstitutionPart
  | BracePart
  | TildePart;

/** Text without quotes: `*`, `?`, `[`, `@(` in it are patterns where patterns count. */
export interface LiteralPart {
  type: "Literal";
  value: string;
}

/** Text from '…', \x or $'…'. */
export interface QuotedPart {
  type: "Quoted";
  value: string;
}

export interface DoubleQuotedPart {
  type: "DoubleQuoted";
  /** Literal parts in it are text as it stands. */
  parts: WordPart[];
}

export interface CommandSubstitutionPart {
  type: "CommandSubstitution";
  body: ScriptNode;
}

export interface ArithmeticPart {
  type: "ArithmeticExpansion";
  expression: ArithmeticNode;
}

export interface ProcessSubstitutionPart {
  type: "ProcessSubstitution";
  body: ScriptNode;
  direction: "input" | "output";
}

/** {a,b}: the words; {1..5}: a range. */
export interface BracePart {
  type: "Brace";
  items?: WordNode[];
  range?: { start: string; end: string; step?: string };
}

export interface TildePart {
  type: "Tilde";
  /** Empty for `~`; also `+` and `-`. */
  user: string;
}

/** $x, ${x…} */
export interface ParameterPart {
  type: "Parameter";
  /** A name, a number, or one of @ * # ? - $ ! */
  name: string;
  subscript?: SubscriptNode | "@" | "*";
  /** ${!x…} */
  indirect?: true;
  operation?: ParameterOperation;
  /** As written, for messages. */
  text: string;
}

export type ParameterOperation =
  | { type: "Length" }
  /** ${!a[@]}, ${!prefix*}: `star` joins them in quotes. */
  | { type: "Keys"; star: boolean }
  | { type: "Names"; star: boolean }
  /** `colon`: an empty value counts as none. */
  | { type: "Default" | "Assign" | "Error" | "Alternative"; colon: boolean; word: WordNode }
  | { type: "Remove"; side: "prefix" | "suffix"; longest: boolean; pattern: WordNode }
  | { type: "Replace"; all: boolean; anchor?: "start" | "end"; pattern: WordNode; replacement?: WordNode }
  | { type: "Substring"; offset: ArithmeticNode; length?: ArithmeticNode }
  | { type: "Case"; change: "upper" | "lower" | "toggle"; all: boolean; pattern?: WordNode }
  | { type: "Transform"; operator: string }
  /** "bad substitution" when it is expanded. */
  | { type: "Bad" };

/** Arithmetic as text: it is expanded as in double quotes, then parsed. */
export interface ArithmeticNode {
  type: "Arithmetic";
  text: string;
  /** Set if there is anything to expand in it. */
  word?: WordNode;
}

export type ConditionNode =
  | { type: "And" | "Or"; left: ConditionNode; right: ConditionNode }
  | { type: "Not"; operand: ConditionNode }
  | { type: "Unary"; operator: string; operand: WordNode }
  | { type: "Binary"; operator: string; left: WordNode; right: WordNode };
