/** Expressions of Perl, as grep -P has them, as JavaScript's. */
import { type Matcher, NativeMatcher, wrapWord } from "./regex.ts";
import { CLASSES, RegexError } from "./syntax.ts";

const SIMPLE: Record<string, string> = {
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  Z: "(?=\\n?(?![\\s\\S]))",
  h: "[ \\t\\u00a0]",
  H: "[^ \\t\\u00a0]",
  R: "(?:\\r\\n|[\\n-\\r\\u0085\\u2028\\u2029])",
  N: "[^\\n]",
  a: "\\x07",
  e: "\\x1b",
};

export interface PerlOptions {
  ignoreCase: boolean;
  whole?: "line" | "word";
}

export function compilePerl(source: string, { ignoreCase, whole }: PerlOptions): Matcher {
  let flags = ignoreCase ? "i" : "";
  let text = source;
  for (let inline = /^\(\?([imsx]+)\)/.exec(text); inline; inline = /^\(\?([imsx]+)\)/.exec(text)) {
    if (inline[1].includes("x")) throw new RegexError("(?x) is not supported");
    flags += inline[1];
    text = text.slice(inline[0].length);
  }
  const translated = translatePerl(text);
  const wrapped = whole === "line" ? `^(?:${translated})$` : whole === "word" ? wrapWord(translated) : translated;
  const unique = [...new Set(flags)].join("");
  const groups = (text.match(/\((?!\?)|\(\?P?<(?![=!])/g) ?? []).length;
  try {
    return new NativeMatcher(wrapped, `${unique}u`, groups);
  } catch {
    // What the strict mode refuses, the other may allow.
  }
  try {
    return new NativeMatcher(wrapped, unique, groups);
  } catch (error) {
    throw new RegexError(error instanceof Error ? error.message : String(error));
  }
}

function translatePerl(text: string): string {
  let out = "";
  let inSet = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    const rest = text.slice(at);
    if (char === "\\") {
      const next = text[++at];
      if (next === undefined) throw new RegexError("\\ at end of pattern");
      if (next === "Q") {
        const end = text.indexOf("\\E", at);
        out += quote(text.slice(at + 1, end < 0 ? undefined : end));
        at = end < 0 ? text.length : end + 1;
      } else if (next === "K" && !inSet) out = `(?<kept__>${out})`;
      else if (next === "x" && text[at + 1] === "{") {
        const end = text.indexOf("}", at);
        out += `\\u${text.slice(at + 1, end + 1)}`;
        at = end;
      } else if (next === "E") continue;
      else if (inSet && next === "h") out += " \\t";
      else if (!inSet && next in SIMPLE) out += SIMPLE[next];
      else out += /[\w\\^$.*+?()[\]{}|/-]/.test(next) && (next !== "-" || inSet) && next !== "_" ? `\\${next}` : next;
      continue;
    }
    if (inSet) {
      const named = /^\[:(\^?)(\w+):\]/.exec(rest);
      if (named && CLASSES[named[2]] !== undefined) {
        out += CLASSES[named[2]];
        at += named[0].length - 1;
        continue;
      }
      if (char === "]" && !/\[\^?$/.test(out)) inSet = false;
      out += char === "[" || char === "]" && inSet ? `\\${char}` : char;
      continue;
    }
    if (char === "[") inSet = true;
    if (rest.startsWith("(?P<")) {
      out += "(?<";
      at += 3;
    } else if (rest.startsWith("(?#")) at += rest.indexOf(")");
    else if (rest.startsWith("(?>")) {
      // Nothing is tried again within: as a look ahead that is then taken whole.
      throw new RegexError("atomic groups are not supported");
    } else if (char === "+" && /[*+?}]$/.test(out) && !/\\[*+?}]$/.test(out)) {
      throw new RegexError("possessive quantifiers are not supported");
    } else if (char === "{" && !/^\{\d+(,\d*)?\}/.test(rest) || char === "}" && !/\{\d+(,\d*)?$/.test(out)) {
      out += `\\${char}`;
    } else out += char;
  }
  return out;
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
