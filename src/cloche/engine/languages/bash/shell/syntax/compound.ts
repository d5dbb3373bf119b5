/** Compound commands: if, loops, case, groups, functions by keyword. */
import { parseConditional } from "./conditional.ts";
import type {
  ArithmeticForNode,
  CaseNode,
  CommandNode,
  CompoundNode,
  ForNode,
  FunctionNode,
  IfNode,
  SelectNode,
  WordNode,
} from "./nodes.ts";
import type { Parser } from "./parser.ts";
import { endOfArithmetic, makeArithmetic, parseWord } from "./words.ts";

type Parse = (parser: Parser, line: number) => CompoundNode | FunctionNode;

const NAME = /^[A-Za-z_]\w*$/;

const PARSERS: Record<string, Parse> = {
  if: parseIf,
  for: parseFor,
  select: (parser, line) => parseLoop(parser, line, "Select"),
  while: (parser, line) => parseWhile(parser, line, false),
  until: (parser, line) => parseWhile(parser, line, true),
  case: parseCase,
  function: parseFunction,
  coproc: parseCoproc,
  "{": parseGroup,
  "[[": parseConditional,
};

/** Words that cannot begin a command. */
const RESERVED = new Set(["then", "else", "elif", "fi", "do", "done", "esac", "}", "!"]);

/** A compound command, if one is here, with its redirections. */
export function parseCompound(parser: Parser): CompoundNode | FunctionNode | undefined {
  const { scanner } = parser;
  const operator = scanner.operator();
  const { line } = scanner;
  if (operator === "(") {
    const node = parseArithmeticCommand(parser, line) ?? parseSubshell(parser);
    node.redirections = parser.parseRedirections();
    return node;
  }
  if (operator !== "") return undefined;
  const word = scanner.bareWord();
  if (word === undefined) return undefined;
  if (RESERVED.has(word)) scanner.unexpected();
  const parse = Object.hasOwn(PARSERS, word) ? PARSERS[word] : undefined;
  if (!parse) return undefined;
  scanner.takeWord(word);
  const node = parse(parser, line);
  if (node.type !== "Function" && node.type !== "Coproc") node.redirections = parser.parseRedirections();
  return node;
}

function parseIf(parser: Parser, line: number): IfNode {
  const clauses: IfNode["clauses"] = [];
  do {
    const condition = parser.parseBody();
    parser.expectWord("then");
    clauses.push({ condition, body: parser.parseBody() });
  } while (parser.scanner.takeWord("elif"));
  const otherwise = parser.scanner.takeWord("else") ? parser.parseBody() : undefined;
  parser.expectWord("fi");
  const node: IfNode = { type: "If", clauses, redirections: [], line };
  return otherwise ? { ...node, otherwise } : node;
}

function parseWhile(parser: Parser, line: number, until: boolean): CompoundNode {
  const condition = parser.parseBody();
  return { type: "While", until, condition, body: parseDo(parser), redirections: [], line };
}

function parseDo(parser: Parser) {
  parser.scanner.skipLines();
  parser.expectWord("do");
  const body = parser.parseBody();
  parser.expectWord("done");
  return body;
}

function parseFor(parser: Parser, line: number): ForNode | ArithmeticForNode {
  if (parser.scanner.operator() === "(") return parseArithmeticFor(parser, line);
  return parseLoop(parser, line, "For") as ForNode;
}

function parseLoop(parser: Parser, line: number, type: "For" | "Select"): ForNode | SelectNode {
  const { scanner } = parser;
  while (scanner.expandAlias(false));
  if (scanner.operator() !== "") scanner.unexpected();
  const { text: name } = parseWord(parser, { noBraces: true, noTilde: true });
  while (scanner.operator() === "" && scanner.expandAlias(false));
  scanner.skipLines();
  let words: WordNode[] | undefined;
  if (scanner.takeWord("in")) {
    words = [];
    while (scanner.operator() === "") {
      if (!scanner.expandAlias(false)) words.push(parseWord(parser));
    }
    if (!scanner.take(";") && scanner.operator() !== "\n") scanner.unexpected();
  } else scanner.take(";");
  scanner.skipLines();
  const body = parseBraced(parser) ?? parseDo(parser);
  const node = { type, name, body, redirections: [], line };
  return words ? { ...node, words } : node;
}

function parseBraced(parser: Parser) {
  if (!parser.scanner.takeWord("{")) return undefined;
  const body = parser.parseBody();
  parser.expectWord("}");
  return body;
}

function parseArithmeticFor(parser: Parser, line: number): ArithmeticForNode {
  const { scanner } = parser;
  const end = scanner.text.startsWith("((", scanner.at) ? endOfArithmetic(scanner.text, scanner.at + 2) : -1;
  if (end < 0) return scanner.unexpected();
  const text = scanner.text.slice(scanner.at + 2, end);
  const parts = splitExpressions(text);
  if (parts.length !== 3) scanner.error("syntax error: arithmetic expression required");
  scanner.line += text.split("\n").length - 1;
  scanner.at = end + 2;
  scanner.skipBlanks();
  scanner.take(";");
  scanner.skipLines();
  const body = parseBraced(parser) ?? parseDo(parser);
  const [init, condition, update] = parts.map((part) =>
    part.trim() === "" ? undefined : makeArithmetic(parser, part.trimStart(), line)
  );
  const node: ArithmeticForNode = { type: "ArithmeticFor", body, redirections: [], line };
  return Object.assign(node, init && { init }, condition && { condition }, update && { update });
}

/** At semicolons outside of parentheses and quotes. */
function splitExpressions(text: string): string[] {
  const parts = [""];
  let depth = 0;
  let quote = "";
  for (const char of text) {
    if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = "";
    else if (quote === "" && char === "(") depth++;
    else if (quote === "" && char === ")") depth--;
    if (char === ";" && depth === 0 && quote === "") parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function parseCase(parser: Parser, line: number): CaseNode {
  const { scanner } = parser;
  const { line: start } = scanner;
  if (scanner.operator() !== "") scanner.unexpected();
  const word = parseWord(parser);
  scanner.skipLines();
  parser.expectWord("in");
  const items: CaseNode["items"] = [];
  for (;;) {
    scanner.skipLines();
    if (scanner.takeWord("esac")) break;
    if (scanner.operator() === "end") scanner.error(`syntax error: unexpected end of file`, true);
    items.push(parseItem(parser));
  }
  return { type: "Case", word, items, redirections: [], line: line || start };
}

function parseItem(parser: Parser): CaseNode["items"][number] {
  const { scanner } = parser;
  scanner.take("(");
  const patterns: WordNode[] = [];
  do {
    if (scanner.operator() !== "") scanner.unexpected();
    patterns.push(parseWord(parser, { noBraces: true }));
  } while (scanner.take("|"));
  parser.expect(")");
  const body = parser.parseList();
  for (const end of [";;&", ";;", ";&"] as const) if (scanner.take(end)) return { patterns, body, end };
  if (scanner.bareWord() !== "esac") scanner.unexpected();
  return { patterns, body, end: ";;" };
}

/** It counts as being in the line in which it ends. */
function parseSubshell(parser: Parser): CompoundNode {
  parser.scanner.take("(");
  const body = parser.parseBody();
  parser.expect(")");
  return { type: "Subshell", body, redirections: [], line: parser.scanner.line };
}

function parseGroup(parser: Parser, line: number): CompoundNode {
  const body = parser.parseBody();
  parser.expectWord("}");
  return { type: "Group", body, redirections: [], line };
}

/** `((…))`; undefined if the parentheses are subshells. */
function parseArithmeticCommand(parser: Parser, line: number): CompoundNode | undefined {
  const { scanner } = parser;
  if (!scanner.text.startsWith("((", scanner.at)) return undefined;
  const end = endOfArithmetic(scanner.text, scanner.at + 2);
  if (end < 0) return undefined;
  const text = scanner.text.slice(scanner.at + 2, end);
  scanner.at = end + 2;
  scanner.line += text.split("\n").length - 1;
  return { type: "ArithmeticCommand", expression: makeArithmetic(parser, text, line), redirections: [], line };
}

function parseFunction(parser: Parser, line: number): FunctionNode {
  const { scanner } = parser;
  if (scanner.operator() !== "") scanner.unexpected();
  const { text } = parseWord(parser, { noBraces: true, noTilde: true });
  if (scanner.take("(")) parser.expect(")");
  return parser.parseFunctionBody(text, line);
}

/** `coproc [NAME] compound` or `coproc simple`. */
function parseCoproc(parser: Parser, line: number): CompoundNode {
  const { scanner } = parser;
  const first = scanner.operator() === "" ? scanner.bareWord() : undefined;
  let name = "COPROC";
  if (first !== undefined && NAME.test(first) && !Object.hasOwn(PARSERS, first)) {
    const { at } = scanner;
    scanner.takeWord(first);
    const next = scanner.bareWord();
    const compound = scanner.operator() === "(" || next !== undefined && Object.hasOwn(PARSERS, next);
    if (compound) name = first;
    else scanner.at = at;
  }
  const body: CommandNode = parser.parseCommand();
  return { type: "Coproc", name, body, redirections: [], line };
}
