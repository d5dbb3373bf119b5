/** POSIX extended regular expressions, for `=~`. */
const CLASSES: Record<string, string> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

/** Compiles one; throws a SyntaxError if it is none. */
export function compileRegex(source: string, nocase: boolean): RegExp {
  let out = "";
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === "\\" && at + 1 < source.length) {
      const next = source[++at];
      out += /[wWsSbB<>]/.test(next) ? next === "<" || next === ">" ? "\\b" : `\\${next}` : /[\w]/.test(next) ? next : `\\${next}`;
    } else if (char === "[") {
      const end = endOfSet(source, at);
      if (end < 0) throw new SyntaxError("unmatched [");
      out += setOf(source.slice(at + 1, end));
      at = end;
    } else out += char;
  }
  return new RegExp(out, nocase ? "si" : "s");
}

function endOfSet(source: string, start: number): number {
  let at = start + 1;
  if (source[at] === "^") at++;
  if (source[at] === "]") at++;
  for (; at < source.length; at++) {
    if (source[at] === "[" && /[:.=]/.test(source[at + 1] ?? "")) {
      const end = source.indexOf(`${source[at + 1]}]`, at + 2);
      if (end > 0) at = end + 1;
    } else if (source[at] === "]") return at;
  }
  return -1;
}

function setOf(text: string): string {
  const negated = text.startsWith("^");
  const items = (negated ? text.slice(1) : text)
    .replace(/\[:(\w+):\]|([\\\]\[])/g, (all, name?: string) => name === undefined ? `\\${all}` : CLASSES[name] ?? "");
  return `[${negated ? "^" : ""}${items}]`;
}
