/** The guest's folders and devices as one file system. */
import type { CommandFiles, CommandNames } from "../../../../fs/command_files.ts";
import { FileError, type Kind, type OpenMode, type Stat } from "../../../../fs/files.ts";
import type { Tree } from "../../../../fs/tree.ts";
import { FIXED_LIMITS } from "../../../../limits.ts";
import { DeviceStream } from "../descriptors/devices.ts";
import { FileStream } from "../descriptors/file.ts";
import type { OpenStream } from "../descriptors/stream.ts";
import { Fifos } from "./fifos.ts";
import { type OpenFlags, resolvePath, type SystemFiles } from "./system_files.ts";

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd"];
const DEVICE = /^\/dev\/(null|zero|full|u?random|tty)$/;
const FOLDER = /^\/(?:dev)?$/;

/** Folders that every system has, in which nobody but its owner makes files. */
const OTHERS_FOLDERS = new Set(["/etc", "/lib", "/opt", "/root", "/sbin", "/srv", "/usr", "/usr/local", "/var"]);

export class GuestFiles implements SystemFiles {
  readonly #started = Date.now();

  readonly #fifos: Fifos;

  /** `commands` are those in the tree's /usr/bin and /bin. */
  constructor(private readonly tree: Tree, private readonly commands: CommandFiles) {
    this.#fifos = new Fifos((path) => tree.realPath(path));
  }

  /** Makes these the commands that have files. */
  showCommands(names: CommandNames): void {
    this.commands.names = names;
  }

  resolve(base: string, path: string): string {
    if (!/(?:^|\/)\.\.(?:\/|$)/.test(path)) return resolvePath(base, path);
    let at = path.startsWith("/") ? "/" : base;
    for (const name of path.split("/")) {
      if (name !== "..") at = resolvePath(at, name);
      else if (this.exists(at)) at = resolvePath(this.realPath(at), "..");
      else throw new FileError("ENOENT", at);
    }
    return at;
  }

  stat(path: string): Stat {
    const stat = this.#own(path) ?? this.#orDevice(path, () => this.tree.stat(path), (device) => this.stat(device));
    return this.#fifos.find(path, true) ? this.#fifos.describe(stat) : stat;
  }

  lstat(path: string): Stat {
    const stat = this.#own(path) ?? this.tree.lstat(path);
    return this.#fifos.find(path, false) ? this.#fifos.describe(stat) : stat;
  }

  makeFifo(path: string, permissions: number): void {
    if (this.exists(path)) throw new FileError("EEXIST", path);
    this.#checkFolder(path);
    const mode = { read: false, write: true, create: true, exclusive: true, truncate: false };
    this.tree.open(path, mode, permissions).close();
    this.tree.chmod(path, permissions);
    this.#fifos.add(path);
  }

  exists(path: string): boolean {
    return this.#own(path) !== undefined || this.tree.exists(path) || this.#linkedDevice(path) !== undefined;
  }

  list(path: string): { name: string; kind: Kind }[] {
    const own = this.#listed(path);
    try {
      const known = new Set(own.map(({ name }) => name));
      const listed = this.tree.list(path).filter(({ name }) => !known.has(name));
      const isFifo = (name: string) => this.#fifos.find(`${path === "/" ? "" : path}/${name}`, false) !== undefined;
      return [...own, ...listed.map((each) => isFifo(each.name) ? { ...each, kind: "other" as const } : each)];
    } catch (error) {
      if (own.length === 0) throw error;
      return own;
    }
  }

  realPath(path: string): string {
    if (this.#own(path) && !this.tree.holds(path)) return path;
    return this.#orDevice(path, () => this.tree.realPath(path), (device) => device);
  }

  readLink(path: string): string {
    return this.tree.readLink(path);
  }

  readFile(path: string): Uint8Array {
    if (DEVICE.test(path)) return new Uint8Array();
    return this.tree.readFile(path);
  }

  open(path: string, flags: OpenFlags, permissions?: number): OpenStream {
    const [, device] = DEVICE.exec(path) ?? [];
    if (device !== undefined) return openDevice(device);
    const { read, write, append, create = false, exclusive = false, truncate = false } = flags;
    const fifo = this.#fifos.find(path, true);
    if (fifo) return fifo.open({ read, write }, path);
    if (this.#own(path)) throw new FileError(write ? "EACCES" : "EISDIR", path);
    if (write) this.#checkFolder(path);
    const mode: OpenMode = { read, write, create, exclusive, truncate };
    const made = create && permissions !== undefined && (permissions & 0o022) !== 0 && !this.tree.exists(path);
    const open = () => new FileStream(this.tree.open(path, mode, permissions), { read, write, append }, path);
    const stream = this.#orDevice<OpenStream>(path, open, (device) => this.open(device, flags));
    // The process that holds the sandbox has a umask of its own.
    if (made && stream.kind === "file") this.tree.chmod(path, permissions);
    return stream;
  }

  /** Outside the folders nothing can be made. */
  #checkFolder(path: string): void {
    if (this.tree.holds(path)) return;
    const above = path.slice(0, path.lastIndexOf("/")) || "/";
    const there = OTHERS_FOLDERS.has(above) || this.exists(above);
    throw new FileError(there ? "EACCES" : "ENOENT", path);
  }

  makeDirectory(path: string, permissions?: number): void {
    if (this.#own(path)) throw new FileError("EEXIST", path);
    this.#checkFolder(path);
    this.tree.makeDirectory(path, permissions);
  }

  removeFile(path: string): void {
    this.tree.removeFile(path);
    this.#fifos.remove(path);
  }

  removeDirectory(path: string): void {
    this.tree.removeDirectory(path);
  }

  rename(from: string, to: string): void {
    this.tree.rename(from, to);
    this.#fifos.rename(from, to);
  }

  makeLink(target: string, path: string): void {
    this.tree.makeLink(target, path);
  }

  hardLink(from: string, to: string): void {
    this.tree.hardLink(from, to);
  }

  chmod(path: string, mode: number): void {
    this.tree.chmod(path, mode);
  }

  setTimes(path: string, atime: number, mtime: number): void {
    this.tree.setTimes(path, atime, mtime);
  }

  isExecutable(path: string): boolean {
    try {
      const { kind, mode } = this.stat(path);
      return kind === "file" && (mode & 0o111) !== 0;
    } catch {
      return false;
    }
  }

  /** Does something with a file; if that fails because a link leads to a device, with the device. */
  #orDevice<T>(path: string, act: () => T, actOn: (device: string) => T): T {
    try {
      return act();
    } catch (error) {
      const device = error instanceof FileError ? this.#linkedDevice(path) : undefined;
      if (device === undefined) throw error;
      return actOn(device);
    }
  }

  /** The device that a link leads to, which the tree does not know. */
  #linkedDevice(path: string): string | undefined {
    try {
      for (let at = path, links = 0; links < FIXED_LIMITS.linksFollowed; links++) {
        at = resolvePath(at.slice(0, at.lastIndexOf("/")) || "/", this.tree.readLink(at));
        if (DEVICE.test(at)) return at;
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
    return undefined;
  }

  #own(path: string): Stat | undefined {
    const folder = FOLDER.test(path);
    if (!folder && !DEVICE.test(path)) return undefined;
    const time = this.#started;
    const mode = folder ? 0o40755 : 0o20666;
    const kind: Kind = folder ? "directory" : "other";
    return { kind, mode, size: 0, mtime: time, atime: time, ino: 1, links: 1 };
  }

  #listed(path: string): { name: string; kind: Kind }[] {
    if (path === "/") return [{ name: "dev", kind: "directory" }];
    return path === "/dev" ? DEVICES.map((name) => ({ name, kind: "other" as const })) : [];
  }
}

function openDevice(device: string): OpenStream {
  return new DeviceStream(device === "urandom" ? "random" : device === "tty" ? "null" : device as "null");
}
