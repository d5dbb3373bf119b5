/** Splits Perl into tokens, as far as that is possible without running it. */

export interface Token {
  kind: "word" | "variable" | "number" | "quote" | "sign";
  text: string;
  start: number;
  /** The index of the token of the bracket around it; -1 if there is none. */
  parent: number;
}

/** A bracket or a quote that is never closed. */
interface Unclosed {
  sign: string;
  at: number;
}

export interface Tokens {
  tokens: Token[];
  unclosed: Unclosed | null;
  /** A bracket that closes nothing. */
  stray: Unclosed | null;
  /** The text after `__DATA__` or `__END__`. */
  data: string;
}

const PAIRS: Record<string, string> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "<": ">",
};
const SIGNS =
  /(?:->|=>|<=>|==|=~|!~|!=|<=|>=|&&=?|\|\|=?|\/\/=?|\.{2,3}|\*\*=?|\+\+|--|<<=?|>>=?|::|[-+*\/.%&|^x]=(?![=~]))/y;
const VARIABLE = /(?:\$#?|[@%&])\$*(?:(?:::|')?[A-Za-z_]\w*(?:(?:::|')\w+)*(?:::)?|\^\w|\d+)/y;
const SPECIAL = /\$[&`'+!@\/\\,;.:<>()\[\]|"\-^~=%?0-9$]|@[-+_](?!\w)|%[-+!]/y;
const WORD = /[A-Za-z_]\w*(?:(?:::|')[A-Za-z_]\w*)*(?:::)?/y;
const NUMBER = /0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.(?!\.)[\d_]*)?(?:[eE][-+]?\d+)?|\.\d[\d_]*/y;
const HEREDOC = /<<(~?)(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))/y;
const ANGLES = /<[^\s<>=;][^<>\n;]*>|<>|<<>>/y;
const QUOTES: Record<string, number> = {
  q: 1,
  qq: 1,
  qw: 1,
  qx: 1,
  m: 1,
  qr: 1,
  s: 2,
  tr: 2,
  y: 2,
};
/** Words after which an expression starts, so that a slash is not a division. */
const BEFORE_OPERAND = new Set(
  ("and or not xor x lt gt le ge eq ne cmp isa if elsif else unless while until for foreach return print printf say push " +
    "unshift split grep map join when die warn defined ref scalar lc uc do eval unlink sort reverse keys values")
    .split(
      " ",
    ),
);

export function tokenizePerl(source: string): Tokens {
  return new Tokenizer(source).run();
}

class Tokenizer {
  readonly #tokens: Token[] = [];
  readonly #open: number[] = [];
  readonly #heredocs: { tag: string; indented: boolean; at: number }[] = [];
  #at = 0;
  /** Whether a value is expected here, not an operator. */
  #operand = true;
  #unclosed: Unclosed | null = null;
  #stray: Unclosed | null = null;
  #data = "";

  constructor(private readonly source: string) {}

  run(): Tokens {
    while (this.#at < this.source.length) this.#next();
    const [last] = this.#open.slice(-1);
    if (this.#heredocs.length > 0) {
      this.#unclosed ??= {
        sign: `<<${this.#heredocs[0].tag}`,
        at: this.#heredocs[0].at,
      };
    }
    if (last !== undefined) {
      this.#unclosed ??= {
        sign: this.#tokens[last].text,
        at: this.#tokens[last].start,
      };
    }
    return {
      tokens: this.#tokens,
      unclosed: this.#unclosed,
      stray: this.#stray,
      data: this.#data,
    };
  }

  #next(): void {
    const char = this.source[this.#at];
    if (char === "\n") return this.#newLine();
    if (/\s/.test(char)) return void this.#at++;
    if (this.#at === 0 && this.#pod()) return;
    if (char === "#") return this.#passTo(this.source.indexOf("\n", this.#at));
    if (char === "'" || char === '"' || char === "`") {
      return this.#quote(this.#at, this.#at, 1);
    }
    if (this.#variable() || this.#word() || this.#number()) return;
    if (char === "<" && this.#operand && this.#angle()) return;
    if (char === "/" && this.#operand) {
      return this.#quote(this.#at, this.#at, 1);
    }
    this.#sign(char);
  }

  #newLine(): void {
    this.#at++;
    while (this.#heredocs.length > 0) {
      const { tag, indented } = this.#heredocs[0];
      const end = new RegExp(
        `^${indented ? "[ \\t]*" : ""}${tag.replace(/\W/g, "\\$&")}$`,
        "m",
      );
      const found = end.exec(this.source.slice(this.#at));
      if (!found) return void (this.#at = this.source.length);
      this.#at += found.index + found[0].length;
      this.#heredocs.shift();
    }
    this.#pod();
  }

  /** Documentation, from a line that begins with `=word` to one with `=cut`. */
  #pod(): boolean {
    if (!/^=[a-zA-Z]/.test(this.source.slice(this.#at, this.#at + 2))) {
      return false;
    }
    const cut = /^=cut\b.*$/m.exec(this.source.slice(this.#at));
    this.#passTo(cut ? this.#at + cut.index + cut[0].length : -1);
    return true;
  }

  #passTo(at: number): void {
    this.#at = at < 0 ? this.source.length : at;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.source);
  }

  #push(kind: Token["kind"], text: string, operand: boolean): void {
    this.#tokens.push({
      kind,
      text,
      start: this.#at,
      parent: this.#open.at(-1) ?? -1,
    });
    this.#at += text.length;
    this.#operand = operand;
  }

  #variable(): boolean {
    const char = this.source[this.#at];
    if (
      char !== "$" && char !== "@" &&
      !((char === "%" || char === "&") && this.#operand)
    ) return false;
    const found = this.#match(VARIABLE) ?? this.#match(SPECIAL);
    if (found) this.#push("variable", found[0], false);
    // Something in braces follows.
    else {this.#push(
        "sign",
        char === "$" && this.source[this.#at + 1] === "#" ? "$#" : char,
        true,
      );}
    return true;
  }

  #number(): boolean {
    const found = this.#match(NUMBER);
    if (found) this.#push("number", found[0], false);
    return found !== null;
  }

  #word(): boolean {
    const found = this.#match(WORD);
    if (!found) return false;
    const [word] = found;
    const after = this.source.slice(this.#at + word.length);
    const previous = this.#tokens.at(-1);
    const before = previous?.text;
    if (
      before === "-" && word.length === 1 && previous?.start === this.#at - 1
    ) {
      // A file test: -s, -y...
      this.#push("word", word, true);
    } else if (
      before === "->" || /^\s*=>/.test(after) ||
      before === "{" && /^\s*}/.test(after)
    ) {
      // A name, whatever it looks like.
      this.#push("quote", word, false);
    } else if (word === "__END__" || word === "__DATA__") {
      this.#data = after.replace(/^[^\n]*\n?/, "");
      this.#at = this.source.length;
    } else if (
      Object.hasOwn(QUOTES, word) && before !== "sub" &&
      this.#delimited(word, after)
    ) {
      return true;
    } else {this.#push(
        "word",
        word,
        BEFORE_OPERAND.has(word) || /^\s*[-$@%"'\\{(]/.test(after),
      );}
    return true;
  }

  #delimited(word: string, after: string): boolean {
    const [space] = /^\s*/.exec(after) ?? [""];
    const delimiter = after[space.length];
    if (delimiter === undefined || /[\w\s,;)]/.test(delimiter)) return false;
    if (
      delimiter === "#" && space !== "" || delimiter === "=" && space !== ""
    ) return false;
    this.#quote(this.#at, this.#at + word.length + space.length, QUOTES[word]);
    return true;
  }

  /** A quote from `start`, whose first delimiter is at `at`, with this many parts. */
  #quote(start: number, at: number, parts: number): void {
    let end = this.#closing(at);
    if (parts === 2 && end >= 0) {
      const paired = Object.hasOwn(PAIRS, this.source[at]);
      end = this.#closing(
        paired ? end + 1 + (/^\s*/.exec(this.source.slice(end + 1))?.[0].length ?? 0) : end,
      );
    }
    if (end < 0) {
      this.#unclosed = { sign: this.source[at], at: start };
      return void (this.#at = this.source.length);
    }
    const flags = /^[a-z]*/.exec(
      start === at && this.source[at] !== "/" ? "" : this.source.slice(end + 1),
    )?.[0] ?? "";
    const text = this.source.slice(start, end + 1 + flags.length);
    this.#push("quote", text, false);
  }

  #closing(at: number): number {
    const open = this.source[at];
    const close = PAIRS[open] ?? open;
    for (let depth = 1, next = at + 1; next < this.source.length; next++) {
      const char = this.source[next];
      if (char === "\\") next++;
      else if (char === close) depth--;
      else if (char === open) depth++;
      if (depth === 0) return next;
    }
    return -1;
  }

  /** A heredoc, or reading from a file. */
  #angle(): boolean {
    const heredoc = this.#match(HEREDOC);
    if (heredoc) {
      const [text, tilde, double, single, bare] = heredoc;
      this.#heredocs.push({
        tag: double ?? single ?? bare,
        indented: tilde !== "",
        at: this.#at,
      });
      this.#push("quote", text, false);
      return true;
    }
    const found = this.#match(ANGLES);
    if (found) this.#push("quote", found[0], false);
    return found !== null;
  }

  #sign(char: string): void {
    if (Object.hasOwn(PAIRS, char) && char !== "<") {
      this.#push("sign", char, true);
      this.#open.push(this.#tokens.length - 1);
      return;
    }
    if (char === ")" || char === "]" || char === "}") return this.#close(char);
    const text = this.#match(SIGNS)?.[0] ?? char;
    this.#push(
      "sign",
      text,
      text === "++" || text === "--" ? this.#operand : true,
    );
  }

  #close(char: string): void {
    const open = this.#open.pop();
    if (open === undefined || PAIRS[this.#tokens[open].text] !== char) {
      this.#stray ??= { sign: char, at: this.#at };
    }
    const subscript = char !== "}" ||
      open !== undefined && this.#isSubscript(open);
    this.#push("sign", char, !subscript);
  }

  /** Whether this brace encloses the key of a hash or a dereference, not a block. */
  #isSubscript(open: number): boolean {
    const before = this.#tokens[open - 1];
    if (!before) return false;
    if (
      before.kind === "variable" || /^(?:->|[\]$@%&]|\$#)$/.test(before.text)
    ) return true;
    return before.text === "}" && before.start + 1 === this.#tokens[open].start;
  }
}
