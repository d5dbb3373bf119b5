/** Lets a command write its output while it runs, wherever it goes. */
import type { CommandContext } from "just-bash";
import { encodeText, fromArray } from "./byte_strings.ts";
import { explainCut, type ReadLimit } from "./endless_sources.ts";
import { Pipe, type Sink, type Target } from "./sinks.ts";

/** Output of a running command; what is written arrives in order with the rest, redirected or piped as the user asked. */
export interface CommandOutput {
  /** The run that has begun the command; 0 if none has. */
  readonly run: number;
  /** True if standard output is shown immediately: not piped, redirected or substituted. */
  readonly live: boolean;
  /** True if standard output is seen at once on a terminal that shows colours. */
  readonly terminal: boolean;
  /** True if standard input is from the previous command of a pipeline. */
  readonly piped: boolean;
  /** True if both streams are seen at once, each as itself: neither is redirected. */
  readonly direct: boolean;
  /** True if both streams go to one place. */
  readonly together: boolean;
  /** True if standard output is kept in memory for the next command of a pipeline, or for a substitution. */
  readonly pipe: boolean;
  /** How much of standard output is read at most, where that is known. */
  readonly wanted: ReadLimit | undefined;
  /** Bytes that an endless source writes into a pipe at most. */
  readonly most: number;
  /** True once the reader of standard output has left: stop writing. */
  readonly closed: boolean;
  /** Reports that an endless source wrote only a part; false if that does not matter. */
  cut(source: string): boolean;
  /** Says whether the program has read its standard input to the end. */
  drained(ended: boolean): void;
  stdout(data: Uint8Array | string): void;
  stderr(data: Uint8Array | string): void;
}

/** Key of a question put to the interpreter through `ctx.exec`, the one way to it that a command is given. */
export const ASK: unique symbol = Symbol("cloche.output");

/** Key under which a command's context carries its output. */
export const OUTPUT: unique symbol = Symbol("cloche.command.output");

/** The request: the answering code calls it with the current sink, whether standard input is a pipe, and the run. */
export type Ask = (sink: Sink, piped: boolean, run: number) => void;

/** Where the output of the command that was given `ctx` goes. */
export function outputOf(ctx: Pick<CommandContext, "exec" | "cwd" | "env">): CommandOutput {
  const given = (ctx as { [OUTPUT]?: CommandOutput })[OUTPUT];
  if (given) return given;
  let sink: Sink | undefined;
  let [piped, run] = [false, 0];
  const ask: Ask = (...answer) => {
    [sink, piped, run] = answer;
  };
  ctx.exec?.("", { cwd: ctx.cwd, [ASK]: ask } as { cwd: string });
  if (!sink) throw new Error("this command was not started by the shell");
  const term = ctx.env.get("TERM") ?? "";
  return new SinkOutput(sink, run, piped, term !== "" && term !== "dumb");
}

class SinkOutput implements CommandOutput {
  private readonly out: Target;
  private readonly err: Target;

  constructor(
    private readonly sink: Sink,
    readonly run: number,
    readonly piped: boolean,
    private readonly colours: boolean,
  ) {
    this.out = sink.out;
    this.err = sink.err;
  }

  get live(): boolean {
    return this.out.live;
  }

  get terminal(): boolean {
    return this.out.live && this.colours;
  }

  get direct(): boolean {
    return this.out.live && this.err.live && !this.together;
  }

  get together(): boolean {
    return this.out === this.err;
  }

  get pipe(): boolean {
    return this.out instanceof Pipe;
  }

  get wanted(): ReadLimit | undefined {
    return this.out instanceof Pipe ? { lines: this.out.lines, bytes: this.out.bytes } : undefined;
  }

  get most(): number {
    return this.out instanceof Pipe ? this.out.most : Infinity;
  }

  get closed(): boolean {
    return this.out.closed;
  }

  cut(source: string): boolean {
    if (this.out instanceof Pipe) this.out.cut = explainCut(source, this.out.most);
    return this.out instanceof Pipe;
  }

  drained(ended: boolean): void {
    this.sink.drained = ended;
  }

  stdout(data: Uint8Array | string): void {
    write(this.out, data);
  }

  stderr(data: Uint8Array | string): void {
    write(this.err, data);
  }
}

function write(target: Target, data: Uint8Array | string): void {
  if (typeof data === "string") target.write(encodeText(data));
  else if (target.writeArray) target.writeArray(data);
  else target.write(fromArray(data));
}
