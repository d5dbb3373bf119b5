/** [[ … ]]. */
import type { ConditionalNode, ConditionNode, WordNode } from "./nodes.ts";
import type { Parser } from "./parser.ts";
import { parseWord } from "./words.ts";

const UNARY = /^-[a-hknoprstuvwxzGLNORS]$/;
const BINARY = new Set(["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"]);

/** After `[[`. */
export function parseConditional(parser: Parser, line: number): ConditionalNode {
  const expression = parseOr(parser);
  skip(parser);
  if (!parser.scanner.takeWord("]]")) fail(parser);
  return { type: "Conditional", expression, redirections: [], line };
}

function parseOr(parser: Parser): ConditionNode {
  let left = parseAnd(parser);
  while (takeOperator(parser, "||")) left = { type: "Or", left, right: parseAnd(parser) };
  return left;
}

function parseAnd(parser: Parser): ConditionNode {
  let left = parseNot(parser);
  while (takeOperator(parser, "&&")) left = { type: "And", left, right: parseNot(parser) };
  return left;
}

function parseNot(parser: Parser): ConditionNode {
  skip(parser);
  if (parser.scanner.takeWord("!")) return { type: "Not", operand: parseNot(parser) };
  return parsePrimary(parser);
}

function parsePrimary(parser: Parser): ConditionNode {
  const { scanner } = parser;
  skip(parser);
  if (scanner.take("(")) {
    const inner = parseOr(parser);
    skip(parser);
    if (!scanner.take(")")) fail(parser);
    return inner;
  }
  const first = scanner.bareWord();
  if (scanner.operator() !== "" || first === "]]") fail(parser);
  if (first !== undefined && UNARY.test(first) && !isLone(parser, first)) {
    scanner.takeWord(first);
    skip(parser);
    if (scanner.operator() !== "" || scanner.bareWord() === "]]") fail(parser);
    return { type: "Unary", operator: first, operand: readWord(parser) };
  }
  const left = readWord(parser);
  return parseBinary(parser, left) ?? { type: "Unary", operator: "-n", operand: left };
}

/** Whether a word that looks like an operator stands for itself: `[[ -f == x ]]`. */
function isLone(parser: Parser, first: string): boolean {
  const { scanner } = parser;
  const { at } = scanner;
  scanner.takeWord(first);
  const next = scanner.bareWord();
  const operator = scanner.operator();
  scanner.at = at;
  return next === "]]" || operator === "&&" || operator === "||" || operator === ")" ||
    next !== undefined && BINARY.has(next);
}

function parseBinary(parser: Parser, left: WordNode): ConditionNode | undefined {
  const { scanner } = parser;
  const sign = scanner.operator();
  if (sign === "<" || sign === ">") {
    scanner.take(sign);
    return { type: "Binary", operator: sign, left, right: readWord(parser) };
  }
  const operator = scanner.bareWord();
  if (operator === undefined || !BINARY.has(operator)) return undefined;
  scanner.takeWord(operator);
  skip(parser);
  if (operator === "=~") {
    return { type: "Binary", operator, left, right: parseWord(parser, { regex: true, noBraces: true }) };
  }
  return { type: "Binary", operator, left, right: readWord(parser) };
}

function readWord(parser: Parser): WordNode {
  if (parser.scanner.operator() !== "") fail(parser);
  return parseWord(parser, { noBraces: true });
}

function takeOperator(parser: Parser, operator: string): boolean {
  skip(parser);
  return parser.scanner.take(operator);
}

function skip(parser: Parser): void {
  parser.scanner.skipLines();
}

function fail(parser: Parser): never {
  const { scanner } = parser;
  const operator = scanner.operator();
  if (operator === "end") scanner.error("syntax error in conditional expression: unexpected end of file", true);
  const token = operator === "\n" ? "newline" : operator || (scanner.bareWord() ?? "");
  return scanner.error(`syntax error in conditional expression near \`${token}'`);
}
