/** Converts ripgrep's regular expressions (Rust's) to JavaScript's. */
import { CommandError } from "../just_bash/command.ts";

/** How all of an expression is meant. */
interface Meaning {
  ignoreCase: boolean;
  fixed: boolean;
  word: boolean;
  line: boolean;
  /** Whether `.` matches a newline too. */
  dotAll: boolean;
  /** Whether `$` matches before a carriage return too. */
  crlf: boolean;
  /** Whether it may look around and back, as Perl's can. */
  perl: boolean;
}

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d";
const ESCAPES: Record<string, string> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: "\\s",
  S: "\\S",
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  n: "\\n",
  r: "\\r",
  t: "\\t",
  f: "\\f",
  v: "\\v",
  a: "\\x07",
};
const PLACES: Record<string, string> = {
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
};
const CLASSES: Record<string, string> = {
  alnum: "a-zA-Z0-9",
  alpha: "a-zA-Z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\s",
  upper: "A-Z",
  word: "\\w",
  xdigit: "0-9a-fA-F",
};
const SYNTAX = /[\\^$.*+?()[\]{}|\/]/g;
const IN_SET = /[\\^$.*+?()[\]{}|\/\-&!#%,:;<=>@`~]/g;

/** One expression for all patterns, for whole texts; it finds every match of any of them. */
export function compilePatterns(patterns: string[], meaning: Meaning): RegExp {
  const sources = patterns.map((pattern) =>
    meaning.fixed ? pattern.replace(SYNTAX, "\\$&") : new Translator(pattern, meaning).translate()
  );
  let source = sources.map((each) => `(?:${each})`).join("|");
  if (meaning.line) source = `(?<![^\\n])(?:${source})${endOfLine(meaning)}`;
  else if (meaning.word) source = `(?<![${WORD}])(?:${source})(?![${WORD}])`;
  try {
    return new RegExp(source, meaning.ignoreCase ? "gvid" : "gvd");
  } catch (error) {
    throw badPattern(
      patterns.join("|"),
      error instanceof Error ? error.message.replace(/^.*\/: /s, "") : String(error),
    );
  }
}

/** Whether a pattern has capital letters that it means literally. */
export function hasCapitals(pattern: string, fixed: boolean): boolean {
  const literal = fixed ? pattern : pattern.replace(/\\[pP]\{[^}]*\}|\\./gs, "");
  return /\p{Lu}/u.test(literal);
}

function badPattern(pattern: string, reason: string): CommandError {
  return new CommandError(`regex parse error:\n    ${pattern}\nerror: ${reason}`, 2);
}

function endOfLine({ crlf }: Meaning): string {
  return crlf ? "(?=\\r?(?![^\\n]))" : "(?![^\\n])";
}

/** A group that is open: what closes it, and what flags hold after it. */
interface Open {
  close: string;
  dotAll: boolean;
  verbose: boolean;
}

class Translator {
  #at = 0;
  #out = "";
  #dotAll: boolean;
  #verbose = false;
  readonly #open: Open[] = [];

  constructor(private readonly pattern: string, private readonly meaning: Meaning) {
    this.#dotAll = meaning.dotAll;
  }

  translate(): string {
    let close = "";
    while (this.#at < this.pattern.length) close = this.#step(close);
    if (this.#open.length > 0) throw badPattern(this.pattern, "unclosed group");
    return this.#out + close;
  }

  /** Takes one piece; `close` ends the groups that flags have opened in the group at hand. */
  #step(close: string): string {
    const char = this.#take();
    if (char === "(") return this.#enter(close);
    if (char === ")") return this.#leave(close);
    if (char === "|" && close !== "") {
      // A flag holds to the end of its group, on both sides of a bar.
      this.#out += "|";
    } else this.#out += this.#piece(char);
    return close;
  }

  #piece(char: string): string {
    if (char === "\\") return this.#escape(false);
    if (char === "[") return this.#set();
    if (char === ".") return this.#dotAll ? "[\\s\\S]" : "[^\\n]";
    if (char === "^") return "(?<![^\\n])";
    if (char === "$") return endOfLine(this.meaning);
    if (char === "{") return this.#counts();
    if (this.#verbose && /\s/.test(char)) return "";
    if (this.#verbose && char === "#") return this.#comment();
    if ("*+?|".includes(char)) return char;
    return char.replace(SYNTAX, "\\$&");
  }

  #comment(): string {
    while (this.#at < this.pattern.length && this.#take() !== "\n");
    return "";
  }

  #take(): string {
    const char = String.fromCodePoint(this.pattern.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    return char;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.pattern);
    if (found) this.#at += found[0].length;
    return found;
  }

  #counts(): string {
    const found = this.#match(/(\d*)(,?)(\d*)\}/y);
    if (!found || found[1] === "" && found[3] === "") {
      throw badPattern(this.pattern, "repetition operator missing expression");
    }
    return `{${found[1] || "0"}${found[2]}${found[3]}}`;
  }

  #enter(close: string): string {
    this.#open.push({ close, dotAll: this.#dotAll, verbose: this.#verbose });
    const named = this.#match(/\?P?<([A-Za-z_]\w*)>/y);
    if (named) this.#out += `(?<${named[1]}>`;
    else if (this.#match(/\?(?=[=!]|<[=!])/y)) this.#look();
    else if (this.#match(/\?/y)) return this.#flags();
    else this.#out += "(";
    return "";
  }

  #look(): void {
    if (!this.meaning.perl) {
      throw badPattern(this.pattern, "look-around, including look-ahead and look-behind, is not supported");
    }
    this.#out += `(?${this.#match(/<?[=!]/y)?.[0]}`;
  }

  /** `(?i)` for the rest of the group, or `(?i:...)`. */
  #flags(): string {
    const found = this.#match(/([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/y);
    if (!found) throw badPattern(this.pattern, "unrecognized flag");
    const [, on, off = "", end] = found;
    if (/[^imsuUxR]/.test(on + off)) throw badPattern(this.pattern, "unrecognized flag");
    if (end === ")") {
      // The group is only for its flags: what was open before it continues.
      const { close } = this.#open.pop() ?? { close: "" };
      this.#set_flags(on, off);
      const modifier = modifierOf(on, off);
      this.#out += modifier === "" ? "" : `(?${modifier}:`;
      return modifier === "" ? close : close + ")";
    }
    this.#set_flags(on, off);
    this.#out += `(?${modifierOf(on, off)}:`;
    return "";
  }

  #set_flags(on: string, off: string): void {
    if (on.includes("s")) this.#dotAll = true;
    if (off.includes("s")) this.#dotAll = false;
    if (on.includes("x")) this.#verbose = true;
    if (off.includes("x")) this.#verbose = false;
  }

  #leave(close: string): string {
    const open = this.#open.pop();
    if (!open) throw badPattern(this.pattern, "unopened group");
    this.#out += `${close})`;
    this.#dotAll = open.dotAll;
    this.#verbose = open.verbose;
    return open.close;
  }

  #escape(inSet: boolean): string {
    if (this.#at >= this.pattern.length) throw badPattern(this.pattern, "incomplete escape sequence");
    const code = this.#match(
      /x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})/y,
    );
    if (code) return `\\u{${code.slice(1).find((each) => each !== undefined)}}`;
    const property = this.#match(/([pP])(?:\{([^}]*)\}|(\p{L}))/uy);
    if (property) return propertyOf(property[1], property[2] ?? property[3]);
    const char = this.#take();
    if (inSet && char === "b") return "\\x08";
    if (!inSet && PLACES[char]) return PLACES[char];
    if (ESCAPES[char]) return ESCAPES[char];
    if (/\d/.test(char) && !inSet) {
      if (this.meaning.perl) return `\\${char}`;
      throw badPattern(this.pattern, "backreferences are not supported");
    }
    if (/[a-zA-Z0-9]/.test(char)) throw badPattern(this.pattern, "unrecognized escape sequence");
    return char.replace(inSet ? IN_SET : SYNTAX, "\\$&");
  }

  #set(): string {
    let out = this.#match(/\^/y) ? "[^" : "[";
    if (this.#match(/\]/y)) out += "\\]";
    while (true) {
      if (this.#at >= this.pattern.length) throw badPattern(this.pattern, "unclosed character class");
      const named = this.#match(/\[:(\^?)(\w+):\]/y);
      if (named) {
        out += `[${named[1]}${CLASSES[named[2]] ?? ""}]`;
        continue;
      }
      const operator = this.#match(/&&|--/y);
      if (operator) {
        out += operator[0];
        continue;
      }
      const char = this.#take();
      if (char === "]") return `${out}]`;
      if (char === "[") out += this.#set();
      else if (char === "\\") out += this.#escape(true);
      else if (char === "-" && !/\[\^?$/.test(out) && this.pattern[this.#at] !== "]") out += "-";
      else out += char.replace(IN_SET, "\\$&");
    }
  }
}

function modifierOf(on: string, off: string): string {
  return (on.includes("i") ? "i" : "") + (off.includes("i") ? "-i" : "");
}

function propertyOf(letter: string, name: string): string {
  const negated = name.startsWith("^");
  const plain = name.replace(/^\^/, "");
  const known = /^(Greek|Latin|Cyrillic|Han|Hiragana|Katakana|Arabic|Hebrew|Thai)$/.test(plain);
  const kind = negated ? (letter === "p" ? "P" : "p") : letter;
  return `\\${kind}{${known ? `Script=${plain}` : plain}}`;
}
