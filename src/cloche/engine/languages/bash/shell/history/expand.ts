/** History expansion: `!!`, `!-2:$`, `^old^new`... in a line that was read. */
import type { History } from "../state/history.ts";
import { designateWords } from "./designators.ts";
import { modify } from "./modifiers.ts";
import { tokenize } from "./tokens.ts";

/** An expansion that cannot be done; the message has the text that asked for it. */
export class HistoryError extends Error {}

export interface HistoryOptions {
  /** The character that begins an expansion, the one for quick substitutions, and the one for comments. */
  characters: string;
  extglob: boolean;
  /** Whether double quotes protect too, as in POSIX mode. */
  posix: boolean;
  /** The quote in which the line begins: "'", '"' or "". */
  quote: string;
}

export interface Expanded {
  text: string;
  changed: boolean;
  /** `:p` only shows it. */
  printOnly: boolean;
}

/** Where text stands: outside of quotes, in double quotes, in backquotes; `$(` begins anew. */
interface Context {
  close: string;
  double: boolean;
}

const NO_EVENT = " \t\n\r=";
const WORD_START = " \t\n();&|<>";
/** What ends the text of `!text`; the latter only after the first character. */
const EVENT_END = " \t\n:;&()|<>";
const DESIGNATORS = "^$*%-";

export function expandHistory(history: History, line: string, options: HistoryOptions): Expanded {
  return new Expansion(history, line, options).run();
}

class Expansion {
  #at = 0;
  #out = "";
  #changed = false;
  #printOnly = false;
  readonly #contexts: Context[] = [];

  constructor(private readonly history: History, private line: string, private readonly options: HistoryOptions) {}

  run(): Expanded {
    const [bang, caret, comment] = this.options.characters;
    if (caret !== undefined && this.line[0] === caret && this.options.quote === "") {
      this.line = `${bang}${bang}:s${this.line}`;
    }
    if (this.options.quote === '"') this.#contexts.push({ close: '"', double: true });
    if (this.options.quote === "'") this.#copySingle(0);
    while (this.#at < this.line.length) {
      const char = this.line[this.#at];
      if (char === bang) this.#bang();
      else if (char === comment && !this.#double && this.#beginsWord()) this.#copy(this.line.length - this.#at);
      else this.#plain(char);
    }
    return { text: this.#out, changed: this.#changed, printOnly: this.#printOnly };
  }

  get #double(): boolean {
    return this.#contexts.at(-1)?.double ?? false;
  }

  #beginsWord(): boolean {
    return this.#at === 0 || WORD_START.includes(this.line[this.#at - 1]);
  }

  #copy(count: number): void {
    this.#out += this.line.slice(this.#at, this.#at + count);
    this.#at += count;
  }

  /** Copies up to the next single quote; `$'…'` may have quoted ones. */
  #copySingle(skip: number, ansi = false): void {
    let end = this.#at + skip;
    while (end < this.line.length && this.line[end] !== "'") end += ansi && this.line[end] === "\\" ? 2 : 1;
    this.#copy(Math.min(end + 1, this.line.length) - this.#at);
  }

  /** A character that begins no expansion. */
  #plain(char: string): void {
    if (char === "\\") return this.#copy(2);
    const next = this.line[this.#at + 1];
    if (char === "'" && !this.#double) return this.#copySingle(1, this.line[this.#at - 1] === "$");
    if ("$<>".includes(char) && next === "(") {
      this.#contexts.push({ close: ")", double: false });
      return this.#copy(2);
    }
    if (char === this.#contexts.at(-1)?.close) this.#contexts.pop();
    else if (char === '"') this.#contexts.push({ close: '"', double: true });
    else if (char === "`") this.#contexts.push({ close: "`", double: false });
    this.#copy(1);
  }

  #bang(): void {
    const next = this.line[this.#at + 1];
    const kept = next === undefined || NO_EVENT.includes(next) || this.#isShellSyntax(next) ||
      this.#double && (next === '"' || this.options.posix) || next === this.#contexts.at(-1)?.close;
    if (kept) return this.#copy(1);
    const start = this.#at;
    const fail = (why: string): never => {
      throw new HistoryError(`${this.line.slice(start, this.#at)}: ${why}`);
    };
    const event = this.#event(next) ?? fail("event not found");
    const words = designateWords(this.line, this.#at, event, this.history.search?.word, this.#isShort(start));
    this.#at = words.end;
    if (words.text === undefined) return fail("bad word specifier");
    const modified = modify(this.line, this.#at, words.text, this.history);
    this.#at = modified.end;
    if (modified.error !== undefined) return fail(modified.error);
    this.#printOnly ||= modified.printOnly;
    this.#changed = true;
    this.#out += modified.text;
  }

  /** `!$` and `!*`, where a designator stands for the event too. */
  #isShort(start: number): boolean {
    return this.#at === start + 1;
  }

  /** `[!a]`, `${!x}`, `$!` and `!(…)` are no events. */
  #isShellSyntax(next: string): boolean {
    const { line } = this;
    const at = this.#at;
    const before = line[at - 1];
    if (before === "[" && line.includes("]", at + 1)) return true;
    if (before === "$" || before === "{" && line[at - 2] === "$" && line.includes("}", at + 1)) return true;
    return this.options.extglob && next === "(" && line.includes(")", at + 2);
  }

  /** The line that is meant; the place is then after it. */
  #event(next: string): string | undefined {
    const { lines, base } = this.history;
    if (":$*%^".includes(next)) {
      this.#at++;
      return lines.at(-1);
    }
    this.#at++;
    const [bang] = this.options.characters;
    if (next === bang) {
      this.#at++;
      return lines.at(-1);
    }
    if (next === "#") {
      this.#at++;
      return this.#out;
    }
    const [number] = /^-?\d+/.exec(this.line.slice(this.#at)) ?? [];
    if (number === undefined) return this.#search();
    this.#at += number.length;
    return number.startsWith("-") ? lines.at(Number(number)) : lines[Number(number) - base];
  }

  #search(): string | undefined {
    const { line, history } = this;
    const anywhere = line[this.#at] === "?";
    if (anywhere) this.#at++;
    const start = this.#at;
    const isEnd = (char: string) =>
      anywhere
        ? char === "?" || char === "\n"
        : EVENT_END.includes(char) || this.#at > start && DESIGNATORS.includes(char) || this.#double && char === '"';
    while (this.#at < line.length && !isEnd(line[this.#at])) this.#at++;
    const given = line.slice(start, this.#at);
    if (!anywhere) return history.lines.findLast((each) => each.startsWith(given));
    if (line[this.#at] === "?") this.#at++;
    const text = given === "" ? history.search?.text : given;
    if (text === undefined) return undefined;
    const found = history.lines.findLast((each) => each.includes(text));
    if (found !== undefined) history.search = { text, word: wordAt(found, found.lastIndexOf(text)) };
    return found;
  }
}

/** The word of a line that a place is in. */
function wordAt(line: string, place: number): string {
  return tokenize(line).findLast(({ start }) => start <= place)?.text ?? "";
}
