/** The packages as an Emscripten file system: names are looked up in memory, only contents are read. */

import type { EmscriptenFS, EmscriptenModule, FSMount, FSNode, FSStream } from "./emscripten_types.ts";
import { ERRNO, FileError } from "./files.ts";
import { type PackageEntry, type PackageFile, type PackageFiles, readEntry } from "./packages.ts";

const [FILE, FOLDER] = [0o100444, 0o040555];
const EPOCH = new Date(0);
const UNSEEN = -1;
const WRITES = 0o1 | 0o2 | 0o100 | 0o1000;

interface PackageNode extends FSNode {
  files: PackageFiles;
  entry: PackageEntry;
  /** The time of the packages that `known` is from. */
  seen: number;
  known: Map<string, PackageNode>;
}

interface Inside extends EmscriptenFS {
  FSNode: new (parent: FSNode | null, name: string, mode: number, device: number) => FSNode;
  lookupNode(parent: FSNode, name: string): FSNode;
  lookupPath(path: string, options: { follow: boolean }): { node: FSNode };
}

export class PackageMount {
  readonly #fs: Inside;
  readonly #all: PackageFiles[];

  constructor(private readonly module: EmscriptenModule, mounts: Record<string, PackageFiles>) {
    this.#fs = module.FS as Inside;
    this.#all = Object.values(mounts);
    const remembered = this.#fs.lookupNode.bind(this.#fs);
    this.#fs.lookupNode = (parent, name) =>
      parent.node_ops === this.nodeOps ? this.nodeOps.lookup(parent as PackageNode, name) : remembered(parent, name);
    for (const [index, target] of Object.keys(mounts).entries()) {
      this.#fs.mkdirTree(target);
      this.#fs.mount(this, { root: index }, target);
    }
  }

  mount({ opts }: FSMount): FSNode {
    const files = this.#all[opts.root];
    // Its contents are read on first use.
    return this.#node(null, "/", { kind: "directory", children: new Map(), ino: 1 }, files, UNSEEN);
  }

  /** The bytes of a file of a package, after following links; nothing else is returned. */
  readPackaged(path: string): Uint8Array | undefined {
    const { node } = this.#fs.lookupPath(path, { follow: true });
    if (node.node_ops !== this.nodeOps) return undefined;
    const entry = this.#entry(node as PackageNode);
    if (entry.kind !== "file") return undefined;
    const data = new Uint8Array(entry.size);
    readEntry(entry, data, 0);
    return data;
  }

  #node(parent: FSNode | null, name: string, entry: PackageEntry, files: PackageFiles, seen: number): PackageNode {
    const node = new this.#fs.FSNode(parent, name, entry.kind === "file" ? FILE : FOLDER, 0) as PackageNode;
    node.node_ops = this.nodeOps;
    node.stream_ops = this.streamOps;
    node.files = files;
    node.entry = entry;
    node.known = new Map();
    node.seen = seen;
    return node;
  }

  #fail(code: keyof typeof ERRNO): never {
    throw new this.#fs.ErrnoError(ERRNO[code]);
  }

  /** What a node is now; nodes outlive packages, because a program's current folder may be one. */
  #entry(node: PackageNode): PackageEntry {
    const { files } = node;
    if (node.seen === files.changed) return node.entry;
    let entry: PackageEntry | undefined = files.root;
    if (node.parent !== node) {
      const parent = this.#entry(node.parent as PackageNode);
      entry = parent.kind === "directory" ? parent.children.get(node.name) : undefined;
    }
    if (!entry || entry.kind !== node.entry.kind) this.#fail("ENOENT");
    node.known.clear();
    node.entry = entry;
    node.seen = files.changed;
    return entry;
  }

  readonly nodeOps = {
    getattr: (node: PackageNode) => {
      const entry = this.#entry(node);
      const folder = entry.kind === "directory";
      const time = folder ? new Date(node.files.changed) : EPOCH;
      const size = folder ? 4096 : entry.size;
      return {
        dev: 2,
        ino: entry.ino,
        mode: node.mode,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        size,
        atime: time,
        mtime: time,
        ctime: time,
        blksize: 4096,
        blocks: Math.ceil(size / 512),
      };
    },
    lookup: (parent: PackageNode, name: string): PackageNode => {
      const folder = this.#entry(parent);
      const known = parent.known.get(name);
      if (known) return known;
      const entry = folder.kind === "directory" ? folder.children.get(name) : undefined;
      if (!entry) this.#fail("ENOENT");
      const node = this.#node(parent, name, entry, parent.files, parent.seen);
      parent.known.set(name, node);
      return node;
    },
    readdir: (node: PackageNode) => {
      const entry = this.#entry(node);
      return entry.kind === "directory" ? [".", "..", ...entry.children.keys()] : this.#fail("ENOTDIR");
    },
    setattr: () => this.#fail("EROFS"),
    mknod: () => this.#fail("EROFS"),
    rename: () => this.#fail("EROFS"),
    unlink: () => this.#fail("EROFS"),
    rmdir: () => this.#fail("EROFS"),
    symlink: () => this.#fail("EROFS"),
    readlink: () => this.#fail("EINVAL"),
  };

  readonly streamOps = {
    open: (stream: FSStream) => {
      if (stream.flags & WRITES && !this.#fs.isDir(stream.node.mode)) this.#fail("EROFS");
    },
    close: () => {},
    read: (stream: FSStream, buffer: Uint8Array, offset: number, length: number, position: number) =>
      this.#read(stream, new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length), position),
    write: () => this.#fail("EROFS"),
    llseek: (stream: FSStream, offset: number, whence: number) => {
      const base = whence === 1 ? stream.position : whence === 2 ? this.#file(stream).size : 0;
      if (base + offset < 0) this.#fail("EINVAL");
      return base + offset;
    },
    mmap: (stream: FSStream, length: number, position: number) => {
      const allocate = this.module as { _emscripten_builtin_memalign?(a: number, size: number): number };
      const ptr = allocate._emscripten_builtin_memalign?.(65536, length) ?? 0;
      if (ptr === 0) this.#fail("ENOSPC");
      const heap = this.module.HEAPU8.subarray(ptr, ptr + length).fill(0);
      this.#read(stream, heap, position);
      return { ptr, allocated: true };
    },
    msync: () => this.#fail("EROFS"),
    fsync: () => 0,
  };

  #file(stream: FSStream): PackageFile {
    // Not looked up again: an open file stays the same.
    const { entry } = stream.node as PackageNode;
    return entry.kind === "file" ? entry : this.#fail("EISDIR");
  }

  #read(stream: FSStream, into: Uint8Array, position: number): number {
    try {
      return readEntry(this.#file(stream), into, position);
    } catch (error) {
      if (error instanceof FileError) this.#fail(error.code);
      throw error;
    }
  }
}
