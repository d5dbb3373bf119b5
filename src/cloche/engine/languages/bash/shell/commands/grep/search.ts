/** Looks through one input after the other and prints what was found. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { CommandError } from "../tool/errors.ts";
import { CHUNK, LineReader } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import type { Wanted } from "./patterns.ts";

const ESCAPED = /[\udc80-\udcff]/u;
const END = "\x1b[m\x1b[K";

export class Search {
  matched = false;
  failed = false;
  readonly #mark: string;
  readonly #most: number;
  readonly #before: number;
  readonly #after: number;
  readonly #inverted: boolean;
  readonly #lists: boolean;
  readonly #quiet: boolean;
  readonly #counts: boolean;
  readonly #only: boolean;
  readonly #colored: boolean;
  readonly #plain: boolean;
  /** Whether lines without the required text need not be looked at. */
  readonly #canSkip: boolean;
  #printed = false;

  constructor(private readonly tool: Tool, private readonly wanted: Wanted, private readonly named: boolean) {
    const { given } = tool;
    const number = (key: string, otherwise: number, what: string) => {
      const word = given.get(key);
      if (word === undefined) return otherwise;
      if (!/^-?\d+$/.test(word)) throw new CommandError(`${word}: ${what}`, 2);
      return Number(word);
    };
    const context = number("C", 0, "invalid context length argument");
    this.#mark = given.has("z") ? "\0" : "\n";
    const most = number("m", Infinity, "invalid max count");
    this.#most = most < 0 ? Infinity : most;
    this.#before = number("B", context, "invalid context length argument");
    this.#after = number("A", context, "invalid context length argument");
    this.#inverted = given.has("v");
    this.#lists = given.has("l") || given.has("L");
    this.#quiet = given.has("q");
    this.#counts = given.has("c");
    this.#only = given.has("o");
    this.#colored = given.get("color") === "always";
    this.#plain = !this.#only && !this.#colored && !given.has("b") && !given.has("n") && !given.has("T") && !named &&
      this.#before === 0 && this.#after === 0;
    const around = this.#before > 0 || this.#after > 0;
    this.#canSkip = wanted.required !== "" && !this.#inverted && !around && !given.has("b");
  }

  /** Whether nothing more need be looked at. */
  get done(): boolean {
    return this.#quiet && this.matched;
  }

  async one(stream: OpenStream, name: string): Promise<void> {
    const { tool } = this;
    const first = stream.read(CHUNK);
    const chunk = first instanceof Promise ? await first : first;
    const { given } = tool;
    const asText = given.has("a") || given.get("binary-files") === "text" || given.has("z");
    const binary = chunk !== undefined && !asText && chunk.includes(0);
    if (binary && (given.has("I") || given.get("binary-files") === "without-match")) return;
    const run = new Run(binary, asText);
    const reader = new LineReader(stream, tool.coding, this.#mark.charCodeAt(0), chunk);
    while (!run.over) {
      if (tool.out.full) await tool.out.flush();
      const next = reader.nextText();
      if (next instanceof Promise) await tool.out.flush();
      const text = next instanceof Promise ? await next : next;
      if (text === undefined) break;
      const turn = tool.attend();
      if (turn instanceof Promise) await turn;
      if (!this.#canSkip || text.includes(this.wanted.required)) this.#lines(run, text.split(this.#mark), name);
      else if (given.has("n")) run.line += text.split(this.#mark).length;
    }
    this.#finish(run, name);
  }

  #lines(run: Run, lines: string[], name: string): void {
    const { matcher } = this.wanted;
    const shows = !this.#lists && !this.#quiet && !this.#counts && !run.binary;
    for (const line of lines) {
      run.line++;
      const hit = run.hits < this.#most && matcher.test(line) !== this.#inverted;
      if (hit) {
        run.hits++;
        if (this.#lists || this.#quiet || run.binary && !this.#counts) {
          run.over = true;
          return;
        }
        if (shows && !this.#show(run, line, name)) return;
      } else if (shows && !this.#pass(run, line, name)) return;
      else if (!shows && run.hits >= this.#most) {
        run.over = true;
        return;
      }
      if (run.hits >= this.#most && (run.after === 0 || !shows)) {
        run.over = true;
        return;
      }
      if (this.tool.given.has("b")) run.offset += this.tool.coding.encode(line).length + 1;
    }
  }

  /** A line that is no match: perhaps one around a match. */
  #pass(run: Run, line: string, name: string): boolean {
    if (run.after > 0) {
      run.after--;
      this.#print(run, line, name, "-", run.line, run.offset);
    } else if (this.#before > 0) {
      run.before.push({ line, number: run.line, offset: run.offset });
      if (run.before.length > this.#before) run.before.shift();
    }
    return true;
  }

  #show(run: Run, line: string, name: string): boolean {
    if (!run.asText && ESCAPED.test(line)) {
      run.binary = true;
      run.over = true;
      return false;
    }
    if (this.#plain) {
      this.tool.out.write(line + this.#mark);
      return true;
    }
    const around = this.#before > 0 || this.#after > 0;
    const first = run.before[0]?.number ?? run.line;
    if (around && !this.#only && this.#printed && first > run.last + 1) this.#separate();
    else if (around && this.#printed && run.last === 0) this.#separate();
    for (const { line, number, offset } of run.before.splice(0)) this.#print(run, line, name, "-", number, offset);
    this.#print(run, line, name, ":", run.line, run.offset);
    run.after = this.#after;
    return true;
  }

  #separate(): void {
    const { given } = this.tool;
    if (given.has("no-group-separator")) return;
    const text = given.get("group-separator") ?? "--";
    this.tool.out.write((this.#colored ? `\x1b[36m\x1b[K${text}${END}` : text) + "\n");
  }

  #prefix(name: string, sign: string, number: number, offset: number): string {
    const { given } = this.tool;
    const paint = (code: string, text: string) => this.#colored ? `\x1b[${code}m\x1b[K${text}${END}` : text;
    let out = "";
    if (this.named) out += paint("35", name) + (given.has("Z") ? "\0" : paint("36", sign));
    const width = given.has("T") ? 4 : 0;
    if (given.has("n")) out += paint("32", String(number).padStart(width)) + paint("36", sign);
    if (given.has("b")) out += paint("32", String(offset).padStart(width)) + paint("36", sign);
    return given.has("T") && out !== "" ? out + "\t" : out;
  }

  #print(run: Run, line: string, name: string, sign: string, number: number, offset: number): void {
    const { out } = this.tool;
    run.last = number;
    this.#printed = true;
    if (this.#only) {
      if (sign === ":" && !this.#inverted) this.#printParts(line, name, number, offset);
      return;
    }
    const shown = this.#colored && (sign === ":") !== this.#inverted ? this.#paint(line) : line;
    out.write(this.#prefix(name, sign, number, offset) + shown + this.#mark);
  }

  #printParts(line: string, name: string, number: number, offset: number): void {
    const { out, coding, given } = this.tool;
    for (const { start, end } of this.#matches(line)) {
      const before = given.has("b") ? coding.encode(line.slice(0, start)).length : 0;
      const text = line.slice(start, end);
      const shown = this.#colored ? `\x1b[01;31m\x1b[K${text}${END}` : text;
      out.write(this.#prefix(name, ":", number, offset + before) + shown + this.#mark);
    }
  }

  #paint(line: string): string {
    let out = "";
    let copied = 0;
    for (const { start, end } of this.#matches(line)) {
      out += `${line.slice(copied, start)}\x1b[01;31m\x1b[K${line.slice(start, end)}${END}`;
      copied = end;
    }
    return out + line.slice(copied);
  }

  /** The matches of a line that are not empty. */
  *#matches(line: string): Generator<{ start: number; end: number }> {
    for (let from = 0; from <= line.length;) {
      const match = this.wanted.matcher.find(line, from);
      if (!match) return;
      if (match.end > match.start) yield match;
      from = match.end > from ? match.end : from + 1;
    }
  }

  #finish(run: Run, name: string): void {
    const { given, out } = this.tool;
    if (run.hits > 0) this.matched = true;
    if (this.#quiet) return;
    const end = given.has("Z") ? "\0" : "\n";
    if (this.#lists) {
      if (run.hits > 0 === (given.last("l", "L") === "l")) out.write(name + end);
    } else if (this.#counts) {
      out.write(`${this.named ? name + (given.has("Z") ? "\0" : ":") : ""}${run.hits}\n`);
    } else if (run.binary && run.hits > 0) this.tool.complain(`${name}: binary file matches`);
  }

  /** Says why a file could not be read. */
  fail(name: string, error: FileError): void {
    this.failed = true;
    if (!this.tool.given.has("s")) this.tool.complain(`${name}: ${reasonOf(error)}`);
  }
}

/** What is known of the input that is being looked through. */
class Run {
  line = 0;
  offset = 0;
  hits = 0;
  /** Lines after a match that are still to be shown. */
  after = 0;
  readonly before: { line: string; number: number; offset: number }[] = [];
  /** The line that was printed last. */
  last = 0;
  over = false;

  constructor(public binary: boolean, readonly asText: boolean) {}
}
