/** Words: quotes, expansions, tildes, braces. */
import { parseBraces } from "./braces.ts";
import { parseParameter } from "./parameters.ts";
import type { ArithmeticNode, ScriptNode, TildePart, WordNode, WordPart } from "./nodes.ts";
import { type Scanner, ShellSyntaxError } from "./scanner.ts";
import { unescapeAnsi } from "./ansi.ts";

/** What the word parser needs of the grammar. */
export interface Grammar {
  readonly scanner: Scanner;
  /** Reads commands up to the closing parenthesis, which is taken. */
  parseSubstitution(): ScriptNode;
  /** A parser for a part of the text that was cut out. */
  inner(text: string, line: number): Grammar;
  parseAll(): ScriptNode;
}

/** How a word is read: `arithmetic` and `document` as in double quotes, where `"` is text in a document. */
export interface WordMode {
  /** Stops at these characters when they are not quoted; undefined: at blanks and operators. */
  until?: string;
  /** Within double quotes: single quotes are text, few characters can be escaped. */
  double?: boolean;
  document?: boolean;
  /** Tildes after `=` and `:`; no braces. */
  assignment?: boolean;
  noBraces?: boolean;
  /** Parentheses are text until they close: the right side of `=~`. */
  regex?: boolean;
  noTilde?: boolean;
}

const META = " \t\n;&|()<>";
const EXTGLOB = "?*+@!";
const PATTERN = /[*?]|\[[^]*\]|[+@!]\(/;

/** Reads a word from where the scanner is; empty if there is none. */
export function parseWord(grammar: Grammar, mode: WordMode = {}): WordNode {
  const { scanner } = grammar;
  const start = scanner.at;
  const parts = parseParts(grammar, mode);
  return makeWord(parts, scanner.text.slice(start, scanner.at), mode);
}

/** A word of these parts; braces and tildes in them are found. */
export function makeWord(parts: WordPart[], text: string, mode: WordMode = {}): WordNode {
  const tilded = mode.double || mode.document || mode.regex || mode.noTilde
    ? parts
    : parseTildes(parts, mode.assignment ?? false);
  const braced = mode.assignment || mode.noBraces || mode.double || mode.document || mode.regex
    ? tilded
    : parseBraces(tilded);
  const word: WordNode = { type: "Word", parts: braced, text };
  const plain = plainText(braced);
  if (plain !== undefined) word.plain = plain;
  return word;
}

/** The text of a word that never changes; an empty word without quotes is none. */
function plainText(parts: WordPart[]): string | undefined {
  if (parts.length === 0) return undefined;
  let text = "";
  let active = "";
  for (const part of parts) {
    if (part.type === "Quoted") text += part.value;
    else if (part.type === "Literal") {
      text += part.value;
      active += part.value;
    } else if (part.type === "DoubleQuoted" && part.parts.every((each) => each.type === "Literal")) {
      for (const each of part.parts) if (each.type === "Literal") text += each.value;
    } else return undefined;
  }
  return PATTERN.test(active) ? undefined : text;
}

function parseParts(grammar: Grammar, mode: WordMode): WordPart[] {
  const { scanner } = grammar;
  const parts: WordPart[] = [];
  let literal = "";
  let parentheses = 0;
  const flush = () => {
    if (literal !== "") parts.push({ type: "Literal", value: literal });
    literal = "";
  };
  while (!scanner.ended) {
    const char = scanner.text[scanner.at];
    const next = scanner.text[scanner.at + 1];
    if (mode.until !== undefined) {
      if (mode.until.includes(char) && parentheses === 0) break;
    } else if (META.includes(char) && parentheses === 0) {
      const substitution = (char === "<" || char === ">") && next === "(" && !mode.regex;
      if (!substitution && !(mode.regex && (char === "(" || char === "|"))) break;
    }
    if (mode.regex && (char === "(" || char === ")")) parentheses += char === "(" ? 1 : -1;
    if (char === "\n") scanner.line++;
    if (char === "\\") {
      if (next === "\n") scanner.line++;
      const escaped = parseEscape(next, mode);
      if (escaped === undefined) literal += char;
      else {
        if (next === undefined) literal += char;
        else if (next !== "\n") {
          flush();
          parts.push({ type: "Quoted", value: pointAt(scanner.text, scanner.at + 1) });
        }
        scanner.at += 1;
        if (next !== undefined && next > "\ud7ff") scanner.at += pointAt(scanner.text, scanner.at).length - 1;
      }
      scanner.at = Math.min(scanner.at + 1, scanner.text.length);
    } else if (char === "'" && mode.double && mode.until === "}" && hidesQuote(scanner)) {
      const end = scanner.text.indexOf("'", scanner.at + 1) + 1;
      literal += scanner.text.slice(scanner.at, end).replaceAll('"', "");
      scanner.at = end;
    } else if (char === "'" && !mode.double && !mode.document) {
      flush();
      parts.push({ type: "Quoted", value: parseSingle(scanner) });
    } else if (char === '"' && !mode.document) {
      flush();
      parts.push({ type: "DoubleQuoted", parts: parseDouble(grammar) });
    } else if (char === "$") {
      const part = parseDollar(grammar, mode.double || mode.document || false);
      if (part === undefined) literal += "$";
      else {
        flush();
        parts.push(part);
      }
    } else if (char === "`") {
      flush();
      parts.push(parseBackticks(grammar, mode.double ?? false));
    } else if ((char === "<" || char === ">") && next === "(" && !mode.double && !mode.document && !mode.regex) {
      flush();
      scanner.at += 2;
      const direction = char === "<" ? "input" : "output";
      parts.push({ type: "ProcessSubstitution", body: grammar.parseSubstitution(), direction });
    } else if (next === "(" && EXTGLOB.includes(char) && !mode.double && !mode.document && !mode.regex) {
      literal += `${char}(`;
      scanner.at += 2;
      flush();
      for (;;) {
        parts.push(...parseParts(grammar, { ...mode, until: "|)" }));
        if (scanner.ended) scanner.unclosed(")");
        parts.push({ type: "Literal", value: scanner.text[scanner.at] });
        if (scanner.text[scanner.at++] === ")") break;
      }
    } else {
      literal += char;
      scanner.at++;
    }
  }
  flush();
  return parts;
}

function pointAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

/** Whether a backslash quotes what follows; undefined: it is text. */
function parseEscape(next: string | undefined, mode: WordMode): true | undefined {
  if (mode.document) return next !== undefined && "$`\\\n".includes(next) ? true : undefined;
  if (!mode.double) return true;
  return next !== undefined && ('$`"\\\n'.includes(next) || mode.until?.includes(next)) ? true : undefined;
}

/** In "${x-…}", single quotes are text, but what is between two of them does not end or begin anything. */
function hidesQuote({ text, at }: Scanner): boolean {
  const end = text.indexOf("'", at + 1);
  if (end < 0) return false;
  const inside = text.slice(at + 1, end);
  const opens = inside.includes("$(") && inside.split("(").length > inside.split(")").length;
  return !inside.includes("}") && (opens || inside.split('"').length % 2 === 0);
}

function parseSingle(scanner: Scanner): string {
  const end = scanner.text.indexOf("'", scanner.at + 1);
  if (end < 0) scanner.unclosed("'");
  const value = scanner.text.slice(scanner.at + 1, end);
  scanner.line += countLines(value);
  scanner.at = end + 1;
  return value;
}

/** The parts between double quotes. */
function parseDouble(grammar: Grammar): WordPart[] {
  const { scanner } = grammar;
  const { line } = scanner;
  scanner.at++;
  const parts = parseParts(grammar, { double: true, until: '"' }).map(asText);
  if (scanner.ended) scanner.unclosed('"', line);
  scanner.at++;
  return joinLiterals(parts);
}

/** In double quotes, escaped characters are text like the rest. */
function asText(part: WordPart): WordPart {
  return part.type === "Quoted" ? { type: "Literal", value: part.value } : part;
}

function joinLiterals(parts: WordPart[]): WordPart[] {
  const joined: WordPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "Literal" && last?.type === "Literal") {
      joined[joined.length - 1] = { type: "Literal", value: last.value + part.value };
    } else joined.push(part);
  }
  return joined;
}

const NAME = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;

/** What begins with `$`; undefined if it is only that, which is then taken. */
export function parseDollar(grammar: Grammar, double: boolean): WordPart | undefined {
  const { scanner } = grammar;
  const { at } = scanner;
  while (scanner.join(at + 1));
  const { text } = scanner;
  const next = text[at + 1];
  if (next === "(") {
    const end = text[at + 2] === "(" ? endOfArithmetic(text, at + 3) : -1;
    if (end < 0) {
      scanner.at += 2;
      return { type: "CommandSubstitution", body: grammar.parseSubstitution() };
    }
    scanner.at = end + 2;
    return arithmeticPart(grammar, text.slice(at + 3, end));
  }
  if (next === "[") {
    const end = endOfBracket(text, at + 2);
    if (end < 0) scanner.unclosed("]");
    scanner.at = end + 1;
    return arithmeticPart(grammar, text.slice(at + 2, end));
  }
  if (next === "{") return parseParameter(grammar, double, (mode) => parseWord(grammar, mode));
  if (next === "'" && !double) {
    const { value, end } = unescapeAnsi(text, at + 2);
    if (end > text.length) scanner.unclosed("'");
    scanner.line += countLines(text.slice(at, end));
    scanner.at = end;
    return { type: "Quoted", value };
  }
  if (next === '"' && !double) {
    scanner.at++;
    return { type: "DoubleQuoted", parts: parseDouble(grammar) };
  }
  const [name] = scanner.match(NAME, at + 1) ?? [];
  scanner.at += 1 + (name?.length ?? 0);
  return name === undefined ? undefined : { type: "Parameter", name, text: `$${name}` };
}

function arithmeticPart(grammar: Grammar, text: string): WordPart {
  const { line } = grammar.scanner;
  grammar.scanner.line += countLines(text);
  return { type: "ArithmeticExpansion", expression: makeArithmetic(grammar, text, line) };
}

/** Arithmetic as a node; what is to be expanded in it is a word. */
export function makeArithmetic(grammar: Grammar, text: string, line = 1): ArithmeticNode {
  if (!/[$`"'\\]/.test(text)) return { type: "Arithmetic", text };
  const inner = grammar.inner(text, line);
  return { type: "Arithmetic", text, word: parseWord(inner, { double: true, until: "", noBraces: true }) };
}

/** Where `))` closes what begins here; -1 if it is no arithmetic. */
export function endOfArithmetic(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "'" || char === '"') {
      const end = text.indexOf(char, at + 1);
      if (end < 0) return -1;
      at = end;
    } else if (char === "(") depth++;
    else if (char === ")") {
      if (depth === 0) return text[at + 1] === ")" ? at : -1;
      depth--;
    }
  }
  return -1;
}

function endOfBracket(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "[") depth++;
    else if (text[at] === "]" && depth-- === 0) return at;
  }
  return -1;
}

function parseBackticks(grammar: Grammar, double: boolean): WordPart {
  const { scanner } = grammar;
  const { text, line } = scanner;
  let body = "";
  let at = scanner.at + 1;
  for (; at < text.length && text[at] !== "`"; at++) {
    const next = text[at + 1];
    if (text[at] === "\\" && next === "\n") {
      at++;
      continue;
    }
    if (text[at] === "\\" && next !== undefined && ("$`\\".includes(next) || double && next === '"')) at++;
    body += text[at];
  }
  if (at >= text.length) throw new ShellSyntaxError("unexpected EOF while looking for matching ``'", line, true);
  scanner.line += countLines(text.slice(scanner.at, at));
  scanner.at = at + 1;
  return { type: "CommandSubstitution", body: grammar.inner(body, line).parseAll() };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Finds `~` at the start, and in assignments after `=` and `:`. */
function parseTildes(parts: WordPart[], assignment: boolean): WordPart[] {
  if (!parts.some((part) => part.type === "Literal" && part.value.includes("~"))) return parts;
  const found: WordPart[] = [];
  parts.forEach((part, i) => {
    if (part.type !== "Literal") return void found.push(part);
    const pattern = assignment ? /(^|:)~([\w+.-]*)(?=[/:]|$)/g : /(^)~([\w+.-]*)(?=\/|$)/g;
    let from = 0;
    for (const match of part.value.matchAll(pattern)) {
      const [whole, before, user] = match;
      const end = match.index + whole.length;
      if (before === "" && i > 0) continue;
      if (end === part.value.length && i < parts.length - 1) continue;
      const start = match.index + before.length;
      if (start > from) found.push({ type: "Literal", value: part.value.slice(from, start) });
      found.push({ type: "Tilde", user } satisfies TildePart);
      from = end;
    }
    if (from < part.value.length) found.push({ type: "Literal", value: part.value.slice(from) });
  });
  return found;
}
