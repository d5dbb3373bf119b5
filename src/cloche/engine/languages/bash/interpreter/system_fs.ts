/** The file system as programs see it: the given one, plus devices and the programs in /bin and /usr/bin. */
import {
  type ByteString,
  type CpOptions,
  type FileContent,
  type FsStat,
  type IFileSystem,
  type MkdirOptions,
  type RmOptions,
  unsafeBytesFromLatin1,
} from "just-bash";
import { decodeText, encodeText, fromArray, toArray } from "../streams/byte_strings.ts";
import { EndlessInput } from "../streams/endless_sources.ts";
import { Failures } from "./file_errors.ts";

type ReadOptions = Parameters<IFileSystem["readFile"]>[1];
type WriteOptions = Parameters<IFileSystem["writeFile"]>[2];
type Entries = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>;

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE = /^\/dev\/(null|zero|full|u?random|tty)$/;
const PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;
const FOLDER = /^\/(?:usr(?:\/bin)?|bin|dev)$/;
const RANDOM_CHUNK = 65536;

export class SystemFs implements IFileSystem {
  /** The registered commands, by name. */
  programs: ReadonlyMap<string, unknown> = new Map();
  readonly #started = new Date();

  readonly supply = new EndlessInput();
  readonly failures = new Failures();
  private readonly fs: IFileSystem;

  constructor(fs: IFileSystem) {
    this.fs = this.failures.watch(fs);
  }

  async readFile(path: string, options?: ReadOptions): Promise<string> {
    const encoding = typeof options === "string" ? options : options?.encoding;
    const utf8 = encoding === undefined || encoding === null || encoding === "utf8" || encoding === "utf-8";
    return utf8 ? decodeText(fromArray(await this.readFileBuffer(path))) : await this.fs.readFile(path, options);
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#content(path) ?? await this.fs.readFileBuffer(path);
  }

  async readFileBytes(path: string): Promise<ByteString> {
    return unsafeBytesFromLatin1(fromArray(await this.readFileBuffer(path)));
  }

  async writeFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
    if (!this.#swallow(path)) await this.fs.writeFile(path, ...exact(content, options));
  }

  async appendFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
    if (!this.#swallow(path)) await this.fs.appendFile(path, ...exact(content, options));
  }

  async exists(path: string): Promise<boolean> {
    return this.#own(path) !== undefined || await this.fs.exists(path);
  }

  async stat(path: string): Promise<FsStat> {
    return this.#own(path) ?? await this.fs.stat(path);
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#own(path) ?? await this.fs.lstat(path);
  }

  async readdir(path: string): Promise<string[]> {
    const names = await this.fs.readdir(path).catch((error) => {
      if (FOLDER.test(path)) return [];
      throw error;
    });
    const known = new Set(names);
    return [...names, ...this.#listed(path).filter((name) => !known.has(name))].sort();
  }

  async readdirWithFileTypes(path: string): Promise<Entries> {
    if (!FOLDER.test(path) && path !== "/" && this.fs.readdirWithFileTypes) {
      return await this.fs.readdirWithFileTypes(path);
    }
    const names = await this.readdir(path);
    const stats = await Promise.all(names.map((name) => this.lstat(`${path === "/" ? "" : path}/${name}`)));
    return names.map((name, i) => {
      const { isFile, isDirectory, isSymbolicLink } = stats[i];
      return { name, isFile, isDirectory, isSymbolicLink };
    });
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    if (!(FOLDER.test(path) && options?.recursive)) await this.fs.mkdir(path, options);
  }

  rm(path: string, options?: RmOptions): Promise<void> {
    return this.fs.rm(path, options);
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    const own = this.#content(from);
    await (own ? this.writeFile(to, own) : this.fs.cp(from, to, options));
  }

  mv(from: string, to: string): Promise<void> {
    return this.fs.mv(from, to);
  }

  resolvePath(base: string, path: string): string {
    return this.fs.resolvePath(base, path);
  }

  getAllPaths(): string[] {
    return this.fs.getAllPaths();
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.fs.chmod(path, mode);
  }

  symlink(target: string, path: string): Promise<void> {
    return this.fs.symlink(target, path);
  }

  link(from: string, to: string): Promise<void> {
    return this.fs.link(from, to);
  }

  readlink(path: string): Promise<string> {
    return this.fs.readlink(path);
  }

  async realpath(path: string): Promise<string> {
    return this.#own(path) ? path : await this.fs.realpath(path);
  }

  async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    if (!this.#own(path)) await this.fs.utimes(path, atime, mtime);
  }

  #own(path: string): FsStat | undefined {
    const folder = FOLDER.test(path);
    const name = path.match(PROGRAM)?.[1];
    if (!folder && !DEVICE.test(path) && !(name !== undefined && this.programs.has(name))) return undefined;
    const mode = folder || name !== undefined ? 0o755 : 0o666;
    return { isFile: !folder, isDirectory: folder, isSymbolicLink: false, mode, size: 0, mtime: this.#started };
  }

  #content(path: string): Uint8Array | undefined {
    const device = path.match(DEVICE)?.[1];
    const name = path.match(PROGRAM)?.[1];
    if (name !== undefined && this.programs.has(name)) return new TextEncoder().encode(`#!/bin/bash\n${name} "$@"\n`);
    if (device === undefined) return undefined;
    if (device === "null" || device === "tty") return new Uint8Array();
    return deviceBytes(device, this.supply.give(path));
  }

  #swallow(path: string): boolean {
    if (path === "/dev/full") throw new Error("ENOSPC: no space left on device, write");
    return DEVICE.test(path);
  }

  #listed(path: string): string[] {
    if (path === "/") return ["bin", "dev", "usr"];
    if (path === "/usr") return ["bin"];
    return path === "/dev" ? DEVICES : FOLDER.test(path) ? [...this.programs.keys()] : [];
  }
}

/** Text that stands for bytes that are no UTF-8 is written as those bytes. */
function exact(content: FileContent, options: WriteOptions): [FileContent, WriteOptions?] {
  const escaped = typeof content === "string" && /[\udc80-\udcff]/u.test(content);
  return escaped ? [toArray(encodeText(content))] : [content, options];
}

/** The endless device that a path names. */
export function endlessDevice(path: string): string | undefined {
  return path.match(/^\/dev\/(zero|u?random)$/)?.[1];
}

/** Some bytes of an endless device. */
export function deviceBytes(device: string, count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  if (!device.endsWith("random")) return bytes;
  for (let at = 0; at < count; at += RANDOM_CHUNK) crypto.getRandomValues(bytes.subarray(at, at + RANDOM_CHUNK));
  return bytes;
}
