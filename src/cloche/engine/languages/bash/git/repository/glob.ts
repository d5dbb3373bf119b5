/** Patterns of file names as git has them, in .gitignore and on the command line. */

const LONGEST = 4096;
const NEVER = /(?!)/;

/**
 * Turns a pattern into an expression for whole paths. `*` stops at a slash unless `free`; `**` between slashes stands
 * for any folders.
 */
export function globToRegExp(pattern: string, free = false): RegExp {
  if (pattern.length > LONGEST) return NEVER;
  let out = "";
  for (let at = 0; at < pattern.length;) {
    const [piece, used] = translate(pattern, at, free);
    out += piece;
    at += used;
  }
  try {
    return new RegExp(`^${out}$`, "su");
  } catch {
    return NEVER;
  }
}

function translate(pattern: string, at: number, free: boolean): [piece: string, used: number] {
  const char = pattern[at];
  const rest = pattern.slice(at);
  if (free && char === "*") return [".*", rest.match(/^\*+/)?.[0].length ?? 1];
  if (at === 0 && rest.startsWith("**/")) return ["(?:.*/)?", 3];
  if (rest.startsWith("/**/")) return ["/(?:.*/)?", 4];
  if (rest === "/**") return ["/.+", 3];
  if (char === "*") return ["[^/]*", rest.match(/^\*+/)?.[0].length ?? 1];
  if (char === "?") return [free ? "." : "[^/]", 1];
  if (char === "[") return translateSet(rest);
  if (char === "\\" && rest.length > 1) return [literal(rest[1]), 2];
  const whole = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  return [literal(whole), whole.length];
}

function literal(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}

const CLASSES: Record<string, string> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  digit: "0-9",
  lower: "a-z",
  upper: "A-Z",
  space: "\\s",
  xdigit: "0-9a-fA-F",
  punct: "!-\\/:-@\\[-`\\{-~",
};

function translateSet(rest: string): [piece: string, used: number] {
  const match = rest.match(/^\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]/su);
  if (!match) return ["\\[", 1];
  const body = match[2].replace(/\[:(\w+):\]|\\(.)|([\][^$.*+?(){}|/\\&])/gsu, (_, name, escaped, special) => {
    if (name !== undefined) return CLASSES[name] ?? "";
    return escaped === undefined ? `\\${special}` : /[\w\s]/.test(escaped) ? escaped : `\\${escaped}`;
  });
  return [`(?!/)[${match[1] ? "^" : ""}${body}]`, match[0].length];
}

/** Whether a pathspec uses wildcards. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}
