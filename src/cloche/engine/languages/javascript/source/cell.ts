/**
 * Rewrites a cell so that later cells can redeclare its top-level names: `let` and `const` become `var`, classes become
 * values of variables, imports become `await import()`, `import.meta` becomes a call. Lines stay; columns are mapped.
 */

import { applyEdits, type Edit, type Edited } from "./positions.ts";
import { endsValue, scanSource, type Token } from "./scanner.ts";

const META = `globalThis[Symbol.for("cloche")].meta()`;
const LEXICAL = new Set(["let", "const"]);

export function rewriteCell(source: string): Edited {
  const { tokens } = scanSource(source);
  const edits: Edit[] = [];
  tokens.forEach((token, index) => {
    if (isMeta(tokens, index)) edits.push({ start: token.start, end: tokens[index + 2].end, text: META });
    if (token.kind !== "word" || token.depth > 0 || !statement(tokens, index)) return;
    if (LEXICAL.has(token.text)) edits.push(...lexical(tokens, index));
    else if (token.text === "class") edits.push(...classDeclaration(tokens, index));
    else if (token.text === "import") edits.push(...importDeclaration(tokens, index));
    else if (token.text === "export") edits.push(...exportDeclaration(tokens, index));
  });
  return applyEdits(source, edits);
}

/** Whether a source can only be a module. */
export function isModule(source: string): boolean {
  if (!/(?:^|[;}])\s*(?:import|export)\b/m.test(source) && !source.includes("import.meta")) return false;
  const { tokens } = scanSource(source);
  return tokens.some((token, index) => {
    if (token.kind !== "word" || token.depth > 0 || !statement(tokens, index)) return false;
    if (token.text === "export") return tokens[index + 1]?.text !== "=";
    return token.text === "import" && tokens[index + 1]?.text !== "(" && tokens[index + 1]?.text !== ".";
  }) || tokens.some((_, index) => isMeta(tokens, index));
}

function isMeta(tokens: Token[], index: number): boolean {
  return tokens[index].text === "import" && tokens[index + 1]?.text === "." && tokens[index + 2]?.text === "meta";
}

/** Whether a statement begins with this token. */
function statement(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (!before || before.text === ";" || before.text === "}") return true;
  if (before.text === "default" && tokens[index - 2]?.text === "export") return false;
  return before.text === ")" || tokens[index].fresh && endsValue(before);
}

function replaced(token: Token, text: string): Edit {
  return { start: token.start, end: token.end, text };
}

function lexical(tokens: Token[], index: number): Edit[] {
  const [token, next] = [tokens[index], tokens[index + 1]];
  if (!next || next.kind !== "word" && next.text !== "[" && next.text !== "{") return [];
  if (next.text === "in" || next.text === "instanceof" || next.text === "of") return [];
  return [replaced(token, "var".padEnd(token.text.length))];
}

function classDeclaration(tokens: Token[], index: number): Edit[] {
  const [token, name] = [tokens[index], tokens[index + 1]];
  const body = tokens.findIndex((each, at) => at > index && each.text === "{" && each.depth === 0);
  const end = tokens.find((each, at) => at > body && each.text === "}" && each.depth === 0);
  if (name?.kind !== "word" || body < 0 || !end) return [];
  return [{ start: token.start, end: token.start, text: `var ${name.text}=` }, {
    start: end.end,
    end: end.end,
    text: ";",
  }];
}

/** `import a, {b as c} from "m"` becomes `var {default:a, b:c} =await import("m")`. */
function importDeclaration(tokens: Token[], index: number): Edit[] {
  const [token, next] = [tokens[index], tokens[index + 1]];
  if (!next || next.text === "(" || next.text === ".") return [];
  const source = tokens.findIndex((each, at) => at > index && each.kind === "string" && each.depth === 0);
  if (source < 0) return [];
  const close: Edit = { start: tokens[source].end, end: tokens[source].end, text: ")" };
  const tail = attributes(tokens, source);
  if (source === index + 1) return [replaced(token, "await import("), close, ...tail];
  const from = tokens[source - 1];
  const clause = tokens.slice(index + 1, source - 1);
  return [...clauseEdits(token, clause, tokens[source].text), replaced(from, "=await import("), close, ...tail];
}

function clauseEdits(token: Token, clause: Token[], source: string): Edit[] {
  const star = clause.find(({ text }) => text === "*");
  const brace = clause.find(({ text, depth }) => text === "{" && depth === 0);
  const comma = clause[1]?.text === "," ? clause[1] : undefined;
  const renamed = clause.filter(({ text, depth }) => text === "as" && depth > 0).map((each) => replaced(each, ":"));
  if (!comma) {
    if (brace) return [replaced(token, "var"), ...renamed];
    if (star) return [replaced(token, "var"), replaced(star, ""), replaced(clause[1], "")];
    const end = clause[0].end;
    return [replaced(token, "var {default:"), { start: end, end, text: "}" }];
  }
  if (brace) return [replaced(token, "var {default:"), replaced(brace, ""), ...renamed];
  const star2 = clause.slice(2).filter(({ text }) => text === "*" || text === "as").map((each) => replaced(each, ""));
  return [replaced(token, "var {default:"), replaced(comma, `}=await import(${source}),`), ...star2];
}

/** `with {type: "json"}` adds nothing to the file's name. */
function attributes(tokens: Token[], source: number): Edit[] {
  const [word, open] = [tokens[source + 1], tokens[source + 2]];
  if (word?.text !== "with" && word?.text !== "assert" || open?.text !== "{") return [];
  const close = tokens.find(({ text, depth }, at) => at > source + 2 && text === "}" && depth === 0);
  return close ? [word, ...tokens.slice(source + 2, tokens.indexOf(close) + 1)].map((each) => replaced(each, "")) : [];
}

function exportDeclaration(tokens: Token[], index: number): Edit[] {
  const [token, next, third] = [tokens[index], tokens[index + 1], tokens[index + 2]];
  if (!next) return [];
  const gone = replaced(token, " ".repeat(token.text.length));
  if (next.text === "default") {
    const named = (third?.text === "function" || third?.text === "class") && tokens[index + 3]?.kind === "word" &&
      tokens[index + 3].text !== "extends";
    if (!named) return [gone, replaced(next, "var $default=")];
    const rest = third.text === "class" ? classDeclaration(tokens, index + 2) : [];
    return [gone, replaced(next, " ".repeat(next.text.length)), ...rest];
  }
  if (next.text === "class") return [gone, ...classDeclaration(tokens, index + 1)];
  if (LEXICAL.has(next.text)) return [gone, ...lexical(tokens, index + 1)];
  if (next.text !== "{") return [gone];
  const close = tokens.findIndex(({ text, depth }, at) => at > index + 1 && text === "}" && depth === 0);
  return close < 0 ? [] : [gone, ...tokens.slice(index + 1, close + 1).map((each) => replaced(each, ""))];
}
