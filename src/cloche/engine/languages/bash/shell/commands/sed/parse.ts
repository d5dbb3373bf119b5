/** Reads a sed script. */
import { CommandError } from "../tool/errors.ts";
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import { readCharacterEscape, RegexError } from "../../../text/regex/syntax.ts";
import { parseReplacement } from "./replacement.ts";
import type { Address, SedCommand, Substitution } from "./script.ts";

const COMMANDS = "aicdDgGhHlnNpPqQrRstTwWxy=:b{}eFvz#";
const ONE_ADDRESS = ":";

/** A piece of the script with the words by which messages name it. */
export interface Source {
  text: string;
  name: string;
}

export function parseScript(sources: Source[], extended: boolean): { commands: SedCommand[]; quiet: boolean } {
  const first = sources[0]?.text ?? "";
  const quiet = /^#n(\n|$)/.test(first);
  return { commands: new ScriptParser(sources, extended).run(), quiet };
}

class ScriptParser {
  readonly #commands: SedCommand[] = [];
  readonly #blocks: number[] = [];
  readonly #labels = new Map<string, number>();
  readonly #text: string;
  #at = 0;

  constructor(private readonly sources: Source[], private readonly extended: boolean) {
    this.#text = sources.map(({ text }) => text.replace(/\n$/, "")).join("\n");
  }

  run(): SedCommand[] {
    for (;;) {
      this.#skip(/[\s;]/);
      if (this.#at >= this.#text.length) break;
      this.#command();
    }
    if (this.#blocks.length > 0) throw this.#error("unmatched `{'", 0);
    for (const command of this.#commands) {
      if (!"btT".includes(command.name)) continue;
      const target = command.text === "" ? this.#commands.length : this.#labels.get(command.text);
      if (target === undefined) throw new CommandError(`can't find label for jump to \`${command.text}'`, 4);
      command.target = target;
    }
    return this.#commands;
  }

  #error(message: string, char?: number): CommandError {
    let start = 0;
    for (const { text, name } of this.sources) {
      const length = text.replace(/\n$/, "").length + 1;
      if (this.#at <= start + length || this.sources.at(-1)?.text === text) {
        return new CommandError(`${name}, ${this.#place(name, start, char)}: ${message}`);
      }
      start += length;
    }
    return new CommandError(message);
  }

  #place(name: string, start: number, char: number | undefined): string {
    if (name.startsWith("-e")) return `char ${char ?? this.#at - start}`;
    return `line ${this.#text.slice(start, this.#at).split("\n").length}`;
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#text.length && what.test(this.#text[this.#at])) this.#at++;
  }

  #command(): void {
    const from = this.#address();
    let to: Address | undefined;
    if (from) {
      this.#skip(/[ \t]/);
      if (this.#text[this.#at] === ",") {
        this.#at++;
        this.#skip(/[ \t]/);
        to = this.#address(true);
        if (!to) throw this.#error("unexpected `,'", this.#at + 1);
      }
    }
    if (from?.kind === "line" && from.line === 0 && to?.kind !== "match") {
      this.#at++;
      throw this.#error("invalid usage of line address 0");
    }
    this.#skip(/\s/);
    let negated = false;
    while (this.#text[this.#at] === "!") {
      negated = true;
      this.#at++;
      this.#skip(/\s/);
    }
    const name = this.#text[this.#at++];
    if (name === undefined) throw this.#error("missing command", this.#at - 1);
    if (!COMMANDS.includes(name)) throw this.#error(`unknown command: \`${name}'`);
    if (name === "#") {
      if (from) throw this.#error("comments don't accept any addresses");
      this.#skip(/[^\n]/);
      return;
    }
    if (from && ONE_ADDRESS.includes(name)) throw this.#error(`${name} doesn't want any addresses`);
    const command: SedCommand = {
      name,
      from,
      to,
      negated,
      text: "",
      number: undefined,
      substitution: undefined,
      map: undefined,
      target: 0,
      state: from?.kind === "line" && from.line === 0 ? "within" : "before",
      end: Infinity,
    };
    this.#read(command);
  }

  #read(command: SedCommand): void {
    const { name } = command;
    if (name === "}") return this.#closeBlock(command);
    if (name === ":") {
      this.#skip(/[ \t]/);
      const label = this.#take(/^[^\s;]*/);
      if (label === "") throw this.#error('":" lacks a label');
      this.#labels.set(label, this.#commands.length);
      return;
    }
    this.#commands.push(command);
    if (name === "{") return void this.#blocks.push(this.#commands.length - 1);
    if ("aic".includes(name)) return void (command.text = this.#appended());
    if ("rRwW".includes(name)) return void (command.text = this.#fileName());
    if ("btT".includes(name)) {
      this.#skip(/[ \t]/);
      command.text = this.#take(/^[^\s;}]*/);
    } else if (name === "e") {
      this.#skip(/[ \t]/);
      command.text = this.#take(/^[^\n]*/);
      return;
    } else if ("qQlL".includes(name)) {
      this.#skip(/[ \t]/);
      const digits = this.#take(/^\d*/);
      command.number = digits === "" ? undefined : Number(digits);
    } else if (name === "v") this.#take(/^[^\n;}]*/);
    else if (name === "s") command.substitution = this.#substitution();
    else if (name === "y") command.map = this.#map();
    this.#endCommand();
  }

  #closeBlock(command: SedCommand): void {
    if (command.from) throw this.#error("} doesn't want any addresses");
    const open = this.#blocks.pop();
    if (open === undefined) throw this.#error("unexpected `}'");
    this.#commands[open].target = this.#commands.length;
    this.#endCommand();
  }

  #take(pattern: RegExp): string {
    const [found = ""] = pattern.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += found.length;
    return found;
  }

  #endCommand(): void {
    this.#skip(/[ \t]/);
    const next = this.#text[this.#at];
    if (next === undefined || next === "}" || next === "#") return;
    this.#at++;
    if (next !== ";" && next !== "\n") throw this.#error("extra characters after command");
  }

  #fileName(): string {
    this.#skip(/[ \t]/);
    const name = this.#take(/^[^\n]*/);
    if (name === "") throw this.#error("missing filename in r/R/w/W commands");
    return name;
  }

  /** The text of a, i and c: on the lines that follow, or on this one. */
  #appended(): string {
    this.#skip(/[ \t]/);
    if (this.#at >= this.#text.length) throw this.#error("expected \\ after `a', `c' or `i'");
    let text = "";
    if (this.#text[this.#at] === "\\") {
      this.#at++;
      if (this.#at >= this.#text.length) return "";
      const spaces = this.#take(/^[ \t]*/);
      if (this.#text[this.#at] === "\n") this.#at++;
      else text = spaces;
      // Nothing to print but the newline that the last line may lack.
      if (this.#at >= this.#text.length && text === "") return "";
    }
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      if (char === "\n") break;
      if (char !== "\\") {
        text += char;
        this.#at++;
        continue;
      }
      const escape = readCharacterEscape(this.#text, this.#at);
      if (escape) {
        text += String.fromCharCode(escape.code);
        this.#at += escape.length;
      } else {
        text += this.#text[this.#at + 1] ?? "";
        this.#at += 2;
      }
    }
    return text + "\n";
  }

  #address(second = false): Address | undefined {
    const char = this.#text[this.#at];
    if (char === undefined) return undefined;
    if (/\d/.test(char)) {
      const line = Number(this.#take(/^\d+/));
      this.#skip(/[ \t]/);
      if (this.#text[this.#at] !== "~" || second) return { kind: "line", line };
      this.#at++;
      return { kind: "step", first: line, step: Number(this.#take(/^\d*/)) };
    }
    if (char === "$") {
      this.#at++;
      return { kind: "last" };
    }
    if (second && (char === "+" || char === "~")) {
      this.#at++;
      const count = Number(this.#take(/^\d+/) || NaN);
      if (Number.isNaN(count)) throw this.#error("expected number");
      return char === "+" ? { kind: "count", count } : { kind: "multiple", of: count };
    }
    if (char !== "/" && char !== "\\") return undefined;
    if (char === "\\") this.#at++;
    const delimiter = this.#text[this.#at++];
    const source = this.#delimited(delimiter, true, "unterminated address regex");
    const flags = this.#take(/^[IM]*/);
    return { kind: "match", matcher: this.#regex(source, flags.includes("I"), flags.includes("M")) };
  }

  /** Reads up to the delimiter; a backslash before it makes it a character of the text. */
  #delimited(delimiter: string, isRegex: boolean, complaint: string): string {
    let text = "";
    let inSet = false;
    let first = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (inSet) {
        if (char === "]" && text.length > first) inSet = false;
        else if (char === "[" && /[:.=]/.test(this.#text[this.#at + 1] ?? "")) {
          const [named] = /^\[([:.=])[^\]]*?\1\]/.exec(this.#text.slice(this.#at)) ?? [];
          if (named !== undefined) {
            text += named;
            this.#at += named.length - 1;
            continue;
          }
        }
        text += char;
      } else if (char === delimiter) {
        this.#at++;
        return text;
      } else if (char === "\\" && this.#at + 1 < this.#text.length) {
        const next = this.#text[++this.#at];
        if (next === delimiter) text += this.#bare(delimiter, isRegex);
        else text += next === "\n" && isRegex ? "\n" : char + next;
      } else if (char === "\n" && isRegex) throw this.#error(complaint);
      else {
        text += char;
        if (char !== "[" || !isRegex) continue;
        inSet = this.#closesSet();
        first = text.length + (this.#text[this.#at + 1] === "^" ? 1 : 0);
      }
    }
    throw this.#error(complaint);
  }

  /** What an escaped delimiter stands for. */
  #bare(delimiter: string, isRegex: boolean): string {
    return !isRegex && delimiter === "&" ? "\\&" : delimiter;
  }

  #closesSet(): boolean {
    return /^\[\^?\]?[^\]]*\]/.test(this.#text.slice(this.#at));
  }

  #regex(source: string, ignoreCase: boolean, multiline: boolean): Matcher | undefined {
    if (source === "") return undefined;
    try {
      return compileRegex(source, { extended: this.extended, ignoreCase, multiline, escapes: true });
    } catch (error) {
      if (error instanceof RegexError) throw this.#error(error.message);
      throw error;
    }
  }

  #substitution(): Substitution {
    const delimiter = this.#text[this.#at++];
    const complaint = "unterminated `s' command";
    if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") throw this.#error(complaint);
    const source = this.#delimited(delimiter, true, complaint);
    const written = this.#delimited(delimiter, false, complaint);
    const flags = { global: false, prints: false, executes: false, nth: 0, ignoreCase: false, multiline: false };
    let file: string | undefined;
    for (;;) {
      const digits = this.#take(/^\d+/);
      if (digits !== "") {
        if (flags.nth > 0) throw this.#error("multiple number options to `s' command");
        flags.nth = Number(digits);
        if (flags.nth === 0) throw this.#error("number option to `s' command may not be zero");
        continue;
      }
      const letter = this.#text[this.#at];
      if (letter === undefined || !/[gpiImMew]/.test(letter)) break;
      this.#at++;
      if (letter === "g" && flags.global) throw this.#error("multiple `g' options to `s' command");
      if (letter === "p" && flags.prints) throw this.#error("multiple `p' options to `s' command");
      if (letter === "g") flags.global = true;
      else if (letter === "p") flags.prints = true;
      else if (letter === "e") flags.executes = true;
      else if (letter === "w") {
        file = this.#fileName();
        break;
      } else if (/[iI]/.test(letter)) flags.ignoreCase = true;
      else flags.multiline = true;
    }
    const rest = /^[ \t]*(.?)/s.exec(this.#text.slice(this.#at))?.[1] ?? "";
    if (rest !== "" && !/[;\n}#]/.test(rest)) {
      this.#at++;
      throw this.#error("unknown option to `s'");
    }
    const matcher = this.#regex(source, flags.ignoreCase, flags.multiline);
    const pieces = parseReplacement(written);
    const highest = Math.max(0, ...pieces.map((piece) => piece.kind === "group" ? piece.group : 0));
    if (matcher && highest > matcher.groups) {
      throw this.#error(`invalid reference \\${highest} on \`s' command's RHS`);
    }
    return { ...flags, nth: flags.nth || 1, matcher, pieces, file };
  }

  #map(): Map<string, string> {
    const delimiter = this.#text[this.#at++];
    const complaint = "unterminated `y' command";
    if (delimiter === undefined) throw this.#error(complaint);
    const [from, to] = [0, 1].map(() => unescapeList(this.#delimited(delimiter, false, complaint)));
    if (from.length !== to.length) throw this.#error("strings for `y' command are different lengths");
    return new Map(from.map((char, i) => [char, to[i]] as [string, string]).reverse());
  }
}

function unescapeList(text: string): string[] {
  const chars: string[] = [];
  for (let at = 0; at < text.length;) {
    const escape = text[at] === "\\" ? readCharacterEscape(text, at) : undefined;
    if (escape) {
      chars.push(String.fromCharCode(escape.code));
      at += escape.length;
      continue;
    }
    if (text[at] === "\\" && at + 1 < text.length) at++;
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    chars.push(char);
    at += char.length;
  }
  return chars;
}
