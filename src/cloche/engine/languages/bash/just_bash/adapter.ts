/** Runs commands written for just-bash, and its own, as programs of the shell. */
import {
  type ByteString,
  type Command as JustBashCommand,
  createCommandContext,
  type ExecResult,
  type ResolvedCommandContext,
  unsafeBytesFromLatin1,
} from "just-bash";
import { sameEncoding } from "./results.ts";
import { reasonOf, sayPlainly } from "../text/file_errors.ts";
import { LIMITS } from "./limits.ts";
import { decodeText, encodeMessage, encodeText, fromArray, isBytes, toArray } from "../text/byte_strings.ts";
import { type CommandOutput, OUTPUT } from "./output.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { SinkStream, TextStream } from "../shell/descriptors/devices.ts";
import { Input } from "../shell/descriptors/input.ts";
import { BrokenPipe, type OpenStream } from "../shell/descriptors/stream.ts";
import type { ProgramContext } from "../shell/execution/run_program.ts";
import { Killed } from "../shell/processes/command.ts";
import { JustBashFs } from "./files.ts";
import { type InputPiece, readPiece } from "./whole_input.ts";

/** Commands that only pass on what their child writes, so that the child may write itself. */
const TRANSPARENT = new Set("env timeout xargs time sudo nohup nice ionice stdbuf setsid npm npx".split(" "));

/** Thrown when a command looks at input that has not come yet: it is called again when it has. */
class InputPending extends Error {}

export async function runAdapted(command: JustBashCommand, context: ProgramContext): Promise<number> {
  const args = context.argv.slice(1);
  const call = new AdaptedCall(context, command.name, args);
  let code: number | undefined;
  for (;;) {
    let result: ExecResult | undefined;
    const ctx = call.makeContext();
    try {
      result = await untilAborted(command.execute(args, ctx), context.signal);
    } catch (error) {
      if (!call.pending) throw plain(error);
    }
    if (call.pending) await call.readInput();
    else if (result) {
      const ended = await call.finish(result);
      // A grep that finds something in any piece has found something.
      code = code === undefined ? ended : code === 1 ? ended : ended === 1 ? code : code || ended;
      if (!call.more) return code;
      call.readNext();
      await call.readInput();
    }
  }
}

/** An error of just-bash's own about limits in plain words. */
function plain(error: unknown): unknown {
  if (error instanceof Error && error.message.includes("executionLimits")) {
    return new Error(sayPlainly(error.message, "/"));
  }
  return error;
}

/** Commands that do not look at the signal are left behind when they are to end. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason instanceof Killed ? signal.reason : new Killed(15));
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => {});
  }
}

class AdaptedCall {
  /** Input that is still coming, once a command has looked for it. */
  pending: Promise<InputPiece> | undefined;
  /** Whether the input was a piece, and others follow. */
  more = false;
  readonly #fs: JustBashFs;
  #input: string | undefined;

  constructor(
    private readonly context: ProgramContext,
    private readonly name: string,
    private readonly args: readonly string[],
  ) {
    this.#fs = new JustBashFs(context);
  }

  makeContext(): ResolvedCommandContext {
    const { context } = this;
    // deno-lint-ignore no-this-alias -- the getter below is that of another object
    const call = this;
    const made = createCommandContext(
      {
        fs: this.#fs,
        cwd: context.cwd,
        env: new Map(Object.entries(context.env)),
        exportedEnv: { ...context.env },
        executionLimits: LIMITS,
        signal: context.signal,
        exec: (script, options) => this.#exec(script, options),
        getRegisteredCommands: () => [...context.interpreter.kernel.commands.keys()],
        executionScope: scopeOf(context),
      } as Parameters<typeof createCommandContext>[0],
    );
    Object.defineProperty(made, "stdin", { get: () => call.#stdin(), enumerable: true });
    Object.defineProperty(made, OUTPUT, { value: new StreamOutput(context), enumerable: true });
    return made;
  }

  #stdin(): ByteString {
    if (this.#input === undefined) {
      const stream = this.context.fds.find(0);
      if (!stream || stream.kind === "terminal") this.#input = "";
      else {
        if (stream instanceof TextStream) this.#input = fromArray(new Input(stream).readAll() as Uint8Array);
        else {
          this.readNext();
          throw new InputPending();
        }
      }
    }
    return unsafeBytesFromLatin1(this.#input);
  }

  /** Begins to read the input, or the next piece of it. */
  readNext(): void {
    this.pending = readPiece(this.context.fds.get(0), this.name, this.args);
    this.pending.catch(() => {});
  }

  async readInput(): Promise<void> {
    const { pending } = this;
    this.pending = undefined;
    if (!pending) return;
    const { bytes, more } = await untilAborted(pending, this.context.signal);
    this.#input = fromArray(bytes);
    this.more = more;
  }

  /** Writes what a command has returned. */
  async finish(result: ExecResult): Promise<number> {
    const { stdout, stdoutKind, stdoutEncoding, stderr, exitCode } = sameEncoding(result, this.#input ?? "");
    if (stderr !== "") await this.#write(2, encodeMessage(sayPlainly(this.#trueReasons(stderr), this.context.cwd)));
    if (stdout !== "") {
      const bytes = stdoutKind === "bytes" || stdoutEncoding === "binary" && isBytes(stdout);
      await this.#write(1, bytes ? stdout : encodeText(stdout));
    }
    return exitCode;
  }

  async #write(fd: number, bytes: string): Promise<void> {
    await this.context.fds.find(fd)?.write(toArray(bytes));
  }

  /** Says of files that a command calls absent why they could not be had. */
  #trueReasons(text: string): string {
    if (this.#fs.failures.size === 0) return text;
    return text.replace(
      /^(\w+: (?:.* ')?(.+?)'?): No such file or directory$/gm,
      (line, before: string, name: string) => {
        const code = this.#fs.failures.get(this.#fs.resolvePath(this.context.cwd, name));
        return code === undefined || code === "ENOENT" ? line : `${before}: ${reasonOf({ code })}`;
      },
    );
  }

  async #exec(
    script: string,
    options: { env?: Record<string, string>; cwd?: string; stdin?: string; stdinKind?: string; signal?: AbortSignal },
  ): Promise<ExecResult> {
    const { context } = this;
    const fds = context.fds.fork();
    const through = TRANSPARENT.has(this.name);
    const kept: Record<number, Uint8Array[]> = { 1: [], 2: [] };
    if (!through) {
      for (const fd of [1, 2]) {
        fds.set(
          fd,
          new SinkStream("pipe", (bytes) => void kept[fd].push(bytes)),
        );
      }
    }
    const { stdin = "" } = options;
    if (!through || stdin !== "") {
      fds.set(0, new TextStream(toArray(options.stdinKind === "bytes" ? stdin : encodeText(stdin))));
    }
    const exitCode = await context.runScript(script, {
      fds,
      env: options.env,
      cwd: options.cwd,
      signal: options.signal,
    });
    const [stdout, stderr] = [1, 2].map((fd) => fromArray(concatBytes(kept[fd])));
    return { stdout, stdoutKind: "bytes", stderr: decodeText(stderr), exitCode };
  }
}

/** What commands ask of just-bash's budget: only whether they are to end. */
function scopeOf({ signal, isInterrupted }: ProgramContext) {
  const nothing = { release: () => {} };
  const check = () => {
    if (signal.aborted) throw signal.reason instanceof Error ? signal.reason : new Killed(15);
    // Where a command computes without waiting, no event can arrive.
    if (isInterrupted()) throw new Killed(2);
    return 0;
  };
  return {
    remainingLiveBytes: Number.MAX_SAFE_INTEGER,
    consumeWork: check,
    consumeLimited: check,
    consumeInput: check,
    reserveBytes: () => nothing,
    enterDepth: () => nothing,
    throwIfAborted: () => void check(),
    remainingTimeMs: () => Infinity,
    registerCleanup: () => () => {},
  };
}

/** Output that a command writes while it runs, to its descriptors. */
class StreamOutput implements CommandOutput {
  #closed = false;

  constructor(private readonly context: ProgramContext) {
    this.#stream(1)?.onBroken(() => this.#closed = true);
  }

  #stream(fd: number): OpenStream | undefined {
    return this.context.fds.find(fd);
  }

  get run(): number {
    return this.context.run;
  }

  get live(): boolean {
    return this.#stream(1)?.kind === "terminal";
  }

  get terminal(): boolean {
    const { TERM = "" } = this.context.env;
    return this.live && TERM !== "" && TERM !== "dumb";
  }

  get piped(): boolean {
    return this.#stream(0)?.kind === "pipe";
  }

  get direct(): boolean {
    return this.live && this.#stream(2)?.kind === "terminal" && !this.together;
  }

  get together(): boolean {
    return this.#stream(1) === this.#stream(2);
  }

  get pipe(): boolean {
    return this.#stream(1)?.kind === "pipe";
  }

  get closed(): boolean {
    return this.#closed;
  }

  stdout(data: Uint8Array | string): void {
    this.#write(1, data);
  }

  stderr(data: Uint8Array | string): void {
    this.#write(2, data);
  }

  #write(fd: number, data: Uint8Array | string): void {
    const written = this.#stream(fd)?.write(typeof data === "string" ? toArray(encodeText(data)) : data);
    if (written instanceof Promise) written.catch((error) => this.#closed ||= error instanceof BrokenPipe);
  }
}
