/** The words of bc's language. */

export interface Token {
  kind: "line" | "number" | "name" | "keyword" | "string" | "mark" | "end";
  text: string;
  /** The line that it is on. */
  line: number;
}

export interface Tokens {
  list: Token[];
  /** Characters that mean nothing, and where they were. */
  illegal: { character: string; line: number }[];
  /** What the text ends within. */
  open: "comment" | "string" | "continued" | undefined;
}

const KEYWORDS = new Set(
  "auto break continue define else for halt ibase if last length limits obase print quit random read return scale sqrt void warranty while"
    .split(" "),
);
const PLAIN: [kind: Token["kind"] | undefined, pattern: RegExp][] = [
  [undefined, /[ \t\r\f\v]+|\\\n|#[^\n]*|\/\*[^]*?\*\//y],
  ["line", /\n/y],
  // Long numbers are printed, and read again, in several lines.
  ["number", /(?:[0-9A-Z](?:\\\n)?)+(?:\.(?:\\\n)?(?:[0-9A-Z](?:\\\n)?)*)?|\.(?:\\\n)?(?:[0-9A-Z](?:\\\n)?)+/y],
  ["name", /[a-z][a-z0-9_]*/y],
  ["string", /"[^"]*"/y],
  ["mark", /\+\+|--|[-+*\/%^]=|==|<=|>=|!=|&&|\|\||[-+*\/%^=<>!(){}[\],;.]/y],
];

/** The words of a text whose first line has this number. */
export function readTokens(text: string, line: number): Tokens {
  const found: Tokens = { list: [], illegal: [], open: undefined };
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("/*", at) && !text.includes("*/", at + 2)) return { ...found, open: "comment" };
    const [kind, word] = matchAt(text, at) ?? [];
    if (word === undefined) {
      if (text[at] === '"') return { ...found, open: "string" };
      if (text[at] === "\\" && at === text.length - 1) return { ...found, open: "continued" };
      found.illegal.push({ character: text[at++], line });
      continue;
    }
    at += word.length;
    // An error at the end of a line is said to be on the next.
    const next = line + word.split("\n").length - 1;
    if (kind !== undefined) found.list.push({ ...spell(kind, word), line: next });
    line = next;
  }
  found.list.push({ kind: "end", text: "", line });
  return found;
}

function matchAt(text: string, at: number): [Token["kind"] | undefined, string] | undefined {
  for (const [kind, pattern] of PLAIN) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return [kind, match[0]];
  }
}

function spell(kind: Token["kind"], word: string): Omit<Token, "line"> {
  if (kind === "string") return { kind, text: word.slice(1, -1) };
  if (kind === "number") return { kind, text: word.replaceAll("\\\n", "") };
  return { kind: kind === "name" && KEYWORDS.has(word) ? "keyword" : kind, text: word };
}
