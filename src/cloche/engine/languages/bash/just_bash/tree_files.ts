/** The guest's folders as just-bash sees them; everything outside (/dev, /bin, /proc) is just-bash's own, in memory. */

import type { BufferEncoding, CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash";
import { decodeLatin1, encodeLatin1 } from "../../../text/bytes.ts";
import { FileError, type OpenMode, type Stat } from "../../../fs/files.ts";
import { joinPath, type Tree } from "../../../fs/tree.ts";

const DEVICE = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd(\/.*)?|shm(\/.*)?)$/;

type Encoding = { encoding?: BufferEncoding | null } | BufferEncoding;

const WRITE: OpenMode = { read: false, write: true, create: true, exclusive: false, truncate: true };
const APPEND: OpenMode = { ...WRITE, truncate: false };

export class BashFiles implements IFileSystem {
  #opened: Promise<IFileSystem> | undefined;

  constructor(private readonly tree: Tree, private readonly openRest: () => Promise<IFileSystem>) {}

  /** What is outside, opened when it is needed. */
  get #rest(): Promise<IFileSystem> {
    return this.#opened ??= this.openRest();
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    if (!this.#ours(path)) return await (await this.#rest).readFile(path, options as BufferEncoding);
    return decode(this.tree.readFile(path), encodingOf(options));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    if (!this.#ours(path)) return await (await this.#rest).readFileBuffer(path);
    return this.tree.readFile(path);
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    if (!this.#ours(path)) {
      return await device(
        path,
        async () => await (await this.#rest).writeFile(path, content, options as BufferEncoding),
      );
    }
    this.#write(path, encode(content, encodingOf(options)), WRITE);
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    if (!this.#ours(path)) {
      return await device(
        path,
        async () => await (await this.#rest).appendFile(path, content, options as BufferEncoding),
      );
    }
    this.#write(path, encode(content, encodingOf(options)), APPEND);
  }

  async exists(path: string): Promise<boolean> {
    return this.tree.holds(path) ? this.tree.exists(path) : await (await this.#rest).exists(path);
  }

  async stat(path: string): Promise<FsStat> {
    return this.tree.holds(path) ? toStat(this.tree.stat(path)) : await (await this.#rest).stat(path);
  }

  async lstat(path: string): Promise<FsStat> {
    return this.tree.holds(path) ? toStat(this.tree.lstat(path)) : await (await this.#rest).lstat(path);
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    if (!this.#ours(path)) {
      if (options?.recursive && await this.exists(path)) return;
      return await device(path, async () => await (await this.#rest).mkdir(path, options));
    }
    if (!options?.recursive) return this.tree.makeDirectory(path);
    let at = "";
    for (const name of path.split("/").filter(Boolean)) {
      at += "/" + name;
      if (this.tree.exists(at)) continue;
      this.tree.makeDirectory(at);
    }
    if (this.tree.stat(path).kind !== "directory") throw new FileError("EEXIST", path);
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map((entry) => entry.name);
  }

  async readdirWithFileTypes(path: string) {
    const ours = this.tree.holds(path);
    const entries = ours || path === "/" ? this.tree.list(path) : [];
    const list = entries.map(({ name, kind }) => ({
      name,
      isFile: kind === "file",
      isDirectory: kind === "directory",
      isSymbolicLink: kind === "link",
    }));
    const known = new Set(list.map((entry) => entry.name));
    if (!ours) {
      const more = await (await this.#rest).readdirWithFileTypes?.(path) ?? [];
      list.push(...more.filter((entry) => !known.has(entry.name)));
    }
    return list.sort((a, b) => a.name < b.name ? -1 : 1);
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    if (!this.#ours(path)) return await device(path, async () => await (await this.#rest).rm(path, options));
    try {
      this.#remove(path, options?.recursive ?? false);
    } catch (error) {
      if (!(options?.force && error instanceof FileError && error.code === "ENOENT")) throw error;
    }
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
    for (const name of names) await this.cp(joinPath(from, name), joinPath(to, name), options);
  }

  async mv(from: string, to: string): Promise<void> {
    if (this.#ours(from) && this.#ours(to)) {
      try {
        return this.tree.rename(from, to);
      } catch (error) {
        if (!(error instanceof FileError && error.code === "EXDEV")) throw error;
      }
    } else if (!this.#ours(from) && !this.#ours(to)) {
      return await device(to, async () => await (await this.#rest).mv(from, to));
    }
    await this.cp(from, to, { recursive: true });
    await this.rm(from, { recursive: true });
  }

  resolvePath(base: string, path: string): string {
    const done: string[] = [];
    for (const name of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
      if (name === "..") done.pop();
      else if (name !== "" && name !== ".") done.push(name);
    }
    return "/" + done.join("/");
  }

  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string, mode: number): Promise<void> {
    if (!this.#ours(path)) return await device(path, async () => await (await this.#rest).chmod(path, mode));
    this.tree.chmod(path, mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    if (!this.#ours(path)) return await device(path, async () => await (await this.#rest).symlink(target, path));
    this.tree.makeLink(target, path);
  }

  async link(from: string, to: string): Promise<void> {
    if (!this.#ours(from) && !this.#ours(to)) {
      return await device(to, async () => await (await this.#rest).link(from, to));
    }
    this.tree.hardLink(from, to);
  }

  async readlink(path: string): Promise<string> {
    return this.#ours(path) ? this.tree.readLink(path) : await (await this.#rest).readlink(path);
  }

  async realpath(path: string): Promise<string> {
    return this.#ours(path) ? this.tree.realPath(path) : await (await this.#rest).realpath(path);
  }

  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    if (!this.#ours(path)) return await device(path, async () => await (await this.#rest).utimes(path, atime, mtime));
    this.tree.setTimes(path, +atime, +mtime);
  }

  #ours(path: string): boolean {
    return this.tree.covers(path);
  }

  #write(path: string, data: Uint8Array, mode: OpenMode): void {
    const file = this.tree.open(path, mode);
    try {
      let position = mode.truncate ? 0 : file.stat().size;
      for (let done = 0; done < data.length;) {
        const count = file.write(data.subarray(done), position);
        done += count;
        position += count;
      }
    } finally {
      file.close();
    }
  }

  #remove(path: string, recursive: boolean): void {
    if (this.tree.lstat(path).kind !== "directory") return this.tree.removeFile(path);
    if (recursive) { for (const { name } of this.tree.list(path)) this.#remove(joinPath(path, name), true); }
    this.tree.removeDirectory(path);
  }
}

/** Outside the folders there are only devices to write to. */
function device<T>(path: string, act: () => T): T {
  if (!DEVICE.test(path)) throw new FileError("EACCES", path);
  return act();
}

function toStat(stat: Stat): FsStat {
  return {
    isFile: stat.kind === "file",
    isDirectory: stat.kind === "directory",
    isSymbolicLink: stat.kind === "link",
    mode: stat.mode & 0o7777,
    size: stat.size,
    mtime: new Date(stat.mtime),
    ino: stat.ino,
    dev: 1,
  };
}

function encodingOf(options?: Encoding): string {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

function decode(data: Uint8Array, encoding: string): string {
  if (encoding === "hex") return data.toHex();
  if (encoding === "base64") return data.toBase64();
  const plain = encoding === "binary" || encoding === "latin1" || encoding === "ascii";
  return plain ? decodeLatin1(data) : new TextDecoder().decode(data);
}

function encode(content: FileContent, encoding: string): Uint8Array {
  if (typeof content !== "string") return content;
  if (encoding === "hex") return Uint8Array.fromHex(content);
  if (encoding === "base64") return Uint8Array.fromBase64(content);
  return encoding === "binary" || encoding === "latin1" ? encodeLatin1(content) : new TextEncoder().encode(content);
}
