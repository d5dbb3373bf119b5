/** A file system in memory: what a page has instead of the host's folders. Files come in and go out as bytes. */

import { FileError, type Files, type Kind, type OpenFile, type OpenMode, type Stat } from "../../fs/files.ts";

interface Node {
  kind: Kind;
  mode: number;
  mtime: number;
  atime: number;
  ino: number;
  links: number;
  /** The contents of a file; the array may be longer than the file. */
  data: Uint8Array<ArrayBuffer>;
  size: number;
  children: Map<string, Node>;
  /** The target of a link. */
  target: string;
}

const MODES: Record<Kind, number> = { file: 0o644, directory: 0o755, link: 0o777, other: 0 };
const LEAST = 256;
const LARGEST = 1 << 30;

export class MemoryFiles implements Files {
  #inodes = 0;
  readonly #root = this.#make("directory");

  lstat(path: string): Stat {
    return statOf(this.#find(path));
  }

  list(path: string): { name: string; kind: Kind }[] {
    return [...this.#folder(path).children].map(([name, { kind }]) => ({ name, kind }));
  }

  readLink(path: string): string {
    const node = this.#find(path);
    if (node.kind !== "link") throw new FileError("EINVAL");
    return node.target;
  }

  makeLink(target: string, path: string): void {
    this.#add(path, "link").target = target;
  }

  hardLink(from: string, to: string): void {
    const node = this.#find(from);
    if (node.kind === "directory") throw new FileError("EPERM");
    const [parent, name] = this.#place(to);
    if (parent.children.has(name)) throw new FileError("EEXIST");
    parent.children.set(name, node);
    node.links++;
  }

  open(path: string, mode: OpenMode, permissions = MODES.file): OpenFile {
    const [parent, name] = this.#place(path);
    let node = parent.children.get(name);
    if (node && mode.create && mode.exclusive) throw new FileError("EEXIST");
    if (!node && !mode.create) throw new FileError("ENOENT");
    if (node?.kind === "directory") throw new FileError("EISDIR");
    if (node && node.kind !== "file") throw new FileError("ELOOP");
    node ??= this.#add(path, "file", permissions);
    if (mode.truncate) resize(node, 0);
    return new MemoryFile(node, mode);
  }

  makeDirectory(path: string, permissions = MODES.directory): void {
    this.#add(path, "directory", permissions);
  }

  removeFile(path: string): void {
    const [parent, name] = this.#place(path);
    const node = parent.children.get(name);
    if (!node) throw new FileError("ENOENT");
    if (node.kind === "directory") throw new FileError("EISDIR");
    parent.children.delete(name);
    node.links--;
    touch(parent);
  }

  removeDirectory(path: string): void {
    const [parent, name] = this.#place(path);
    if (this.#folder(path).children.size > 0) throw new FileError("ENOTEMPTY");
    parent.children.delete(name);
    touch(parent);
  }

  rename(from: string, to: string): void {
    const node = this.#find(from);
    if (`${to}/`.startsWith(`${from}/`) && from !== to) throw new FileError("EINVAL");
    const [target, name] = this.#place(to);
    const there = target.children.get(name);
    if (there === node) return;
    if (there) checkReplaced(node, there);
    const [source, old] = this.#place(from);
    source.children.delete(old);
    target.children.set(name, node);
    if (there) there.links--;
    touch(source);
    touch(target);
  }

  chmod(path: string, permissions: number): void {
    this.#find(path).mode = permissions;
  }

  setTimes(path: string, atime: number, mtime: number): void {
    Object.assign(this.#find(path), { atime, mtime });
  }

  truncate(path: string, size: number): void {
    const node = this.#find(path);
    if (node.kind !== "file") throw new FileError(node.kind === "directory" ? "EISDIR" : "EINVAL");
    resize(node, size);
  }

  /** Adds files, with the folders above them. */
  importFiles(files: Record<string, Uint8Array | string>): void {
    for (const [path, content] of Object.entries(files)) {
      const data = typeof content === "string" ? new TextEncoder().encode(content) : content;
      this.makeFolders(path.slice(0, path.lastIndexOf("/")));
      const mode = { read: false, write: true, create: true, exclusive: false, truncate: true };
      this.open(path, mode).write(data, 0);
    }
  }

  /** Makes /workspace have exactly these files, as `exportFiles` returns them. */
  replaceFiles(files: Record<string, Uint8Array>): void {
    for (const path of Object.keys(this.sizes())) if (!(path in files)) this.removeFile(path);
    this.importFiles(files);
  }

  makeFolders(path: string): void {
    const names = split(path);
    for (let count = 1; count <= names.length; count++) {
      const folder = "/" + names.slice(0, count).join("/");
      if (!this.#exists(folder)) this.makeDirectory(folder);
    }
  }

  /** Every file below a folder, by its path; links are left out. */
  exportFiles(path = "/workspace"): Record<string, Uint8Array<ArrayBuffer>> {
    return Object.fromEntries(this.#below(path).map(([at, { data, size }]) => [at, data.slice(0, size)]));
  }

  /** How many bytes each file below a folder has; links are left out. */
  sizes(path = "/workspace"): Record<string, number> {
    return Object.fromEntries(this.#below(path).map(([at, { size }]) => [at, size]));
  }

  #below(path: string): [string, Node][] {
    const found: [string, Node][] = [];
    const walk = (at: string, node: Node) => {
      if (node.kind === "file") found.push([at, node]);
      for (const [name, child] of node.children) walk(`${at}/${name}`, child);
    };
    walk(path, this.#find(path));
    return found;
  }

  #make(kind: Kind, mode = MODES[kind]): Node {
    const now = Date.now();
    const [data, children] = [new Uint8Array(0), new Map<string, Node>()];
    return { kind, mode, mtime: now, atime: now, ino: ++this.#inodes, links: 1, data, size: 0, children, target: "" };
  }

  #add(path: string, kind: Kind, mode = MODES[kind]): Node {
    const [parent, name] = this.#place(path);
    if (parent.children.has(name)) throw new FileError("EEXIST");
    const node = this.#make(kind, mode);
    parent.children.set(name, node);
    touch(parent);
    return node;
  }

  #find(path: string): Node {
    return split(path).reduce((node, name) => {
      if (node.kind !== "directory") throw new FileError("ENOTDIR");
      const child = node.children.get(name);
      if (!child) throw new FileError("ENOENT");
      return child;
    }, this.#root);
  }

  #exists(path: string): boolean {
    try {
      this.#find(path);
      return true;
    } catch {
      return false;
    }
  }

  #folder(path: string): Node {
    const node = this.#find(path);
    if (node.kind !== "directory") throw new FileError("ENOTDIR");
    return node;
  }

  /** The folder of a path, and the name in it. */
  #place(path: string): [Node, string] {
    const names = split(path);
    const name = names.pop();
    if (name === undefined) throw new FileError("EBUSY");
    if (name.length > 255) throw new FileError("ENAMETOOLONG");
    return [this.#folder("/" + names.join("/")), name];
  }
}

class MemoryFile implements OpenFile {
  #closed = false;

  constructor(private readonly node: Node, private readonly mode: OpenMode) {}

  stat(): Stat {
    this.#check(true);
    return statOf(this.node);
  }

  read(into: Uint8Array, position: number): number {
    this.#check(this.mode.read);
    const part = this.node.data.subarray(position, Math.min(this.node.size, position + into.length));
    into.set(part);
    return part.length;
  }

  write(from: Uint8Array, position: number): number {
    this.#check(this.mode.write);
    if (position + from.length > this.node.size) resize(this.node, position + from.length);
    this.node.data.set(from, position);
    this.node.mtime = Date.now();
    return from.length;
  }

  truncate(size: number): void {
    this.#check(this.mode.write);
    resize(this.node, size);
  }

  sync(): void {
    this.#check(true);
  }

  close(): void {
    this.#check(true);
    this.#closed = true;
  }

  #check(allowed: boolean): void {
    if (this.#closed || !allowed) throw new FileError("EBADF");
  }
}

function statOf({ kind, mode, mtime, atime, ino, links, size, target }: Node): Stat {
  return { kind, mode, mtime, atime, ino, links, size: kind === "link" ? target.length : size };
}

function resize(node: Node, size: number): void {
  if (size > LARGEST) throw new FileError("EFBIG");
  if (size > node.data.length) {
    const data = new Uint8Array(Math.max(LEAST, size, Math.min(node.size * 2, LARGEST)));
    data.set(node.data.subarray(0, node.size));
    node.data = data;
  } else if (size < node.size) node.data.fill(0, size, node.size);
  node.size = size;
  node.mtime = Date.now();
}

/** A name may only be replaced by something of the same kind, and a folder only if it is empty. */
function checkReplaced(node: Node, there: Node): void {
  if (there.kind === "directory" && node.kind !== "directory") throw new FileError("EISDIR");
  if (there.kind !== "directory" && node.kind === "directory") throw new FileError("ENOTDIR");
  if (there.children.size > 0) throw new FileError("ENOTEMPTY");
}

function touch(node: Node): void {
  node.mtime = Date.now();
}

function split(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
