/** Runs a sed script over the lines of its input. */
import { FileError } from "../../../../../fs/files.ts";
import { DescriptorTable } from "../../descriptors/table.ts";
import { makePipe } from "../../descriptors/pipe.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { type Task, wait } from "../../task.ts";
import type { Matcher } from "../../../text/regex/regex.ts";
import { CommandError } from "../tool/errors.ts";
import { LineReader, readAll, Writer } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import type { SedInput } from "./input.ts";
import { escapeLine } from "./listing.ts";
import { fillIn } from "./replacement.ts";
import type { Address, SedCommand, Substitution } from "./script.ts";

export interface SedOptions {
  quiet: boolean;
  /** What ends a line. */
  end: string;
  /** Columns of `l`. */
  width: number;
  unbuffered: boolean;
}

/** Where a script writes; a line without an end gets one when more follows. */
export class SedOutput {
  #open = false;

  constructor(readonly writer: Writer, private readonly end: string) {}

  line(text: string, open = false): void {
    this.text(open ? text : text + this.end);
    this.#open = open;
  }

  text(text: string): void {
    if (this.#open) this.writer.write(this.end);
    this.#open = false;
    this.writer.write(text);
  }
}

const STEPS = 1000;

export class SedMachine {
  /** Where the current file's lines go. */
  output: SedOutput;
  readonly #files = new Map<string, SedOutput>();
  readonly #readers = new Map<string, { reader: LineReader; lines: string[]; at: number } | undefined>();
  #space = "";
  #hold = "";
  /** Whether the line that they come from had no end. */
  #open = false;
  #holdOpen = false;
  /** What is written after the current line. */
  #appended: (() => Task<void> | void)[] = [];
  #substituted = false;
  #last: Matcher | undefined;
  #quit: number | undefined;
  #steps = 0;

  constructor(
    private readonly tool: Tool,
    private readonly commands: SedCommand[],
    private readonly options: SedOptions,
  ) {
    this.output = new SedOutput(tool.out, options.end);
    for (const { name, text, substitution } of commands) {
      const file = name === "w" || name === "W" ? text : substitution?.file;
      if (file !== undefined) this.#openFile(file);
    }
  }

  *run(input: SedInput): Task<number> {
    let again = false;
    while (this.#quit === undefined) {
      if (!again) {
        const line = yield* input.read();
        if (line === undefined) break;
        this.#space = line;
        this.#open = input.open;
      }
      again = yield* this.#cycle(input);
      if (this.tool.out.full || this.options.unbuffered) yield* this.#flush();
    }
    yield* input.close();
    yield* this.#flush();
    for (const { writer } of this.#files.values()) if (writer.stream.kind === "file") writer.stream.close();
    return this.#quit ?? this.tool.code;
  }

  *#flush(): Task<void> {
    yield* wait(this.output.writer.flush());
    yield* wait(this.tool.out.flush());
    for (const { writer } of this.#files.values()) yield* wait(writer.flush());
  }

  #openFile(name: string): void {
    if (this.#files.has(name)) return;
    const { tool } = this;
    if (name === "/dev/stdout") return;
    const stream = name === "/dev/stderr" ? tool.context.fds.get(2) : this.#create(name);
    this.#files.set(name, new SedOutput(new Writer(stream, tool.coding), this.options.end));
  }

  #create(name: string): OpenStream {
    try {
      return this.tool.create(name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new CommandError(`couldn't open file ${name}: ${error.message.replace(/^E\w+: /, "")}`, 4);
    }
  }

  /** Runs the commands for one line; true if they are to run again without reading one. */
  *#cycle(input: SedInput): Task<boolean> {
    const { commands, output } = this;
    let at = 0;
    let prints = !this.options.quiet;
    let again = false;
    this.#substituted = false;
    while (at < commands.length) {
      if (++this.#steps % STEPS === 0) yield* wait(this.tool.attend());
      const command = commands[at++];
      if (command.from !== undefined || command.negated) {
        const chosen = command.from === undefined || (yield* this.#chooses(command, input));
        if (chosen === command.negated) {
          if (command.name === "{") at = command.target;
          continue;
        }
      }
      switch (command.name) {
        case "s":
          if (command.substitution) {
            const work = this.#substitute(command.substitution);
            if (work) yield* work;
          }
          break;
        case "p":
          output.line(this.#space, this.#open);
          break;
        case "d":
          prints = false;
          at = Infinity;
          break;
        case "D": {
          const end = this.#space.indexOf(this.options.end);
          prints = false;
          at = Infinity;
          if (end < 0) break;
          this.#space = this.#space.slice(end + 1);
          again = true;
          break;
        }
        case "b":
          at = command.target;
          break;
        case "t":
        case "T":
          if (this.#substituted === (command.name === "t")) at = command.target;
          this.#substituted = false;
          break;
        case "n":
          if (yield* input.isLast()) {
            if (!input.hasMoreFiles) this.#quit = this.tool.code;
            at = Infinity;
            break;
          }
          if (prints) output.line(this.#space, this.#open);
          yield* this.#append();
          this.#space = (yield* input.read()) ?? "";
          this.#open = input.open;
          break;
        case "N":
          if (yield* input.isLast()) {
            if (!input.hasMoreFiles) this.#quit = this.tool.code;
            at = Infinity;
            break;
          }
          yield* this.#append();
          this.#space += this.options.end + ((yield* input.read()) ?? "");
          this.#open = input.open;
          break;
        case "c":
          if (command.to === undefined || command.negated || command.state !== "within") output.text(command.text);
          prints = false;
          at = Infinity;
          break;
        case "q":
        case "Q":
          this.#quit = command.number ?? this.tool.code;
          if (command.name === "Q") prints = false;
          at = Infinity;
          break;
        default:
          yield* this.#simple(command, input);
      }
    }
    if (prints) output.line(this.#space, this.#open);
    yield* this.#append();
    return again && this.#quit === undefined;
  }

  *#simple(command: SedCommand, input: SedInput): Task<void> {
    const { output } = this;
    switch (command.name) {
      case "=":
        return output.text(`${input.line}\n`);
      case "a":
        return this.#later(() => output.text(command.text));
      case "i":
        return output.text(command.text);
      case "F":
        return output.text(`${input.name}\n`);
      case "g":
        this.#space = this.#hold;
        this.#open = this.#holdOpen;
        return;
      case "G":
        this.#space += this.options.end + this.#hold;
        this.#open = this.#holdOpen;
        return;
      case "h":
        this.#hold = this.#space;
        this.#holdOpen = this.#open;
        return;
      case "H":
        this.#hold += this.options.end + this.#space;
        this.#holdOpen = this.#open;
        return;
      case "x":
        [this.#space, this.#hold] = [this.#hold, this.#space];
        [this.#open, this.#holdOpen] = [this.#holdOpen, this.#open];
        return;
      case "z":
        this.#space = "";
        return;
      case "P":
        return output.line(
          this.#space.split(this.options.end, 1)[0],
          this.#open && !this.#space.includes(this.options.end),
        );
      case "l":
        return output.text(
          escapeLine(this.tool.coding.encode(this.#space), command.number ?? this.options.width, this.options.end),
        );
      case "y":
        this.#space = Array.from(this.#space, (char) => command.map?.get(char) ?? char).join("");
        return;
      case "w":
        return yield* this.#writeFile(command.text, this.#space, this.#open);
      case "W":
        return yield* this.#writeFile(command.text, this.#space.split(this.options.end, 1)[0], false);
      case "r":
        this.#appended.push(() => this.#copy(command.text));
        return;
      case "R":
        return yield* this.#readLine(command.text);
      case "e":
        return yield* this.#execute(command.text);
    }
  }

  #later(act: () => void): void {
    this.#appended.push(act);
  }

  *#append(): Task<void> {
    if (this.#appended.length === 0) return;
    for (const act of this.#appended.splice(0)) {
      const task = act();
      if (task) yield* task;
    }
  }

  *#writeFile(name: string, text: string, open: boolean): Task<void> {
    const file = this.#files.get(name);
    (file ?? this.output).line(text, open);
    if (file) yield* wait(file.writer.flush());
  }

  *#copy(name: string): Task<void> {
    try {
      const bytes = (yield this.tool.readFile(name === "/dev/stdin" ? "-" : name)) as Uint8Array;
      if (bytes.length > 0) this.output.text(this.tool.coding.decode(bytes));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }

  /** `R`: one more line of a file each time. */
  *#readLine(name: string): Task<void> {
    let state = this.#readers.get(name);
    if (!this.#readers.has(name)) {
      try {
        const stream = this.tool.open(name === "/dev/stdin" ? "-" : name);
        state = { reader: new LineReader(stream, this.tool.coding), lines: [], at: 0 };
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
      }
      this.#readers.set(name, state);
    }
    if (!state) return;
    if (state.at >= state.lines.length) {
      state.lines = (yield* wait(state.reader.next())) ?? [];
      state.at = 0;
    }
    const line = state.lines[state.at++];
    if (line !== undefined) this.#later(() => this.output.line(line));
  }

  /** `e`: the output of a command, before the line, or in its place if the line is the command. */
  *#execute(text: string): Task<void> {
    const found = yield* this.#outputOf(text === "" ? this.#space : text);
    if (text !== "") this.output.text(found);
    else this.#space = found.endsWith(this.options.end) ? found.slice(0, -1) : found;
  }

  *#outputOf(text: string): Task<string> {
    yield* this.#flush();
    const { context, coding } = this.tool;
    const { reader, writer } = makePipe();
    const fds: DescriptorTable = context.fds.fork();
    fds.set(1, writer);
    const child = context.spawn(["sh", "-c", text], { fds });
    const bytes = (yield readAll(reader)) as Uint8Array;
    yield* wait(child.done);
    return coding.decode(bytes);
  }

  *#chooses(command: SedCommand, input: SedInput): Task<boolean> {
    const { from, to } = command;
    if (from === undefined) return true;
    if (to === undefined) return yield* this.#matches(from, input);
    const { line } = input;
    if (command.state === "within") {
      if (to.kind === "match" || to.kind === "last") {
        if (yield* this.#matches(to, input)) command.state = "past";
        return true;
      }
      if (line >= command.end) command.state = "past";
      return line <= command.end;
    }
    if (!(yield* this.#matches(from, input)) && !isMissed(command, line)) return false;
    command.end = to.kind === "line"
      ? to.line
      : to.kind === "count"
      ? line + to.count
      : to.kind === "multiple"
      ? to.of > 0 ? Math.ceil(line / to.of) * to.of : line
      : Infinity;
    command.state = command.end > line ? "within" : "past";
    if (to.kind === "last" && (yield* input.isLast())) command.state = "past";
    return true;
  }

  *#matches(address: Address, input: SedInput): Task<boolean> {
    switch (address.kind) {
      case "line":
        return input.line === address.line;
      case "step":
        return address.step > 0
          ? input.line >= address.first && (input.line - address.first) % address.step === 0
          : input.line === address.first;
      case "last":
        return yield* input.isLast();
      case "match":
        return this.#matcher(address.matcher).test(this.#space);
      default:
        return false;
    }
  }

  #matcher(given: Matcher | undefined): Matcher {
    const matcher = given ?? this.#last;
    if (!matcher) throw new CommandError("no previous regular expression");
    return this.#last = matcher;
  }

  /** Replaces; returns work if something is to be written or run. */
  #substitute(substitution: Substitution): Task<void> | undefined {
    const matcher = this.#matcher(substitution.matcher);
    const text = this.#space;
    const { nth, global, pieces } = substitution;
    let out = "";
    let copied = 0;
    let count = 0;
    for (let from = 0; from <= text.length;) {
      const match = matcher.find(text, from);
      if (!match) break;
      const { start, end } = match;
      // No empty match right after a match.
      if (start === end && start === copied && count > 0 && start > 0 && from === start && this.#ended === start) {
        from = start + 1;
        this.#ended = -1;
        continue;
      }
      count++;
      this.#ended = end;
      if (count >= nth) {
        out += text.slice(copied, start) + fillIn(pieces, text, match);
        copied = end;
        if (!global) break;
      }
      from = end > start ? end : end + (isPair(text, end) ? 2 : 1);
      if (end === start) this.#ended = -1;
    }
    this.#ended = -1;
    if (count < nth) return undefined;
    this.#space = out + text.slice(copied);
    this.#substituted = true;
    if (!substitution.prints && !substitution.executes && substitution.file === undefined) return undefined;
    return this.#finish(substitution);
  }

  /** Where the last match of a substitution ended, or -1. */
  #ended = -1;

  *#finish({ executes, prints, file }: Substitution): Task<void> {
    if (executes) yield* this.#execute("");
    if (prints) this.output.line(this.#space, this.#open);
    if (file !== undefined) yield* this.#writeFile(file, this.#space, this.#open);
  }
}

function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length;
}

/** Whether the line where a range begins was never seen, because it was deleted or joined to another before. */
function isMissed({ from, to, state }: SedCommand, line: number): boolean {
  if (from?.kind !== "line" || state !== "before" || line < from.line) return false;
  return to?.kind !== "line" || line <= to.line;
}
