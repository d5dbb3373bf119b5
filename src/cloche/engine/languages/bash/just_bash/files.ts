/** The system's files as just-bash's commands want them. */
import type { ByteString, CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash";
import { FileError, type Stat } from "../../../fs/files.ts";
import { decodeText, encodeText, fromArray, toArray } from "../text/byte_strings.ts";
import { Input } from "../shell/descriptors/input.ts";
import type { OpenStream } from "../shell/descriptors/stream.ts";
import type { CommandContext } from "../shell/processes/command.ts";
import { type OpenFlags, resolvePath } from "../shell/processes/system_files.ts";

type ReadOptions = Parameters<IFileSystem["readFile"]>[1];
type WriteOptions = Parameters<IFileSystem["writeFile"]>[2];
type Entries = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>;

const DESCRIPTOR = /^\/dev\/(?:fd\/(\d+)|(stdin|stdout|stderr))$/;
const WRITE: OpenFlags = { read: false, write: true, create: true, truncate: true };
const APPEND: OpenFlags = { read: false, write: true, create: true, append: true };
const MODE = 0o666;

const ENDLESS = /^\/dev\/(zero|u?random)$/;
/** What a command that reads whole files gets of an endless one. */
const START = 1 << 20;

async function readStart(stream: OpenStream): Promise<Uint8Array> {
  const bytes = new Uint8Array(START);
  for (let at = 0; at < START;) {
    const chunk = await stream.read(START - at);
    if (chunk === undefined) break;
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

export class JustBashFs implements IFileSystem {
  /** Why files could not be had, by path: many commands say of every such file that it does not exist. */
  readonly failures = new Map<string, string>();

  constructor(private readonly context: CommandContext) {}

  async readFile(path: string, options?: ReadOptions): Promise<string> {
    const encoding = (typeof options === "string" ? options : options?.encoding) ?? "utf8";
    const bytes = await this.readFileBuffer(path);
    if (encoding === "hex") return bytes.toHex();
    if (encoding === "base64") return bytes.toBase64();
    return encoding === "utf8" || encoding === "utf-8" ? decodeText(fromArray(bytes)) : fromArray(bytes);
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const fd = this.#descriptor(path);
    if (fd !== undefined) return await new Input(this.context.fds.get(fd)).readAll();
    if (ENDLESS.test(path)) return await readStart(this.context.files.open(path, { read: true, write: false }));
    return this.#try(path, (files) => files.readFile(path));
  }

  async readFileBytes(path: string): Promise<ByteString> {
    return fromArray(await this.readFileBuffer(path)) as unknown as ByteString;
  }

  async writeFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
    await this.#write(path, encode(content, options), WRITE);
  }

  async appendFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
    await this.#write(path, encode(content, options), APPEND);
  }

  async #write(path: string, bytes: Uint8Array, flags: OpenFlags): Promise<void> {
    const fd = this.#descriptor(path);
    if (fd !== undefined) return await this.context.fds.get(fd).write(bytes);
    const stream = this.#try(path, (files) => files.open(path, flags, MODE & ~this.context.umask));
    try {
      await stream.write(bytes);
    } finally {
      stream.close();
    }
  }

  exists(path: string): Promise<boolean> {
    return Promise.resolve(this.#descriptor(path) !== undefined || this.context.files.exists(path));
  }

  stat(path: string): Promise<FsStat> {
    const fd = this.#descriptor(path);
    if (fd !== undefined) return Promise.resolve({ ...toStat(this.context.fds.get(fd).stat()), isFile: true });
    return this.#later(path, (files) => toStat(files.stat(path)));
  }

  lstat(path: string): Promise<FsStat> {
    if (this.#descriptor(path) !== undefined) return this.stat(path);
    return this.#later(path, (files) => toStat(files.lstat(path)));
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  readdirWithFileTypes(path: string): Promise<Entries> {
    return this.#later(path, (files) =>
      files.list(path).map(({ name, kind }) => ({
        name,
        isFile: kind === "file" || kind === "other",
        isDirectory: kind === "directory",
        isSymbolicLink: kind === "link",
      })).sort((a, b) => a.name < b.name ? -1 : 1));
  }

  mkdir(path: string, options?: MkdirOptions): Promise<void> {
    return this.#later(path, (files) => {
      const mode = 0o777 & ~this.context.umask;
      if (!options?.recursive) return files.makeDirectory(path, mode);
      let at = "";
      for (const name of path.split("/").filter(Boolean)) {
        at += `/${name}`;
        if (!files.exists(at)) files.makeDirectory(at, mode);
      }
      if (files.stat(path).kind !== "directory") throw new FileError("EEXIST", path);
    });
  }

  rm(path: string, options?: RmOptions): Promise<void> {
    return this.#later(path, () => {
      try {
        this.#remove(path, options?.recursive ?? false);
      } catch (error) {
        if (!(options?.force && error instanceof FileError && error.code === "ENOENT")) throw error;
      }
    });
  }

  #remove(path: string, recursive: boolean): void {
    const { files } = this.context;
    if (files.lstat(path).kind !== "directory") return files.removeFile(path);
    if (recursive) { for (const { name } of files.list(path)) this.#remove(`${path}/${name}`, true); }
    files.removeDirectory(path);
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    const stat = options?.recursive ? await this.lstat(from) : await this.stat(from);
    if (stat.isSymbolicLink) {
      await this.rm(to, { force: true });
      return await this.symlink(await this.readlink(from), to);
    }
    if (!stat.isDirectory) {
      await this.writeFile(to, await this.readFileBuffer(from));
      await this.chmod(to, stat.mode & 0o7777);
      return;
    }
    if (!options?.recursive) throw new FileError("EISDIR", from);
    const names = await this.readdir(from);
    await this.mkdir(to, { recursive: true });
    for (const name of names) await this.cp(`${from}/${name}`, `${to}/${name}`, options);
  }

  async mv(from: string, to: string): Promise<void> {
    try {
      return this.context.files.rename(from, to);
    } catch (error) {
      if (!(error instanceof FileError && error.code === "EXDEV")) throw error;
    }
    await this.cp(from, to, { recursive: true });
    await this.rm(from, { recursive: true });
  }

  resolvePath(base: string, path: string): string {
    return resolvePath(base, path);
  }

  getAllPaths(): string[] {
    return [];
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#later(path, (files) => files.chmod(path, mode));
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#later(path, (files) => files.makeLink(target, path));
  }

  link(from: string, to: string): Promise<void> {
    return this.#later(from, (files) => files.hardLink(from, to));
  }

  readlink(path: string): Promise<string> {
    return this.#later(path, (files) => files.readLink(path));
  }

  realpath(path: string): Promise<string> {
    return this.#later(path, (files) => files.realPath(path));
  }

  utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    return this.#later(path, (files) => files.setTimes(path, +atime, +mtime));
  }

  /** The descriptor that a path names. */
  #descriptor(path: string): number | undefined {
    const [, number, name] = DESCRIPTOR.exec(path) ?? [];
    const fd = number !== undefined
      ? Number(number)
      : name === undefined
      ? -1
      : ["stdin", "stdout", "stderr"].indexOf(name);
    return fd >= 0 && this.context.fds.has(fd) ? fd : undefined;
  }

  #later<T>(path: string, act: (files: CommandContext["files"]) => T): Promise<T> {
    try {
      return Promise.resolve(this.#try(path, act));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #try<T>(path: string, act: (files: CommandContext["files"]) => T): T {
    try {
      const value = act(this.context.files);
      this.failures.delete(path);
      return value;
    } catch (error) {
      if (error instanceof FileError) this.failures.set(path, error.code);
      throw error;
    }
  }
}

function encode(content: FileContent, options: WriteOptions): Uint8Array {
  if (typeof content !== "string") return content;
  const encoding = (typeof options === "string" ? options : options?.encoding) ?? "utf8";
  if (encoding === "hex") return Uint8Array.fromHex(content);
  if (encoding === "base64") return Uint8Array.fromBase64(content);
  return toArray(encoding === "binary" || encoding === "latin1" ? content : encodeText(content));
}

function toStat(stat: Stat): FsStat {
  return {
    isFile: stat.kind === "file" || stat.kind === "other",
    isDirectory: stat.kind === "directory",
    isSymbolicLink: stat.kind === "link",
    mode: stat.mode & 0o7777,
    size: stat.size,
    mtime: new Date(stat.mtime),
    ino: stat.ino,
    dev: 1,
  };
}
