/** Removes imports of names that are not used: they are types, which have been stripped already. */

import { applyEdits } from "../javascript/source/positions.ts";
import { scanSource, type Token } from "../javascript/source/scanner.ts";

/** Names are replaced by spaces, so that every place stays. */
export function elideImports(code: string): string {
  if (!/\bimport\b/.test(code)) return code;
  const { tokens } = scanSource(code);
  const gone = tokens.flatMap((token, index) =>
    token.text === "import" && token.depth === 0 && tokens[index - 1]?.text !== "." ? elided(tokens, index) : []
  );
  return applyEdits(code, gone.map(({ start, end, text }) => ({ start, end, text: " ".repeat(text.length) }))).code;
}

/** The tokens of a declaration that are removed. */
function elided(tokens: Token[], index: number): Token[] {
  const source = tokens.findIndex(({ kind, depth }, at) => at > index && kind === "string" && depth === 0);
  const clause = tokens.slice(index + 1, source - 1);
  if (source < 0 || tokens[source - 1]?.text !== "from" || clause.length === 0) return [];
  const names = bindings(clause);
  const unused = names.filter(({ local }) => !isUsed(tokens, local, index, source));
  if (names.length === 0 || unused.length < names.length) return unused.flatMap(({ parts }) => parts);
  const end = tokens[source + 1]?.text === ";" ? source + 1 : source;
  return tokens.slice(index, end + 1);
}

interface Binding {
  local: string;
  /** Its replacement, with the comma after it; nothing for a lone import. */
  parts: Token[];
}

function bindings(clause: Token[]): Binding[] {
  const found: Binding[] = [];
  for (let at = 0; at < clause.length; at++) {
    const token = clause[at];
    if (token.depth === 0 && token.kind === "word" && token.text !== "as") found.push({ local: token.text, parts: [] });
    if (token.depth === 0 || token.kind !== "word" && token.kind !== "string") continue;
    const renamed = clause[at + 1]?.text === "as";
    const end = renamed ? at + 2 : at;
    const comma = clause[end + 1]?.text === "," ? 1 : 0;
    found.push({ local: clause[end].text, parts: clause.slice(at, end + 1 + comma) });
    at = end;
  }
  return found;
}

function isUsed(tokens: Token[], name: string, from: number, to: number): boolean {
  return tokens.some(({ kind, text }, at) =>
    kind === "word" && text === name && (at < from || at > to) && tokens[at - 1]?.text !== "." &&
    tokens[at - 1]?.text !== "?."
  );
}
