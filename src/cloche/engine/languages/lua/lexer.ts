/** Splits Lua into tokens, as far as that is needed before a cell is compiled. */

export interface Token {
  kind: "name" | "number" | "string" | "symbol";
  text: string;
  at: number;
  line: number;
  /** How many blocks and brackets are open before it. */
  depth: number;
  /** Whether a line or a statement could begin with it. */
  first: boolean;
}

const PATTERNS: [Token["kind"] | "blank", RegExp][] = [
  ["blank", /\s+/y],
  ["blank", /--\[(=*)\[[^]*?(?:\]\1\]|$)/y],
  ["blank", /--[^\n]*/y],
  ["string", /\[(=*)\[[^]*?(?:\]\1\]|$)/y],
  ["string", /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?/y],
  ["name", /[A-Za-z_]\w*/y],
  ["number", /0[xX][\da-fA-F.]*(?:[pP][+-]?\d+)?|\.?\d[\d.]*(?:[eE][+-]?\d+)?/y],
  ["symbol", /\.\.\.|\.\.|::|[=~<>]=|\/\/|<<|>>|[^]/y],
];
const OPENS = new Set(["function", "do", "if", "repeat", "(", "{", "["]);
const CLOSES = new Set(["end", "until", ")", "}", "]"]);

/** Never fails: anything that is not Lua is cut into single characters. */
export function readTokens(code: string): Token[] {
  const tokens: Token[] = [];
  let [at, line, depth, first] = [0, 1, 0, true];
  while (at < code.length) {
    const { kind, text } = match(code, at);
    if (kind === "blank") first ||= text.includes("\n");
    else {
      const word = kind === "name" || kind === "symbol";
      if (word && CLOSES.has(text)) depth--;
      tokens.push({ kind, text, at, line, depth, first });
      if (word && OPENS.has(text)) depth++;
      first = text === ";";
    }
    line += text.split("\n").length - 1;
    at += text.length;
  }
  return tokens;
}

function match(code: string, at: number): { kind: Token["kind"] | "blank"; text: string } {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const found = pattern.exec(code);
    if (found) return { kind, text: found[0] };
  }
  return { kind: "symbol", text: code[at] };
}

/** The names that a piece of code makes with `local` outside of all blocks. */
export function localNames(tokens: Token[]): string[] {
  return tokens.flatMap(({ text, depth }, index) => {
    if (text !== "local" || depth !== 0) return [];
    const start = tokens[index + 1]?.text === "function" ? index + 2 : index + 1;
    return listedNames(tokens, start);
  });
}

function listedNames(tokens: Token[], start: number): string[] {
  const names = [];
  for (let index = start; tokens[index]?.kind === "name"; index++) {
    names.push(tokens[index].text);
    if (tokens[index + 1]?.text === "<") index += 3;
    if (tokens[++index]?.text !== ",") break;
  }
  return names;
}
