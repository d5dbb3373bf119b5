/** awk as a command of the shell. */
import { encodeText, fromArray, toArray } from "../../streams/byte_strings.ts";
import { outputOf } from "../../streams/output.ts";
import { reasonOf } from "../../interpreter/file_errors.ts";
import { bytesResult, checkInterrupt, type Context, defineCommand, pathOf, stdinOf } from "../command.ts";
import { runAwk } from "./awk.ts";
import { AwkError } from "./errors.ts";
import { type AwkHost, type ByteReader, type ByteWriter, OpenError } from "./host.ts";
import { concatBytes } from "../../../../text/bytes.ts";

/** How long a program may compute before others have their turn. */
const TURN_MS = 50;

/** Bytes that are all there. */
function readerOf(load: () => Uint8Array, code = 0, ended?: () => void): ByteReader {
  let isRead = false;
  return {
    read() {
      if (isRead) {
        ended?.();
        return undefined;
      }
      isRead = true;
      return load();
    },
    close: () => Promise.resolve(code),
  };
}

/** The shell's commands, files and streams for awk. */
class ShellHost implements AwkHost {
  readonly environment: Record<string, string>;
  readonly stdin: ByteReader;
  readonly stdout: ByteWriter;
  readonly stderr: ByteWriter;
  #turn = performance.now();
  #hasRead = false;

  constructor(private readonly ctx: Context) {
    const output = outputOf(ctx);
    this.environment = ctx.exportedEnv ?? {};
    output.drained(false);
    const load = () => {
      this.#hasRead = true;
      return toArray(stdinOf(ctx));
    };
    this.stdin = readerOf(load, 0, () => output.drained(true));
    const close = () => Promise.resolve(0);
    this.stdout = {
      get closed() {
        return output.closed;
      },
      write: (data) => output.stdout(data),
      close,
    };
    this.stderr = { closed: false, write: (data) => output.stderr(data), close };
  }

  async openInput(path: string): Promise<ByteReader> {
    const { fs } = this.ctx;
    const whole = pathOf(this.ctx, path);
    try {
      if ((await fs.stat(whole)).isDirectory) throw new OpenError("Is a directory", true);
      const data = await fs.readFileBuffer(whole);
      return readerOf(() => data);
    } catch (error) {
      throw asOpenError(error);
    }
  }

  async openOutput(path: string, append: boolean): Promise<ByteWriter> {
    const { fs } = this.ctx;
    const whole = pathOf(this.ctx, path);
    try {
      if (append) await fs.appendFile(whole, new Uint8Array(0));
      else await fs.writeFile(whole, new Uint8Array(0));
    } catch (error) {
      throw asOpenError(error);
    }
    const write = async (data: Uint8Array) => {
      try {
        await fs.appendFile(whole, data);
      } catch (error) {
        throw new AwkError(`cannot write to \`${path}': ${reasonOf(error)}`);
      }
    };
    return { closed: false, write, close: () => Promise.resolve(0) };
  }

  async runCommand(command: string): Promise<number> {
    const { code, data } = await this.#run(command, this.#unread());
    await this.stdout.write(data);
    return code;
  }

  async openCommandOutput(command: string): Promise<ByteReader> {
    const { code, data } = await this.#run(command, this.#unread());
    return readerOf(() => data, code);
  }

  openCommandInput(command: string): Promise<ByteWriter> {
    const parts: Uint8Array[] = [];
    const close = async () => {
      const { code, data } = await this.#run(command, fromArray(concatBytes(parts)));
      await this.stdout.write(data);
      return code;
    };
    return Promise.resolve({ closed: false, write: (data: Uint8Array) => void parts.push(data), close });
  }

  /** A command that reads first and writes then; one that does both by turns cannot run here. */
  openCoprocess(command: string): Promise<{ reader: ByteReader; writer: ByteWriter }> {
    const parts: Uint8Array[] = [];
    let result: Promise<{ code: number; data: Uint8Array }> | undefined;
    let isRead = false;
    const run = () => result ??= this.#run(command, fromArray(concatBytes(parts)));
    const reader: ByteReader = {
      async read() {
        const { data } = await run();
        if (isRead) return undefined;
        isRead = true;
        return data;
      },
      close: async () => (await run()).code,
    };
    const write = (data: Uint8Array) => {
      if (result) throw new AwkError(`cannot write to \`${command}' after reading from it`);
      parts.push(data);
    };
    return Promise.resolve({ reader, writer: { closed: false, write, close: () => Promise.resolve(0) } });
  }

  attend(): void | Promise<void> {
    checkInterrupt(this.ctx);
    if (performance.now() - this.#turn < TURN_MS) return;
    return new Promise((resolve) =>
      setTimeout(() => {
        this.#turn = performance.now();
        resolve();
      }, 0)
    );
  }

  /** Standard input for a command, if awk has not read it. */
  #unread(): string {
    return this.#hasRead ? "" : stdinOf(this.ctx);
  }

  async #run(command: string, stdin: string): Promise<{ code: number; data: Uint8Array }> {
    const { ctx } = this;
    if (!ctx.exec) throw new AwkError("cannot run commands here");
    const { stdout, stderr, stdoutKind, exitCode } = await ctx.exec(command, {
      cwd: ctx.cwd,
      signal: ctx.signal,
      stdin,
      stdinKind: "bytes",
    });
    if (stderr !== "") await this.stderr.write(toArray(encodeText(stderr)));
    // A signal is told as awk does: 256 and its number.
    const code = exitCode > 128 && exitCode < 160 ? 256 + exitCode - 128 : exitCode;
    return { code, data: toArray(stdoutKind === "bytes" ? stdout : encodeText(stdout)) };
  }
}

function asOpenError(error: unknown): OpenError {
  return error instanceof OpenError ? error : new OpenError(reasonOf(error));
}

function awk(name: string) {
  return defineCommand(name, async (args, ctx) => bytesResult("", await runAwk(args, new ShellHost(ctx))));
}

export const commands = [awk("awk"), awk("gawk"), awk("mawk"), awk("nawk")];
