/** Regular expressions as JavaScript's, and where those answer the same and quickly. */
import { type Assertion, type CharacterSet, CLASSES, type RegexNode } from "./syntax.ts";

const WORD = "[\\p{L}\\p{Nd}_]";
const ASSERTIONS: Record<Assertion, string> = {
  start: "^",
  end: "$",
  "line start": "(?<![^\\n])",
  "line end": "(?![^\\n])",
  "word start": `(?<!${WORD})(?=${WORD})`,
  "word end": `(?<=${WORD})(?!${WORD})`,
  boundary: `(?:(?<!${WORD})(?=${WORD})|(?<=${WORD})(?!${WORD}))`,
  "no boundary": `(?:(?<!${WORD})(?!${WORD})|(?<=${WORD})(?=${WORD}))`,
};
/** More open repetitions one after another may take long where nothing matches. */
const MANY_REPEATS = 6;

/** The source of a JavaScript expression, for the flags "su". */
export function translate(node: RegexNode, capturing: boolean): string {
  switch (node.kind) {
    case "char":
      return literal(node.code);
    case "any":
      return ".";
    case "set":
      return translateSet(node);
    case "assert":
      return ASSERTIONS[node.what];
    case "reference":
      return `\\${node.group}(?:)`;
    case "sequence":
      return node.items.map((item) =>
        item.kind === "choice" ? `(?:${translate(item, capturing)})` : translate(item, capturing)
      )
        .join("");
    case "choice":
      return node.items.map((item) => translate(item, capturing)).join("|");
    case "group":
      return `(${capturing ? "" : "?:"}${translate(node.item, capturing)})`;
    case "repeat": {
      const { item, least, most } = node;
      const source = translate(item, capturing);
      const whole = isSingle(item) || item.kind === "group" ? source : `(?:${source})`;
      if (most === Infinity && least < 2) return whole + (least === 0 ? "*" : "+");
      if (least === 0 && most === 1) return `${whole}?`;
      return `${whole}{${least}${most === least ? "" : most === Infinity ? "," : `,${most}`}}`;
    }
  }
}

function literal(code: number): string {
  const char = String.fromCodePoint(code);
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : code < 32 || code > 126 ? `\\u{${code.toString(16)}}` : char;
}

function translateSet({ negated, ranges, classes }: CharacterSet): string {
  const codes = ranges.map(([first, last]) =>
    first === last ? setLiteral(first) : `${setLiteral(first)}-${setLiteral(last)}`
  );
  return `[${negated ? "^" : ""}${codes.join("")}${classes.map((name) => CLASSES[name]).join("")}]`;
}

function setLiteral(code: number): string {
  const char = String.fromCodePoint(code);
  return /[A-Za-z0-9_ ]/.test(char) ? char : `\\u{${code.toString(16)}}`;
}

/** Whether it refers to what a group has matched, which no automaton can. */
export function hasReference(node: RegexNode): boolean {
  switch (node.kind) {
    case "reference":
      return true;
    case "sequence":
    case "choice":
      return node.items.some(hasReference);
    case "group":
    case "repeat":
      return hasReference(node.item);
    default:
      return false;
  }
}

/** Whether a node always matches exactly one character. */
function isSingle(node: RegexNode): boolean {
  return node.kind === "char" || node.kind === "set" || node.kind === "any";
}

/** Like `isSingle`, through groups and choices of single characters. */
function isOneLong(node: RegexNode): boolean {
  if (node.kind === "group") return isOneLong(node.item);
  return isSingle(node) || node.kind === "choice" && node.items.every(isOneLong);
}

/** Whether JavaScript's first match is always the longest one, which POSIX wants. */
export function findsLongest(node: RegexNode): boolean {
  switch (node.kind) {
    case "sequence":
      return node.items.every(findsLongest);
    case "group":
      return findsLongest(node.item);
    case "repeat":
      return isOneLong(node.item);
    case "choice":
      return node.items.every(isOneLong);
    default:
      return true;
  }
}

/** Whether JavaScript decides quickly that a text does not match: it tries all ways to repeat. */
export function failsQuickly(node: RegexNode): boolean {
  return countRepeats(node) <= MANY_REPEATS && !repeatsVariants(node);
}

function countRepeats(node: RegexNode): number {
  switch (node.kind) {
    case "sequence":
    case "choice":
      return node.items.reduce((sum, item) => sum + countRepeats(item), 0);
    case "group":
      return countRepeats(node.item);
    case "repeat":
      return countRepeats(node.item) + (node.most > 100 ? 1 : 0);
    default:
      return 0;
  }
}

/** Whether something is repeated that matches in several ways. */
function repeatsVariants(node: RegexNode): boolean {
  switch (node.kind) {
    case "sequence":
    case "choice":
      return node.items.some(repeatsVariants);
    case "group":
      return repeatsVariants(node.item);
    case "repeat":
      return !isOneLong(node.item) && hasVariants(node.item);
    default:
      return false;
  }
}

function hasVariants(node: RegexNode): boolean {
  switch (node.kind) {
    case "sequence":
      return node.items.some(hasVariants);
    case "group":
      return hasVariants(node.item);
    case "repeat":
      return node.least !== node.most || hasVariants(node.item);
    case "choice":
      return true;
    default:
      return false;
  }
}

/** The text that an expression stands for, if it is nothing but text. */
export function literalText(node: RegexNode): string | undefined {
  if (node.kind === "char") return String.fromCodePoint(node.code);
  if (node.kind !== "sequence" || node.items.length === 0) return undefined;
  let text = "";
  for (const item of node.items) {
    if (item.kind !== "char") return undefined;
    text += String.fromCodePoint(item.code);
  }
  return text;
}
