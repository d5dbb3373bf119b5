/** ${…}. */
import type { ParameterOperation, ParameterPart, SubscriptNode, WordNode } from "./nodes.ts";
import { type Grammar, makeArithmetic, parseDollar, parseWord, type WordMode } from "./words.ts";

const NAME = /[A-Za-z_]\w*|\d+|[@*#?$!-]/y;
const SUBSCRIPTED = /^[A-Za-z_]/;

type ReadWord = (mode: WordMode) => WordNode;

/** Reads from `${`; `double` says that it is within double quotes. */
export function parseParameter(grammar: Grammar, double: boolean, read: ReadWord): ParameterPart {
  const { scanner } = grammar;
  const { line } = scanner;
  const start = scanner.at;
  scanner.at += 2;
  const part = parseInside(grammar, double, read);
  if (part === undefined || scanner.text[scanner.at] !== "}") {
    skipToBrace(grammar, line);
    const text = scanner.text.slice(start, scanner.at);
    return { type: "Parameter", name: "", operation: { type: "Bad" }, text };
  }
  scanner.at++;
  return { ...part, text: scanner.text.slice(start, scanner.at) };
}

function parseInside(grammar: Grammar, double: boolean, read: ReadWord): Omit<ParameterPart, "text"> | undefined {
  const { scanner } = grammar;
  while (scanner.join(scanner.at) || scanner.join(scanner.at + 1));
  let { text } = scanner;
  const length = text[scanner.at] === "#" && isLength(text, scanner.at + 1);
  const indirect = text[scanner.at] === "!" && /[\w@*#?$!]/.test(text[scanner.at + 1] ?? "");
  if (length || indirect) scanner.at++;
  const [name] = scanner.match(NAME, scanner.at) ?? [];
  if (name === undefined) return undefined;
  text = scanner.text;
  scanner.at += name.length;
  if (name === "#" && /^[=+^,/:]}/.test(text.slice(scanner.at, scanner.at + 2))) return undefined;
  const subscript = text[scanner.at] === "[" && SUBSCRIPTED.test(name) ? parseSubscript(grammar) : undefined;
  const part: Omit<ParameterPart, "text"> = { type: "Parameter", name };
  const inner = subscript?.text === "@" || subscript?.text === "*" ? subscript.text : subscript;
  if (inner !== undefined) part.subscript = inner;
  if (indirect) part.indirect = true;
  const operation = length ? { type: "Length" as const } : parseOperation(grammar, double, indirect, part, read);
  if (operation) part.operation = operation;
  if (operation?.type === "Keys" || operation?.type === "Names") delete part.indirect;
  return part;
}

/** Whether `#` begins a length, and is not the parameter itself. */
function isLength(text: string, at: number): boolean {
  const char = text[at] ?? "";
  return /\w/.test(char) || /[@*#?$!-]/.test(char) && text[at + 1] === "}";
}

/** Reads `[…]`; quotes in it count. */
export function parseSubscript(grammar: Grammar): SubscriptNode {
  const { scanner } = grammar;
  const start = ++scanner.at;
  const { line } = scanner;
  for (let depth = 0;; scanner.at++) {
    const char = scanner.text[scanner.at];
    if (char === undefined) scanner.unclosed("]", line);
    if (char === "\\") scanner.at++;
    else if (char === "[") depth++;
    else if (char === "]" && depth-- === 0) break;
    else if (char === "'" || char === '"' || char === "`") scanner.at = closing(scanner.text, scanner.at, char);
    else if (char === "$" && /[({]/.test(scanner.text[scanner.at + 1] ?? "")) {
      parseDollar(grammar, false);
      scanner.at--;
    }
  }
  const text = scanner.text.slice(start, scanner.at++);
  return { text, word: parseWord(grammar.inner(text, line), { until: "", noBraces: true, noTilde: true }) };
}

function closing(text: string, at: number, quote: string): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\" && quote !== "'") end++;
    else if (text[end] === quote) return end;
  }
  return text.length;
}

const WORD_OPERATORS: Record<string, "Default" | "Assign" | "Error" | "Alternative"> = {
  "-": "Default",
  "=": "Assign",
  "?": "Error",
  "+": "Alternative",
};

function parseOperation(
  grammar: Grammar,
  double: boolean,
  indirect: boolean,
  part: Omit<ParameterPart, "text">,
  read: ReadWord,
): ParameterOperation | undefined {
  const { scanner } = grammar;
  const [char, next, after] = [0, 1, 2].map((i) => scanner.text[scanner.at + i] ?? "");
  if (indirect && (part.subscript === "@" || part.subscript === "*") && char === "}") {
    return { type: "Keys", star: part.subscript === "*" };
  }
  if (char === "}") return undefined;
  if (indirect && (char === "*" || char === "@") && next === "}") {
    scanner.at++;
    return { type: "Names", star: char === "*" };
  }
  const colon = char === ":" && next in WORD_OPERATORS;
  const type = WORD_OPERATORS[colon ? next : char];
  if (type !== undefined) {
    scanner.at += colon ? 2 : 1;
    return { type, colon, word: read({ until: "}", double, noBraces: true }) };
  }
  const twice = char === next;
  switch (char) {
    case ":":
      return parseSubstring(grammar);
    case "#":
    case "%":
      scanner.at += twice ? 2 : 1;
      return {
        type: "Remove",
        side: char === "#" ? "prefix" : "suffix",
        longest: twice,
        pattern: readPattern(read, "}"),
      };
    case "/":
      return parseReplace(grammar, read);
    case "^":
    case ",":
    case "~": {
      scanner.at += twice ? 2 : 1;
      const pattern = readPattern(read, "}");
      const change = char === "^" ? "upper" : char === "," ? "lower" : "toggle";
      return pattern.parts.length === 0
        ? { type: "Case", change, all: twice }
        : { type: "Case", change, all: twice, pattern };
    }
    case "@":
      if (after !== "}") return { type: "Bad" };
      scanner.at += 2;
      return /[QPaAEKkuUL]/.test(next) ? { type: "Transform", operator: next } : { type: "Bad" };
  }
  return { type: "Bad" };
}

function readPattern(read: ReadWord, until: string): WordNode {
  return read({ until, noBraces: true });
}

function parseReplace(grammar: Grammar, read: ReadWord): ParameterOperation {
  const { scanner } = grammar;
  scanner.at++;
  const all = scanner.text[scanner.at] === "/";
  if (all) scanner.at++;
  const mark = scanner.text[scanner.at];
  const anchor = !all && mark === "#" ? "start" as const : !all && mark === "%" ? "end" as const : undefined;
  if (anchor) scanner.at++;
  // A slash that comes first belongs to the pattern.
  const slash = all && scanner.text[scanner.at] === "/";
  if (slash) scanner.at++;
  const pattern = readPattern(read, "/}");
  if (slash) {
    pattern.parts.unshift({ type: "Quoted", value: "/" });
    delete pattern.plain;
  }
  const operation: ParameterOperation = { type: "Replace", all, pattern };
  if (anchor) operation.anchor = anchor;
  if (scanner.text[scanner.at] !== "/") return operation;
  scanner.at++;
  return { ...operation, replacement: read({ until: "}", noBraces: true }) };
}

function parseSubstring(grammar: Grammar): ParameterOperation {
  const { scanner } = grammar;
  const { line } = scanner;
  scanner.at++;
  const offset = readExpression(grammar, true);
  const operation: ParameterOperation = { type: "Substring", offset: makeArithmetic(grammar, offset, line) };
  if (scanner.text[scanner.at] !== ":") return operation;
  scanner.at++;
  return { ...operation, length: makeArithmetic(grammar, readExpression(grammar, false), line) };
}

/** Text up to `}` or, for the offset, `:`; those of `?:` and of brackets do not count. */
function readExpression(grammar: Grammar, colon: boolean): string {
  const { scanner } = grammar;
  const start = scanner.at;
  let depth = 0;
  let questions = 0;
  for (; !scanner.ended; scanner.at++) {
    const char = scanner.text[scanner.at];
    if (char === "\\") scanner.at++;
    else if (char === "'" || char === '"' || char === "`") scanner.at = closing(scanner.text, scanner.at, char);
    else if (char === "(" || char === "[" || char === "{") depth++;
    else if (depth > 0 && (char === ")" || char === "]" || char === "}")) depth--;
    else if (depth > 0) continue;
    else if (char === "}") break;
    else if (char === "?") questions++;
    else if (char === ":" && questions > 0) questions--;
    else if (char === ":" && colon) break;
  }
  return scanner.text.slice(start, scanner.at);
}

function skipToBrace(grammar: Grammar, line: number): void {
  const { scanner } = grammar;
  for (let depth = 0; !scanner.ended; scanner.at++) {
    const char = scanner.text[scanner.at];
    if (char === "\\") scanner.at++;
    else if (char === "{") depth++;
    else if (char === "}" && depth-- === 0) {
      scanner.at++;
      return;
    }
  }
  scanner.unclosed("}", line);
}
