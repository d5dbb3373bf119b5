/** Regular expressions of grep, sed and expr as JavaScript's. */
import { CommandError } from "./command.ts";

export type Syntax = "basic" | "extended" | "fixed" | "perl";

const CLASSES: Record<string, string> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~",
  print: "\\x20-\\x7e\\u00a0-\\u{10ffff}",
  graph: "\\x21-\\x7e\\u00a1-\\u{10ffff}",
  cntrl: "\\x00-\\x1f\\x7f",
  xdigit: "0-9A-Fa-f",
};

const WORD = "[\\p{L}\\p{N}_]";
const ESCAPES: Record<string, string> = {
  w: WORD,
  W: "[^\\p{L}\\p{N}_]",
  s: "\\s",
  S: "\\S",
  b: "\\b",
  B: "\\B",
  "<": "\\b(?=\\w)",
  ">": "\\b(?<=\\w)",
  "`": "(?<![\\s\\S])",
  "'": "(?![\\s\\S])",
};

/** The source of a JavaScript expression that matches what the pattern does. */
export function translateRegex(pattern: string, syntax: Syntax): string {
  if (syntax === "fixed") return escapeLiteral(pattern);
  if (syntax === "perl") {
    return pattern.replace(/\\A/g, "^").replace(/\\[zZ]/g, "$").replace(/\\h/g, "[ \\t]").replace(/([*+?}])\+/g, "$1");
  }
  return new Translation(pattern, syntax === "extended").run();
}

/** A JavaScript expression for a pattern; throws a CommandError if it is not one. */
export function compileRegex(pattern: string, syntax: Syntax, flags: string): RegExp {
  let source = translateRegex(pattern, syntax);
  const inline = syntax === "perl" ? source.match(/^\(\?([ims]+)\)/) : null;
  if (inline) source = source.slice(inline[0].length);
  const all = [...new Set(flags + (inline?.[1] ?? ""))].join("");
  try {
    return new RegExp(source, all + "u");
  } catch {
    // Perl's syntax allows escapes that the strict mode does not.
  }
  try {
    return new RegExp(source, all);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), 2);
  }
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

class Translation {
  #at = 0;
  #out = "";
  /** Whether a repetition here would have something to repeat. */
  #atom = false;
  #depth = 0;

  constructor(private readonly text: string, private readonly extended: boolean) {}

  run(): string {
    while (this.#at < this.text.length) this.#step();
    if (this.#depth > 0) throw new CommandError("Unmatched ( or \\(", 2);
    return this.#out;
  }

  #step(): void {
    const char = this.text[this.#at++];
    if (char === "\\") return this.#escape();
    if (char === "[") return this.#add(this.#bracket());
    if (char === ".") return this.#add(".");
    if (char === "*") return this.#atom ? this.#repeat("*") : this.#add("\\*");
    if (char === "^") return this.#startsHere() ? this.#anchor("^") : this.#add("\\^");
    if (char === "$") return this.#endsHere() ? this.#anchor("$") : this.#add("\\$");
    if (this.extended && "(){|+?".includes(char)) return this.#special(char);
    const code = this.text.codePointAt(this.#at - 1) ?? 0;
    if (code > 0xffff) this.#at++;
    this.#add(escapeLiteral(String.fromCodePoint(code)));
  }

  #special(char: string): void {
    switch (char) {
      case "(":
        this.#depth++;
        this.#out += "(";
        this.#atom = false;
        return;
      case ")":
        if (this.#depth === 0) return this.#add("\\)");
        this.#depth--;
        return this.#add(")");
      case "|":
        this.#out += "|";
        this.#atom = false;
        return;
      case "{":
        return this.#interval();
      default:
        return this.#atom ? this.#repeat(char) : this.#add(`\\${char}`);
    }
  }

  #escape(): void {
    const char = this.text[this.#at++];
    if (char === undefined) throw new CommandError("Trailing backslash", 2);
    if (!this.extended && "(){|+?".includes(char)) return this.#special(char);
    if (/[1-9]/.test(char)) return this.#add(`\\${char}(?:)`);
    this.#add(ESCAPES[char] ?? (char === "n" ? "\\n" : char === "t" ? "\\t" : escapeLiteral(char)));
  }

  #interval(): void {
    const close = this.extended ? "}" : "\\}";
    const match = this.text.slice(this.#at).match(this.extended ? /^(\d*)(,?)(\d*)\}/ : /^(\d*)(,?)(\d*)\\\}/);
    if (!match || match[0] === close || !this.#atom) {
      if (!this.extended && !match) throw new CommandError("Unmatched \\{", 2);
      return this.#add("\\{");
    }
    this.#at += match[0].length;
    this.#repeat(`{${match[1] || "0"}${match[2]}${match[3]}}`);
  }

  #repeat(mark: string): void {
    // A second repetition repeats the first as a whole.
    if (/[*+?}]$/.test(this.#out) && this.#repeated) this.#out = `(?:${this.#out})`;
    this.#out += mark;
    this.#repeated = true;
  }

  #repeated = false;

  #add(source: string): void {
    this.#out += source;
    this.#atom = true;
    this.#repeated = false;
  }

  #anchor(source: string): void {
    this.#out += source;
    this.#atom = false;
    this.#repeated = false;
  }

  #startsHere(): boolean {
    const before = this.text.slice(0, this.#at - 1);
    return this.extended || before === "" || /\\[(|]$/.test(before);
  }

  #endsHere(): boolean {
    const after = this.text.slice(this.#at);
    return this.extended || after === "" || /^\\[)|]/.test(after);
  }

  #bracket(): string {
    let set = "";
    const negated = this.text[this.#at] === "^";
    if (negated) this.#at++;
    for (let first = true;; first = false) {
      const rest = this.text.slice(this.#at);
      if (rest === "") throw new CommandError("Unmatched [, [^, [:, [., or [=", 2);
      const named = rest.match(/^\[:(\w+):\]/);
      if (named) {
        const known = CLASSES[named[1]];
        if (known === undefined) throw new CommandError("Invalid character class name", 2);
        set += known;
        this.#at += named[0].length;
        continue;
      }
      if (rest[0] === "]" && !first) break;
      const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      this.#at += char.length;
      const isRange = char === "-" && !first && this.text[this.#at] !== "]" && set !== "";
      set += isRange ? "-" : char.replace(/[\\\]^[\-&~!#$%*+,.:;<=>?@`{|}()/]/, "\\$&");
    }
    this.#at++;
    return `[${negated ? "^" : ""}${clean(set)}]`;
  }
}

/** In strict mode only syntax characters may be escaped; `-` may be inside a class. */
function clean(set: string): string {
  return set.replace(/\\([&~!#%,:;<=>@`])/g, "$1");
}
