/** ed: the line editor. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { LineSource } from "../lines/line_source.ts";
import { escapeLine } from "../sed/listing.ts";
import { fillIn, parseReplacement } from "../sed/replacement.ts";
import { defineTool } from "../tool/define.ts";
import type { Tool } from "../tool/tool.ts";
import { readAddresses } from "./addresses.ts";
import { EdBuffer, EdError } from "./buffer.ts";

const USAGE = {
  letters: "EGlp:rsv",
  long: {
    "extended-regexp": "E",
    traditional: "G",
    "loose-exit-status": "l",
    "prompt=": "p",
    restricted: "r",
    quiet: "s",
    silent: "s",
    script: "s",
    verbose: "v",
  },
  synopsis: "[options] [file]",
};

class Editor {
  readonly #buffer: EdBuffer;
  #file: string;
  #message = "";
  #verbose: boolean;
  #prompts: boolean;
  #warned = false;
  #over = false;
  /** Lines of a command that `g` runs for each match. */
  #queue: string[] | undefined;
  #substitution: { source: string; replacement: string; flags: string } | undefined;
  failed = false;

  constructor(private readonly tool: Tool, private readonly source: LineSource) {
    const { given } = tool;
    this.#buffer = new EdBuffer(given.has("E"));
    this.#file = given.operands[0] ?? "";
    this.#verbose = given.has("v");
    this.#prompts = given.has("p");
  }

  async run(): Promise<number> {
    const { tool } = this;
    if (this.#file !== "") await this.#attempt(() => this.#read(this.#file, 0), true);
    this.#buffer.changed = false;
    while (!this.#over) {
      if (this.#prompts) tool.out.write(tool.given.get("p") ?? "*");
      const line = await this.source.next();
      if (line === undefined) break;
      await this.#attempt(() => this.#execute(line), false);
      if (tool.out.full) await tool.out.flush();
    }
    return this.failed && !tool.given.has("l") ? 1 : 0;
  }

  async #attempt(work: () => Promise<void>, quiet: boolean): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EdError)) throw error;
      this.#message = error.message;
      if (quiet) return;
      this.failed = true;
      this.tool.out.write(`?\n${this.#verbose ? `${error.message}\n` : ""}`);
    }
  }

  async #nextLine(): Promise<string | undefined> {
    return this.#queue ? this.#queue.shift() : await this.source.next();
  }

  /** Lines up to one that is only a point. */
  async #inputLines(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.#nextLine(); line !== undefined && line !== "."; line = await this.#nextLine()) {
      lines.push(line);
    }
    return lines;
  }

  async #execute(text: string): Promise<void> {
    const buffer = this.#buffer;
    const { lines, rest } = readAddresses(text, buffer);
    const command = rest[0] ?? "";
    const tail = rest.slice(1);
    const given = lines.length;
    const last = lines.at(-1) ?? buffer.current;
    const first = lines.at(-2) ?? last;
    if (first > last) throw new EdError("Invalid address");
    const range = (all = false): [number, number] => {
      if (given > 0) return [first, last];
      return all ? [1, buffer.lines.length] : [buffer.current, buffer.current];
    };
    switch (command) {
      case "": {
        const line = given > 0 ? last : buffer.current + 1;
        if (line < 1 || line > buffer.lines.length) throw new EdError("Invalid address");
        return this.#print(line, line, tail);
      }
      case "p":
      case "n":
      case "l":
        return this.#print(...range(), command + tail);
      case "=":
        return this.tool.out.write(`${given > 0 ? last : buffer.lines.length}\n`);
      case "a":
      case "i":
        if (!this.#queue) buffer.remember();
        return buffer.insert(command === "a" ? last : Math.max(0, last - 1), await this.#inputLines());
      case "c": {
        if (!this.#queue) buffer.remember();
        const texts = await this.#inputLines();
        buffer.remove(...range());
        buffer.insert(first - 1, texts);
        if (texts.length === 0) buffer.current = Math.min(first, buffer.lines.length);
        return;
      }
      case "d":
        if (!this.#queue) buffer.remember();
        buffer.remove(...range());
        return this.#suffix(tail);
      case "j":
        return this.#join(given > 1 ? range() : [last, Math.min(last + (given === 1 ? 0 : 1), buffer.lines.length)]);
      case "k":
        return buffer.mark(tail[0] ?? "", last);
      case "m":
      case "t":
        return this.#move(command, range(), tail);
      case "s":
        return this.#substitute(range(), tail);
      case "g":
      case "v":
        return await this.#global(command, range(true), tail);
      case "u":
        return buffer.undo();
      default:
        return await this.#fileCommand(command, tail, given, range, last);
    }
  }

  async #fileCommand(
    command: string,
    tail: string,
    given: number,
    range: (all?: boolean) => [number, number],
    last: number,
  ): Promise<void> {
    const buffer = this.#buffer;
    const name = tail.trim();
    switch (command) {
      case "w":
      case "W":
        await this.#write(range(true), name.replace(/^q\s*/, ""), command === "W");
        if (tail.startsWith("q")) this.#over = true;
        return;
      case "r":
        buffer.remember();
        return await this.#read(name || this.#file, given > 0 ? last : buffer.lines.length);
      case "e":
      case "E":
        if (command === "e") this.#confirm();
        buffer.lines = [];
        await this.#read(name || this.#file, 0);
        if (name !== "") this.#file = name;
        buffer.changed = false;
        return;
      case "f":
        if (name !== "") this.#file = name;
        if (this.#file === "") throw new EdError("No current filename");
        return this.tool.out.write(`${this.#file}\n`);
      case "q":
        this.#confirm();
        this.#over = true;
        return;
      case "Q":
        this.#over = true;
        return;
      case "P":
        this.#prompts = !this.#prompts;
        return;
      case "h":
        return this.#message === "" ? undefined : this.tool.out.write(`${this.#message}\n`);
      case "H":
        this.#verbose = !this.#verbose;
        if (this.#verbose && this.#message !== "") this.tool.out.write(`${this.#message}\n`);
        return;
      case "#":
        return;
      case "!":
        throw new EdError("Shell access restricted");
      default:
        throw new EdError("Unknown command");
    }
  }

  #confirm(): void {
    if (!this.#buffer.changed || this.#warned) return;
    this.#warned = true;
    throw new EdError("Warning: buffer modified");
  }

  #suffix(letters: string): void {
    if (letters === "") return;
    if (!/^[pnl]+$/.test(letters.trim())) throw new EdError("Invalid command suffix");
    this.#print(this.#buffer.current, this.#buffer.current, letters);
  }

  #print(first: number, last: number, letters: string): void {
    if (!/^[pnl]*$/.test(letters.trim())) throw new EdError("Invalid command suffix");
    if (first < 1 || last < 1) throw new EdError("Invalid address");
    const { out, coding } = this.tool;
    for (let line = first; line <= last; line++) {
      const { text } = this.#buffer.lines[line - 1];
      const number = letters.includes("n") ? `${line}\t` : "";
      out.write(number + (letters.includes("l") ? escapeLine(coding.encode(text), 72) : `${text}\n`));
    }
    this.#buffer.current = last;
  }

  #join([first, last]: [number, number]): void {
    const buffer = this.#buffer;
    if (first === last) return;
    if (!this.#queue) buffer.remember();
    const text = buffer.remove(first, last).map((line) => line.text).join("");
    buffer.insert(first - 1, [text]);
  }

  #move(command: string, [first, last]: [number, number], tail: string): void {
    const buffer = this.#buffer;
    const { lines, rest } = readAddresses(tail, buffer);
    const target = lines.at(-1) ?? buffer.current;
    if (first < 1) throw new EdError("Invalid address");
    if (!this.#queue) buffer.remember();
    if (command === "t") buffer.insert(target, buffer.lines.slice(first - 1, last).map((line) => line.text));
    else {
      if (target >= first && target < last) throw new EdError("Invalid destination");
      const moved = buffer.remove(first, last);
      const at = target >= last ? target - moved.length : target;
      buffer.lines.splice(at, 0, ...moved);
      buffer.current = at + moved.length;
    }
    this.#suffix(rest);
  }

  #substitute([first, last]: [number, number], tail: string): void {
    const buffer = this.#buffer;
    const mark = tail[0] ?? "";
    if (mark !== "" && !/[\w\s]/.test(mark)) {
      const { parts, rest } = cutParts(tail.slice(1), mark);
      const [source, replacement] = parts;
      const previous = this.#substitution?.replacement ?? "";
      this.#substitution = { source, replacement: replacement === "%" ? previous : replacement, flags: rest ?? "p" };
    } else if (this.#substitution) this.#substitution.flags = tail.replace(/r/g, "");
    else throw new EdError("No previous substitution");
    const { source, replacement, flags } = this.#substitution;
    if (!/^[gpnlIi\d]*$/.test(flags.trim())) throw new EdError("Invalid command suffix");
    if (first < 1) throw new EdError("Invalid address");
    const matcher = buffer.compile(source, /[iI]/.test(flags));
    const pieces = parseReplacement(replacement);
    const nth = Number(/\d+/.exec(flags)?.[0] ?? 1);
    if (!this.#queue) buffer.remember();
    let changed = 0;
    for (let at = first, end = last; at <= end; at++) {
      const { text } = buffer.lines[at - 1];
      let out = "";
      let copied = 0;
      let count = 0;
      for (let from = 0; from <= text.length;) {
        const match = matcher.find(text, from);
        if (!match) break;
        if (++count >= nth) {
          out += text.slice(copied, match.start) + fillIn(pieces, text, match);
          copied = match.end;
          if (!flags.includes("g")) break;
        }
        from = match.end > match.start ? match.end : match.end + 1;
      }
      if (count < nth) continue;
      const [head, ...more] = (out + text.slice(copied)).split("\n");
      buffer.lines[at - 1].text = head;
      buffer.insert(at, more);
      buffer.current = at += more.length;
      end += more.length;
      changed++;
      buffer.changed = true;
    }
    if (changed === 0 && !this.#queue) throw new EdError("No match");
    if (changed > 0 && /[pnl]/.test(flags)) this.#print(buffer.current, buffer.current, flags.replace(/[^pnl]/g, ""));
  }

  async #global(command: string, [first, last]: [number, number], tail: string): Promise<void> {
    if (this.#queue) throw new EdError("Cannot nest global commands");
    const buffer = this.#buffer;
    const { parts: [source, list] } = cutParts(tail.slice(1), tail[0] ?? "/", 1);
    const matcher = buffer.compile(source);
    let text = list === "" || list === undefined ? "p" : list;
    while (/(^|[^\\])(\\\\)*\\$/.test(text)) {
      const more = await this.source.next();
      text = `${text.slice(0, -1)}\n${more ?? ""}`;
      if (more === undefined) break;
    }
    const chosen = buffer.lines.slice(Math.max(0, first - 1), last).filter((line) =>
      matcher.test(line.text) === (command === "g")
    );
    buffer.remember();
    try {
      for (const line of chosen) {
        const at = buffer.lines.indexOf(line);
        if (at < 0) continue;
        buffer.current = at + 1;
        this.#queue = text.split("\n");
        for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) await this.#execute(next);
        await this.tool.attend();
      }
    } finally {
      this.#queue = undefined;
    }
  }

  async #read(name: string, after: number): Promise<void> {
    if (name === "") throw new EdError("No current filename");
    if (name.startsWith("!")) throw new EdError("Shell access restricted");
    if (this.#file === "") this.#file = name;
    let bytes: Uint8Array;
    try {
      bytes = await this.tool.readFile(name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const text = `${name}: ${reasonOf(error)}`;
      await this.tool.out.flush();
      this.tool.context.fds.find(2)?.write(this.tool.coding.encode(`${text}\n`));
      throw new EdError("Cannot open input file");
    }
    const text = this.tool.coding.decode(bytes).replace(/\n$/, "");
    this.#buffer.insert(after, bytes.length === 0 ? [] : text.split("\n"));
    if (!this.tool.given.has("s")) this.tool.out.write(`${bytes.length}\n`);
  }

  async #write([first, last]: [number, number], name: string, append: boolean): Promise<void> {
    const target = name || this.#file;
    if (target === "") throw new EdError("No current filename");
    if (this.#file === "") this.#file = target;
    const lines = this.#buffer.lines.slice(Math.max(0, first - 1), last);
    const bytes = this.tool.coding.encode(lines.map(({ text }) => `${text}\n`).join(""));
    try {
      const stream = this.tool.create(target, append);
      await stream.write(bytes);
      stream.close();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.tool.context.fds.find(2)?.write(this.tool.coding.encode(`${target}: ${reasonOf(error)}\n`));
      throw new EdError("Cannot open output file");
    }
    if (!this.tool.given.has("s")) this.tool.out.write(`${bytes.length}\n`);
    if (lines.length === this.#buffer.lines.length) this.#buffer.changed = false;
  }
}

/** Cuts at a mark; `rest` is undefined if the last one is missing. */
function cutParts(text: string, mark: string, count = 2): { parts: string[]; rest: string | undefined } {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\" && at + 1 < text.length) {
      part += text[at + 1] === mark ? mark : text[at] + text[at + 1];
      at++;
    } else if (text[at] === mark) {
      parts.push(part);
      part = "";
      if (parts.length < count) continue;
      const rest = text.slice(at + 1);
      return count === 1 ? { parts: [...parts, rest], rest } : { parts, rest };
    } else part += text[at];
  }
  parts.push(part);
  while (parts.length < 2) parts.push("");
  return { parts, rest: undefined };
}

const ed = defineTool("ed", USAGE, async (tool) => {
  return await new Editor(tool, new LineSource(tool, tool.open("-"))).run();
});

export const commands = [ed];
