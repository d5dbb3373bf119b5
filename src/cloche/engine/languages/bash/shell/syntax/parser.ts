/** The grammar: lists, pipelines, simple commands. Text is read line by line, so that aliases and errors come in time. */
import { parseCompound } from "./compound.ts";
import type {
  ArrayElementNode,
  AssignmentNode,
  CommandNode,
  FunctionNode,
  PipelineNode,
  RedirectionNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
  WordNode,
  WordPart,
} from "./nodes.ts";
import { parseSubscript } from "./parameters.ts";
import { type ParseOptions, Scanner, ShellSyntaxError } from "./scanner.ts";
import { type Grammar, makeWord, parseWord } from "./words.ts";

/** Words that end a list where a command could begin. */
const CLOSING = new Set(["then", "else", "elif", "fi", "do", "done", "esac", "}"]);
const REDIRECTIONS = new Set(["<", ">", ">>", ">&", "<&", "<>", ">|", "&>", "&>>", "<<<", "<<", "<<-"]);
/** Builtins whose words may be assignments, with arrays too. */
const DECLARING = new Set(["declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"]);
const IDENTIFIER = /[A-Za-z_]\w*/y;
const ASSIGNMENT = /([A-Za-z_]\w*)(?=\[|\+?=)/y;
const TILDE = /[A-Za-z_]\w*=(?=~)/y;
const DESCRIPTOR = /(?:(\d+)|\{([A-Za-z_]\w*(?:\[[^\]\s]+\])?)\})(?=[<>])/y;
/** How deep commands may nest before JavaScript's stack is in danger. */
const DEPTH = 500;

/** The whole of a text. */
export function parseScript(text: string, options?: ParseOptions): ScriptNode {
  return new Parser(text, options).parseAll();
}

export class Parser implements Grammar {
  readonly scanner: Scanner;
  #depth = 0;

  constructor(text: string, options?: ParseOptions) {
    this.scanner = new Scanner(text, options);
    this.scanner.readBody = (body, quoted, line) =>
      quoted
        ? makeWord([{ type: "Quoted", value: body }], body, { document: true })
        : parseWord(this.inner(body, line), { document: true, until: "" });
  }

  inner(text: string, line: number): Parser {
    return new Parser(text, { ...this.scanner.options, line });
  }

  parseAll(): ScriptNode {
    const statements: StatementNode[] = [];
    for (let line = this.parseLine(); line; line = this.parseLine()) statements.push(...line);
    return { type: "Script", statements };
  }

  /** The commands up to the end of the next line that has some; undefined at the end of the text. */
  parseLine(): StatementNode[] | undefined {
    const { scanner } = this;
    scanner.skipLines();
    if (scanner.operator() === "end") return undefined;
    const statements: StatementNode[] = [];
    for (;;) {
      const operator = scanner.operator();
      if (operator === "end") break;
      if (operator === "\n") {
        scanner.takeLine();
        break;
      }
      statements.push(this.#statement());
    }
    return statements;
  }

  /** Commands up to something that cannot begin one. */
  parseList(): StatementNode[] {
    const statements: StatementNode[] = [];
    for (;;) {
      this.scanner.skipLines();
      if (!this.#beginsCommand()) return statements;
      statements.push(this.#statement());
    }
  }

  /** A list that must not be empty. */
  parseBody(): StatementNode[] {
    const statements = this.parseList();
    if (statements.length === 0) this.scanner.unexpected();
    return statements;
  }

  parseSubstitution(): ScriptNode {
    const { line } = this.scanner;
    this.scanner.substitutions++;
    const statements = this.parseList();
    this.scanner.substitutions--;
    if (this.scanner.operator() === "end") this.scanner.unclosed(")", line);
    this.expect(")");
    return { type: "Script", statements };
  }

  expect(operator: string): void {
    if (!this.scanner.take(operator)) this.scanner.unexpected();
  }

  expectWord(word: string): void {
    if (!this.scanner.takeWord(word)) this.scanner.unexpected();
  }

  #beginsCommand(): boolean {
    const { scanner } = this;
    const operator = scanner.operator();
    if (operator !== "") return operator === "(" || REDIRECTIONS.has(operator);
    if (scanner.expandAlias(true)) return this.#beginsCommand();
    const word = scanner.bareWord();
    return word === undefined || !CLOSING.has(word);
  }

  /** Pipelines with && and ||, and the ; or & after them. */
  #statement(): StatementNode {
    const { scanner } = this;
    if (!this.#beginsCommand()) scanner.unexpected();
    const { at: start, line } = scanner;
    const pipelines = [this.#pipeline()];
    const operators: StatementNode["operators"] = [];
    let end = scanner.at;
    for (;;) {
      end = scanner.at;
      const operator = scanner.operator();
      if (operator !== "&&" && operator !== "||") break;
      scanner.take(operator);
      scanner.skipLines();
      operators.push(operator);
      pipelines.push(this.#pipeline());
    }
    const text = scanner.text.slice(start, end).trimEnd();
    const background = scanner.take("&");
    if (!background) scanner.take(";");
    return { type: "Statement", pipelines, operators, background, line, text };
  }

  #pipeline(): PipelineNode {
    const { scanner } = this;
    const pipeline: PipelineNode = { type: "Pipeline", commands: [], negated: false };
    let marked = false;
    for (;; marked = true) {
      while (scanner.operator() === "" && scanner.expandAlias(true));
      if (scanner.takeWord("!")) pipeline.negated = !pipeline.negated;
      else if (this.#takeTime()) {
        pipeline.timed ??= "default";
        if (scanner.takeWord("-p")) pipeline.timed = "posix";
        scanner.takeWord("--");
      } else break;
    }
    if (marked && /^(end|\n|;|&)$/.test(scanner.operator())) return pipeline;
    const both: boolean[] = [];
    pipeline.commands.push(this.parseCommand());
    for (;;) {
      const operator = scanner.operator();
      if (operator !== "|" && operator !== "|&") break;
      scanner.take(operator);
      scanner.skipLines();
      both.push(operator === "|&");
      pipeline.commands.push(this.parseCommand());
    }
    if (both.includes(true)) pipeline.both = both;
    return pipeline;
  }

  /** `time` where it is the reserved word, not a command with an option. */
  #takeTime(): boolean {
    const { scanner } = this;
    if (scanner.bareWord() !== "time") return false;
    const rest = scanner.text.slice(scanner.at + 4);
    if (/^[ \t]+-(?!p\b|-[ \t])/.test(rest)) return false;
    return scanner.takeWord("time");
  }

  parseCommand(): CommandNode {
    const { scanner } = this;
    if (++this.#depth > DEPTH) scanner.error(`commands are nested more than ${DEPTH} deep`);
    try {
      while (scanner.operator() === "" && scanner.expandAlias(true));
      return parseCompound(this) ?? this.#function() ?? this.#simple();
    } finally {
      this.#depth--;
    }
  }

  /** `name () body`. */
  #function(): FunctionNode | undefined {
    const { scanner } = this;
    const { at, line } = scanner;
    const word = scanner.bareWord() ?? this.#quotedName();
    if (word === undefined || /^[A-Za-z_]\w*(\[.*\])?\+?=/.test(word)) return undefined;
    scanner.at += word.length;
    if (scanner.take("(")) {
      if (scanner.take(")")) return this.parseFunctionBody(word, line);
      scanner.unexpected();
    }
    scanner.at = at;
    return undefined;
  }

  /** The word here if parentheses follow it: such a name is refused when the definition runs. */
  #quotedName(): string | undefined {
    const { scanner } = this;
    const { at, line } = scanner;
    const end = scanner.text.indexOf("\n", at);
    if (scanner.operator() !== "" || !/[^$<>]\([ \t]*\)/.test(scanner.text.slice(at, end < 0 ? undefined : end))) {
      return undefined;
    }
    const { text } = parseWord(this, { noBraces: true, noTilde: true });
    const defines = scanner.operator() === "(";
    Object.assign(scanner, { at, line });
    return defines ? text : undefined;
  }

  parseFunctionBody(name: string, line: number): FunctionNode {
    this.scanner.skipLines();
    const body = parseCompound(this);
    if (!body || body.type === "Function" || body.type === "Coproc") return this.scanner.unexpected();
    const { redirections } = body;
    return { type: "Function", name, body: { ...body, redirections: [] }, redirections, line };
  }

  #simple(): SimpleCommandNode {
    const { scanner } = this;
    scanner.skipBlanks();
    const { line } = scanner;
    const node: SimpleCommandNode = { type: "Simple", assignments: [], words: [], redirections: [], line };
    let declaring = false;
    for (;;) {
      const redirection = this.parseRedirection();
      if (redirection) {
        node.redirections.push(redirection);
        continue;
      }
      if (scanner.operator() !== "") break;
      if (scanner.expandAlias(node.words.length === 0)) continue;
      const assignment = node.words.length === 0 || declaring ? this.#assignment(true) : undefined;
      if (assignment && node.words.length === 0) node.assignments.push(assignment.node);
      else if (assignment) node.words.push({ ...assignment.word, assignment: assignment.node });
      else node.words.push(this.#word());
      const first = node.words[0]?.text ?? "";
      declaring = node.words.length > 0 && (DECLARING.has(first) || declaring);
    }
    if (node.words.length + node.assignments.length + node.redirections.length === 0) scanner.unexpected();
    // `f (`: only a definition may have it.
    if (scanner.operator() === "(") scanner.unexpected();
    return node;
  }

  /** A word; one of the form `name=~` has its tilde expanded as an assignment has. */
  #word(): WordNode {
    const { scanner } = this;
    const { at } = scanner;
    TILDE.lastIndex = at;
    const [before] = TILDE.exec(scanner.text) ?? [];
    if (before === undefined) return parseWord(this);
    scanner.at += before.length;
    const { parts } = parseWord(this, { assignment: true });
    const text = scanner.text.slice(at, scanner.at);
    return makeWord([{ type: "Literal", value: before }, ...parts], text, { noTilde: true });
  }

  /** `name=…` where it stands as an assignment; `array` allows `name=(…)`. The word is the same as text. */
  #assignment(array: boolean): { node: AssignmentNode; word: WordNode } | undefined {
    const { scanner } = this;
    const start = scanner.at;
    // A name that is cut by the end of a line is made whole.
    scanner.match(IDENTIFIER, start);
    ASSIGNMENT.lastIndex = start;
    const [name] = ASSIGNMENT.exec(scanner.text) ?? [];
    if (name === undefined) return undefined;
    scanner.at += name.length;
    const subscript = scanner.text[scanner.at] === "[" ? this.#subscript() : undefined;
    const append = scanner.text[scanner.at] === "+";
    if (append) scanner.at++;
    if (subscript === null || scanner.text[scanner.at] !== "=") {
      scanner.at = start;
      return undefined;
    }
    scanner.at++;
    const node: AssignmentNode = { name, append };
    if (subscript) node.subscript = subscript;
    const before = scanner.text.slice(start, scanner.at);
    if (scanner.text[scanner.at] === "(" && array) {
      scanner.at++;
      node.array = this.#elements();
      const parts = listParts(before, node.array);
      return { node, word: makeWord(parts, scanner.text.slice(start, scanner.at), { noBraces: true, noTilde: true }) };
    }
    const value = parseWord(this, { assignment: true });
    if (value.parts.length > 0) node.value = value;
    const parts = [{ type: "Literal" as const, value: before }, ...value.parts];
    return { node, word: makeWord(parts, scanner.text.slice(start, scanner.at), { noTilde: true }) };
  }

  /** `[…]` that `=` or `+=` follows; null if it is no subscript. */
  #subscript() {
    const { at, line } = this.scanner;
    try {
      return parseSubscript(this);
    } catch {
      Object.assign(this.scanner, { at, line });
      return null;
    }
  }

  /** A mistake in a list gives up only its line. */
  #refuseElement(): never {
    try {
      return this.scanner.unexpected();
    } catch (error) {
      if (error instanceof ShellSyntaxError) error.recoverable = true;
      throw error;
    }
  }

  #elements(): ArrayElementNode[] {
    const { scanner } = this;
    const elements: ArrayElementNode[] = [];
    for (;;) {
      scanner.skipLines();
      if (scanner.take(")")) return elements;
      if (scanner.operator() !== "" && scanner.operator() !== "end") this.#refuseElement();
      if (scanner.operator() !== "") scanner.unexpected();
      elements.push(this.#element());
    }
  }

  #element(): ArrayElementNode {
    const { scanner } = this;
    const { at, line } = scanner;
    if (scanner.text[at] === "[") {
      const subscript = this.#subscript();
      const append = scanner.text.startsWith("+=", scanner.at);
      if (subscript && (append || scanner.text[scanner.at] === "=")) {
        scanner.at += append ? 2 : 1;
        return { subscript, append, value: parseWord(this, { assignment: true }) };
      }
      Object.assign(scanner, { at, line });
    }
    return { append: false, value: parseWord(this) };
  }

  /** A redirection, if one is here. */
  parseRedirection(): RedirectionNode | undefined {
    const { scanner } = this;
    scanner.skipBlanks();
    const { at, line } = scanner;
    DESCRIPTOR.lastIndex = at;
    const [found, digits, variable] = DESCRIPTOR.exec(scanner.text) ?? [];
    if (found !== undefined) scanner.at += found.length;
    const operator = scanner.operator() as RedirectionNode["operator"];
    if (!REDIRECTIONS.has(operator)) {
      scanner.at = at;
      return undefined;
    }
    scanner.take(operator);
    const node: RedirectionNode = { operator, target: { type: "Word", parts: [], text: "" }, line };
    if (digits !== undefined) node.fd = Number(digits);
    if (variable !== undefined) node.variable = variable;
    if (scanner.operator() !== "") scanner.unexpected();
    if (operator === "<<" || operator === "<<-") this.#announceDocument(node);
    else node.target = parseWord(this);
    return node;
  }

  #announceDocument(node: RedirectionNode): void {
    const { scanner } = this;
    const start = scanner.at;
    const word = parseWord(this, { noBraces: true, noTilde: true });
    const raw = scanner.text.slice(start, scanner.at);
    const quoted = /['"\\]/.test(raw);
    const delimiter = quoted ? unquote(word) : raw;
    node.delimiter = quoted ? raw : delimiter;
    const { line } = scanner;
    scanner.documents.push({ node, delimiter, quoted, strip: node.operator === "<<-", line });
  }

  parseRedirections(): RedirectionNode[] {
    const found: RedirectionNode[] = [];
    for (let node = this.parseRedirection(); node; node = this.parseRedirection()) found.push(node);
    return found;
  }
}

/** `name=(…)` as one word, for builtins that are given text. */
function listParts(before: string, elements: ArrayElementNode[]): WordPart[] {
  const parts: WordPart[] = [{ type: "Quoted", value: `${before}(` }];
  elements.forEach(({ subscript, append, value }, i) => {
    if (i > 0) parts.push({ type: "Quoted", value: " " });
    if (subscript) parts.push({ type: "Quoted", value: `[${subscript.text}]${append ? "+" : ""}=` });
    parts.push(...value.parts);
  });
  return [...parts, { type: "Quoted", value: ")" }];
}

/** The text of a delimiter without its quotes; expansions in it are text. */
function unquote(word: WordNode): string {
  return word.parts.map((part) => {
    if (part.type === "DoubleQuoted") {
      return part.parts.map((each) => each.type === "Literal" ? each.value : "text" in each ? each.text : "").join("");
    }
    return part.type === "Literal" || part.type === "Quoted" ? part.value : "text" in part ? part.text : "";
  }).join("");
}
