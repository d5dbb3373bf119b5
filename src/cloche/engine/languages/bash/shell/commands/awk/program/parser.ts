/** Parses whole programs: rules, functions, statements. */
import { ExpressionParser } from "./expression_parser.ts";
import type {
  Expr,
  FunctionNode,
  OutputKind,
  Pattern,
  PrintStatement,
  Program,
  Statement,
  SwitchCase,
} from "./syntax.ts";
import { Tokens } from "./tokens.ts";

/** One text of a program: what `-f` names, or what stands on the command line. */
export interface SourceText {
  name: string;
  text: string;
}

/** Reads a file for `@include`. */
export type ReadInclude = (name: string) => Promise<SourceText>;

const SPECIAL_PATTERNS = new Set(["BEGIN", "END", "BEGINFILE", "ENDFILE"]);
const OUTPUTS = new Set([">", ">>", "|", "|&"]);

/** The program that several texts make together, and what has to be said about it. */
export async function parseProgram(
  sources: SourceText[],
  include: ReadInclude,
): Promise<{ program: Program; warnings: string[] }> {
  const program: Program = { rules: [], functions: new Map() };
  const warnings: string[] = [];
  const included = new Set<string>();
  for (const { name, text } of sources) {
    const parser = new Parser(new Tokens(text, name), program, include, included);
    await parser.run();
    warnings.push(...parser.tokens.warnings);
  }
  return { program, warnings };
}

class Parser {
  readonly #expressions: ExpressionParser;
  #loops = 0;
  #switches = 0;
  #place: "rule" | "function" | "BEGIN" | "END" = "rule";

  constructor(
    readonly tokens: Tokens,
    private readonly program: Program,
    private readonly include: ReadInclude,
    private readonly included: Set<string>,
  ) {
    this.#expressions = new ExpressionParser(tokens);
  }

  async run(): Promise<void> {
    const { tokens } = this;
    for (;;) {
      tokens.skipTerminators();
      if (tokens.current.kind === "end") {
        if (!tokens.leave()) return;
      } else if (tokens.is("@")) await this.#directive();
      else if (tokens.is("function")) this.#function();
      else this.#rule();
    }
  }

  async #directive(): Promise<void> {
    const { tokens } = this;
    tokens.take();
    const word = tokens.take();
    if (word.text !== "include" || tokens.current.kind !== "string") {
      throw tokens.error(`@${word.text} is not supported`);
    }
    const name = tokens.take().text;
    if (this.included.has(name)) return;
    this.included.add(name);
    const source = await this.include(name);
    tokens.enter(source.text, source.name);
  }

  #function(): void {
    const { tokens } = this;
    const { line } = tokens.take();
    const { kind, text: name } = tokens.current;
    if (kind !== "name" && kind !== "function name") throw tokens.error();
    if (this.program.functions.has(name)) throw tokens.error(`function name \`${name}' previously defined`);
    tokens.take();
    tokens.expect("(");
    const parameters: string[] = [];
    tokens.skipNewlines();
    while (!tokens.is(")")) {
      const parameter = tokens.current;
      if (parameter.kind !== "name") throw tokens.error();
      if (parameters.includes(parameter.text)) {
        throw tokens.error(`function \`${name}': parameter \`${parameter.text}' duplicates another`);
      }
      parameters.push(tokens.take().text);
      tokens.skipNewlines();
      if (!tokens.accept(",")) break;
      tokens.skipNewlines();
    }
    tokens.expect(")");
    tokens.skipNewlines();
    this.#place = "function";
    this.#expressions.parameters = parameters;
    const node: FunctionNode = { name, parameters, body: [], line };
    this.program.functions.set(name, node);
    node.body = this.#braces();
    this.#expressions.parameters = [];
  }

  #rule(): void {
    const { tokens } = this;
    const { line } = tokens.current;
    const pattern = this.#pattern();
    this.#place = pattern.kind === "BEGIN" || pattern.kind === "END" ? pattern.kind : "rule";
    const special = SPECIAL_PATTERNS.has(pattern.kind);
    if (!tokens.is("{")) {
      if (special) throw tokens.error(`${pattern.kind} blocks must have an action part`);
      if (!this.#atEnd()) throw tokens.error();
      this.program.rules.push({ pattern, line });
      return;
    }
    this.program.rules.push({ pattern, body: this.#braces(), line });
  }

  #pattern(): Pattern {
    const { tokens } = this;
    if (tokens.is("{")) return { kind: "always" };
    const { text } = tokens.current;
    if (tokens.current.kind === "word" && SPECIAL_PATTERNS.has(text)) {
      tokens.take();
      return { kind: text as "BEGIN" };
    }
    const first = this.#expressions.expression();
    if (!tokens.accept(",")) return { kind: "test", test: first };
    tokens.skipNewlines();
    return { kind: "range", first, last: this.#expressions.expression() };
  }

  /** Whether a statement can end here. */
  #atEnd(): boolean {
    const { tokens } = this;
    return tokens.is(";") || tokens.is("}") || tokens.current.kind === "newline" || tokens.current.kind === "end";
  }

  #braces(): Statement[] {
    const { tokens } = this;
    tokens.expect("{");
    const body: Statement[] = [];
    for (;;) {
      tokens.skipTerminators();
      if (tokens.accept("}")) return body;
      if (tokens.current.kind === "end") throw tokens.error("unexpected newline or end of string");
      body.push(this.#statement());
    }
  }

  /** A statement that belongs to another; newlines may come first. */
  #nested(): Statement {
    this.tokens.skipNewlines();
    if (this.tokens.accept(";")) return { kind: "block", body: [] };
    return this.#statement();
  }

  #statement(): Statement {
    const { tokens } = this;
    if (tokens.is("{")) return { kind: "block", body: this.#braces() };
    const { line, kind, text } = tokens.current;
    if (kind === "word") {
      switch (text) {
        case "if":
          return this.#if(line);
        case "while":
          return this.#while(line);
        case "do":
          return this.#do(line);
        case "for":
          return this.#for(line);
        case "switch":
          return this.#switch(line);
      }
    }
    const simple = this.#simple();
    this.#endStatement();
    return simple;
  }

  #endStatement(): void {
    const { tokens } = this;
    if (!this.#atEnd()) throw tokens.error();
    if (tokens.is(";") || tokens.current.kind === "newline") tokens.take();
  }

  #condition(): Expr {
    const { tokens } = this;
    tokens.expect("(");
    const [test, ...more] = this.#expressions.list(")");
    if (test === undefined || more.length > 0) throw tokens.error();
    tokens.expect(")");
    return test;
  }

  #if(line: number): Statement {
    const { tokens } = this;
    tokens.take();
    const test = this.#condition();
    const yes = this.#nested();
    const hasElse = tokens.lookAhead(() => {
      tokens.skipTerminators();
      return tokens.is("else");
    });
    if (!hasElse) return { kind: "if", test, yes, line };
    tokens.skipTerminators();
    tokens.take();
    return { kind: "if", test, yes, no: this.#nested(), line };
  }

  #loopBody(): Statement {
    this.#loops++;
    const body = this.#nested();
    this.#loops--;
    return body;
  }

  #while(line: number): Statement {
    this.tokens.take();
    const test = this.#condition();
    return { kind: "while", test, body: this.#loopBody(), line };
  }

  #do(line: number): Statement {
    const { tokens } = this;
    tokens.take();
    const body = this.#loopBody();
    tokens.skipTerminators();
    tokens.expect("while");
    const test = this.#condition();
    this.#endStatement();
    return { kind: "do", test, body, line };
  }

  #for(line: number): Statement {
    const { tokens } = this;
    tokens.take();
    tokens.expect("(");
    const overArray = tokens.lookAhead(() => {
      if (tokens.take().kind !== "name" || !tokens.accept("in")) return false;
      if (tokens.current.kind !== "name") return false;
      this.#expressions.arrayName();
      return tokens.is(")");
    });
    if (overArray) {
      const target = this.#expressions.variableName();
      tokens.take();
      const array = this.#expressions.arrayName();
      tokens.expect(")");
      return { kind: "forIn", target, array, body: this.#loopBody(), line };
    }
    const first = tokens.is(";") ? undefined : this.#simple();
    tokens.expect(";");
    tokens.skipNewlines();
    const test = tokens.is(";") ? undefined : this.#expressions.expression();
    tokens.expect(";");
    tokens.skipNewlines();
    const step = tokens.is(")") ? undefined : this.#simple();
    tokens.expect(")");
    return { kind: "for", first, test, step, body: this.#loopBody(), line };
  }

  #switch(line: number): Statement {
    const { tokens } = this;
    tokens.take();
    const value = this.#condition();
    tokens.skipNewlines();
    tokens.expect("{");
    tokens.skipTerminators();
    const cases: SwitchCase[] = [];
    this.#switches++;
    while (!tokens.accept("}")) {
      const isDefault = tokens.is("default");
      if (!isDefault && !tokens.is("case")) throw tokens.error();
      tokens.take();
      const one: SwitchCase = { value: isDefault ? undefined : this.#caseValue(), body: [] };
      tokens.expect(":");
      tokens.skipTerminators();
      while (!tokens.is("case") && !tokens.is("default") && !tokens.is("}")) {
        one.body.push(this.#statement());
        tokens.skipTerminators();
      }
      cases.push(one);
    }
    this.#switches--;
    return { kind: "switch", value, cases, line };
  }

  #caseValue(): Expr {
    const { tokens } = this;
    if (tokens.is("/") || tokens.is("/=")) return { kind: "regex", source: tokens.regex() };
    const sign = tokens.is("-") || tokens.is("+") ? tokens.take().text : "";
    const { kind, text, value } = tokens.take();
    if (kind === "number") return { kind: "number", value: sign === "-" ? -value : value };
    if (kind !== "string" || sign !== "") throw tokens.error();
    return { kind: "string", value: text };
  }

  #simple(): Statement {
    const { tokens } = this;
    const { line, kind, text } = tokens.current;
    if (kind !== "word") return { kind: "expression", value: this.#expressions.expression(), line };
    switch (text) {
      case "print":
      case "printf":
        return this.#print(line);
      case "delete":
        return this.#delete(line);
      case "next":
      case "nextfile":
        if (this.#place === "BEGIN" || this.#place === "END") {
          throw tokens.error(`\`${text}' used in ${this.#place} action`);
        }
        tokens.take();
        return { kind: text, line };
      case "break":
      case "continue":
        if (this.#loops === 0 && (text === "continue" || this.#switches === 0)) {
          throw tokens.error(`\`${text}' is not allowed outside a loop${text === "break" ? " or switch" : ""}`);
        }
        tokens.take();
        return { kind: text, line };
      case "return":
      case "exit":
        if (text === "return" && this.#place !== "function") {
          throw tokens.error("`return' used outside function context");
        }
        tokens.take();
        return { kind: text, value: this.#atEnd() ? undefined : this.#expressions.expression(), line };
      default:
        return { kind: "expression", value: this.#expressions.expression(), line };
    }
  }

  #delete(line: number): Statement {
    const { tokens } = this;
    tokens.take();
    const parenthesised = tokens.accept("(");
    const found = this.#expressions.arrayName();
    if (parenthesised) tokens.expect(")");
    return found.kind === "name"
      ? { kind: "delete", array: found, line }
      : { kind: "delete", array: found.array, keys: found.keys, line };
  }

  #print(line: number): Statement {
    const { tokens } = this;
    const formatted = tokens.take().text === "printf";
    let args: Expr[] = [];
    if (!this.#atEnd() && !this.#atOutput()) {
      do {
        tokens.skipNewlines();
        args.push(this.#expressions.printed());
      } while (tokens.accept(","));
      // `print (a, b)` prints both.
      if (args.length === 1 && args[0].kind === "group") args = args[0].parts;
    }
    if (args.some((arg) => arg.kind === "group" && arg.parts.length > 1)) throw tokens.error();
    if (formatted && args.length === 0) throw tokens.error("printf: no format");
    const statement: PrintStatement = { kind: "print", formatted, args, line };
    if (this.#atOutput()) {
      const kind = tokens.take().text as OutputKind;
      statement.output = { kind, target: this.#expressions.outputTarget() };
    }
    return statement;
  }

  #atOutput(): boolean {
    return this.tokens.current.kind === "mark" && OUTPUTS.has(this.tokens.current.text);
  }
}
