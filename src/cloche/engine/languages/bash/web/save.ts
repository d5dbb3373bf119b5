/** Where a body goes: the output of a command, or a file, in pieces that are not held for long. */
import type { CommandOutput } from "../just_bash/output.ts";
import { asCommandError, type Context, pathOf } from "../just_bash/command.ts";

const GATHERED = 1 << 20;

export interface Destination {
  /** False when no more is wanted. */
  write(piece: Uint8Array): Promise<boolean>;
  end(): Promise<void>;
}

export function toOutput(output: CommandOutput): Destination {
  return {
    write(piece) {
      output.stdout(piece);
      return Promise.resolve(!output.closed);
    },
    end: () => Promise.resolve(),
  };
}

export const NOWHERE: Destination = { write: () => Promise.resolve(true), end: () => Promise.resolve() };

/** A file that is made with the first byte, or at the end; written in large pieces. */
export class FileDestination implements Destination {
  #parts: Uint8Array[] = [];
  #size = 0;
  #begun: boolean;

  /** `more`: the file stays and is added to. */
  constructor(private readonly ctx: Context, private readonly path: string, more = false) {
    this.#begun = more;
  }

  async write(piece: Uint8Array): Promise<boolean> {
    this.#parts.push(piece);
    this.#size += piece.length;
    if (this.#size >= GATHERED) await this.#flush();
    return true;
  }

  async end(): Promise<void> {
    if (this.#size > 0 || !this.#begun) await this.#flush();
  }

  async #flush(): Promise<void> {
    const whole = pathOf(this.ctx, this.path);
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    try {
      if (!this.#begun) await this.ctx.fs.writeFile(whole, parts.shift() ?? "");
      this.#begun = true;
      for (const part of parts) await this.ctx.fs.appendFile(whole, part);
    } catch (error) {
      throw asCommandError(error, this.path);
    }
  }
}

/** Makes the folders above a file. */
export async function makeFolders(ctx: Context, path: string): Promise<void> {
  const whole = pathOf(ctx, path);
  await ctx.fs.mkdir(whole.slice(0, whole.lastIndexOf("/")) || "/", { recursive: true });
}

/** Undoes the content encoding; a piece that cannot be decoded rejects. */
export function decodeBody(next: () => Promise<Uint8Array | null>, encoding: string | undefined) {
  const name = encoding?.toLowerCase().replace(/^x-/, "");
  const format = name === "gzip" || name === "deflate" ? name : undefined;
  if (!format) return next;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await next();
      if (piece) controller.enqueue(piece as Uint8Array<ArrayBuffer>);
      else controller.close();
    },
  });
  const reader = source.pipeThrough(new DecompressionStream(format)).getReader();
  return async () => (await reader.read()).value ?? null;
}
