/** The shell's file system in the form that isomorphic-git takes. */
import type { FsStat } from "just-bash";
import { FIXED_LIMITS } from "../../../limits.ts";
import { checkInterrupt, type Context } from "../just_bash/command.ts";

const OWN = /\/(refs|objects|logs)\/.+|\/(HEAD|[A-Z]+_HEAD|packed-refs|shallow)$/;

/** An error with a code, as Node's have. */
class CodedError extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

export class GitFiles {
  constructor(private readonly ctx: Context) {}

  /** The methods as own properties, which is how isomorphic-git finds them. */
  readonly promises = {
    readFile: (path: string, options?: unknown) => this.readFile(path, options),
    writeFile: (path: string, data: Uint8Array | string) => this.#change(path, () => this.ctx.fs.writeFile(path, data)),
    unlink: (path: string) => this.#change(path, () => this.ctx.fs.rm(path)),
    rm: (path: string) => this.#change(path, () => this.ctx.fs.rm(path, { recursive: true, force: true })),
    readdir: (path: string) => this.#do(() => this.ctx.fs.readdir(path)),
    mkdir: (path: string) => this.#do(() => this.ctx.fs.mkdir(path)),
    rmdir: (path: string) => this.#change(path, () => this.ctx.fs.rm(path)),
    stat: (path: string) => this.#do(async () => nodeStat(await this.ctx.fs.stat(path))),
    lstat: (path: string) => this.#do(async () => nodeStat(await this.ctx.fs.lstat(path))),
    readlink: (path: string) => this.#do(() => this.ctx.fs.readlink(path)),
    symlink: (_: string, path: string) => Promise.reject(new CodedError("EACCES", `${path} may not be a link`)),
  };

  async readFile(path: string, options?: unknown): Promise<Uint8Array | string> {
    return await this.#do(async () => {
      const { size, isDirectory } = await this.ctx.fs.stat(path);
      if (isDirectory) throw new CodedError("EISDIR", `${path} is a directory`);
      if (size > FIXED_LIMITS.gitLimit) {
        throw new CodedError("EFBIG", `${path} is too large to be read here (${size} bytes)`);
      }
      const data = await this.ctx.fs.readFileBuffer(path);
      const encoding = typeof options === "string" ? options : (options as { encoding?: string } | undefined)?.encoding;
      return encoding ? new TextDecoder().decode(data) : data;
    });
  }

  /** The library changes refs and objects, whatever a server or a repository calls them; the rest is not its own. */
  #change<T>(path: string, act: () => Promise<T>): Promise<T> {
    return this.#do(() => {
      if (!OWN.test(path)) throw new CodedError("EACCES", `${path} may not be written`);
      return act();
    });
  }

  /** Every step the library takes is one at which an interrupt is seen. */
  async #do<T>(act: () => Promise<T>): Promise<T> {
    checkInterrupt(this.ctx);
    try {
      return await act();
    } catch (error) {
      throw coded(error);
    }
  }
}

function coded(error: unknown): unknown {
  if (!(error instanceof Error) || "code" in error) return error;
  const code = error.message.match(/^(E[A-Z]+)\b/)?.[1];
  return code === undefined ? error : new CodedError(code, error.message);
}

/** Whether a file operation failed since nothing is there. */
export function isMissing(error: unknown): boolean {
  const text = error instanceof Error ? `${(error as { code?: string }).code ?? ""} ${error.message}` : "";
  return /\bENOENT\b|\bENOTDIR\b/.test(text);
}

function nodeStat(stat: FsStat) {
  const mtimeMs = stat.mtime.getTime();
  const kind = stat.isSymbolicLink ? 0o120000 : stat.isDirectory ? 0o040000 : 0o100000;
  return {
    ...{ dev: 1, ino: stat.ino ?? 0, mode: kind | stat.mode & 0o7777, size: stat.size, uid: 0, gid: 0 },
    ...{ mtimeMs, ctimeMs: mtimeMs },
    isFile: () => stat.isFile,
    isDirectory: () => stat.isDirectory,
    isSymbolicLink: () => stat.isSymbolicLink,
  };
}
