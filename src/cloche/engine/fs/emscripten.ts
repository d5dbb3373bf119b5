/** Host-backed folders as an Emscripten file system, for every language built with Emscripten. */

import type { EmscriptenFS, EmscriptenModule, FSMount, FSNode, FSStream } from "./emscripten_types.ts";
import { ERRNO, FileError, type OpenFile, type Stat } from "./files.ts";
import type { FolderFiles } from "./folder.ts";
import { FIXED_LIMITS } from "../limits.ts";

const KINDS = { file: 0o100000, directory: 0o040000, link: 0o120000, other: 0o010000 };
const O = { WRITE: 1, READ_WRITE: 2, CREATE: 64, EXCLUSIVE: 128, TRUNCATE: 512, APPEND: 1024 };
interface Attributes {
  mode?: number;
  atime?: number;
  mtime?: number;
  size?: number;
}

interface Inside extends EmscriptenFS {
  FSNode: new (parent: FSNode | null, name: string, mode: number, device: number) => FSNode;
  lookupNode(parent: FSNode, name: string): FSNode;
}

interface Allocator {
  _emscripten_builtin_memalign?(alignment: number, size: number): number;
}

/** Mounts each folder at its target; Emscripten knows folders only by number. */
export function mountFolders(module: EmscriptenModule, folders: FolderFiles[]): void {
  const type = new HostFolders(module, folders);
  for (const [index, { folder }] of folders.entries()) {
    module.FS.mkdirTree(folder.target);
    module.FS.mount(type, { root: index }, folder.target);
  }
}

class HostFolders {
  readonly #fs: Inside;
  readonly #open = new Map<number, OpenFile>();
  #next = 1;

  constructor(private readonly module: EmscriptenModule, private readonly folders: FolderFiles[]) {
    this.#fs = module.FS as Inside;
    this.#alwaysAskTheHost();
  }

  mount(mount: FSMount): FSNode {
    const stat = this.#try(() => this.folders[mount.opts.root].lstat(""));
    return this.#node(null, "/", modeOf(stat));
  }

  /** Emscripten caches names, but bash, the host and other languages change these folders too. */
  #alwaysAskTheHost(): void {
    const remembered = this.#fs.lookupNode.bind(this.#fs);
    this.#fs.lookupNode = (parent, name) =>
      parent.node_ops === this.nodeOps ? this.nodeOps.lookup(parent, name) : remembered(parent, name);
  }

  #node(parent: FSNode | null, name: string, mode: number): FSNode {
    const node = new this.#fs.FSNode(parent, name, mode, 0);
    node.node_ops = this.nodeOps;
    node.stream_ops = this.streamOps;
    return node;
  }

  #try<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof FileError) throw new this.#fs.ErrnoError(ERRNO[error.code]);
      throw error;
    }
  }

  #on<T>(node: FSNode, name: string | null, act: (folder: FolderFiles, path: string) => T): T {
    const parts = name === null ? [] : [name];
    let at = node;
    while (at.parent !== at) {
      parts.push(at.name);
      at = at.parent;
    }
    return this.#try(() => act(this.folders[at.mount.opts.root], parts.reverse().join("/")));
  }

  #file(stream: FSStream): OpenFile {
    const file = stream.nfd === undefined ? undefined : this.#open.get(stream.nfd);
    if (!file) throw new this.#fs.ErrnoError(ERRNO.EBADF);
    return file;
  }

  readonly nodeOps = {
    getattr: (node: FSNode) => attributes(this.#on(node, null, (folder, path) => folder.lstat(path)), node),
    setattr: (node: FSNode, change: Attributes) => {
      this.#on(node, null, (folder, path) => {
        if (change.mode !== undefined) {
          folder.chmod(path, change.mode & 0o7777);
          node.mode = change.mode;
        }
        if (change.atime !== undefined || change.mtime !== undefined) {
          const now = folder.lstat(path);
          folder.setTimes(path, change.atime ?? now.atime, change.mtime ?? now.mtime);
        }
        if (change.size !== undefined) folder.truncate(path, change.size);
      });
    },
    lookup: (parent: FSNode, name: string) => {
      const stat = this.#on(parent, name, (folder, path) => folder.lstat(path));
      return this.#node(parent, name, modeOf(stat));
    },
    mknod: (parent: FSNode, name: string, mode: number) => {
      if (!this.#fs.isDir(mode) && !this.#fs.isFile(mode)) throw new this.#fs.ErrnoError(ERRNO.EPERM);
      this.#on(parent, name, (folder, path) => {
        if (this.#fs.isDir(mode)) folder.makeDirectory(path, mode & 0o777);
        else folder.open(path, CREATE, mode & 0o777).close();
      });
      return this.#node(parent, name, mode);
    },
    rename: (node: FSNode, directory: FSNode, name: string) => {
      const to = this.#on(directory, name, (_, path) => path);
      this.#on(node, null, (folder, from) => folder.rename(from, to));
      node.name = name;
      node.parent = directory;
    },
    unlink: (parent: FSNode, name: string) => this.#on(parent, name, (folder, path) => folder.removeFile(path)),
    rmdir: (parent: FSNode, name: string) => this.#on(parent, name, (folder, path) => folder.removeDirectory(path)),
    readdir: (node: FSNode) => [".", "..", ...this.#on(node, null, (f, path) => f.list(path).map((e) => e.name))],
    symlink: (parent: FSNode, name: string, target: string) =>
      this.#on(parent, name, (folder, path) => folder.makeLink(target, path)),
    readlink: (node: FSNode) => this.#on(node, null, (folder, path) => folder.readLink(path)),
  };

  readonly streamOps = {
    getattr: (stream: FSStream) =>
      isDirectory(stream)
        ? this.nodeOps.getattr(stream.node)
        : attributes(this.#try(() => this.#file(stream).stat()), stream.node),
    setattr: (stream: FSStream, change: Attributes) => {
      const { size } = change;
      if (size !== undefined) this.#try(() => this.#file(stream).truncate(size));
      else this.nodeOps.setattr(stream.node, change);
    },
    open: (stream: FSStream) => {
      if (this.#open.size >= FIXED_LIMITS.interpreterFiles) throw new this.#fs.ErrnoError(ERRNO.EMFILE);
      stream.shared.refcount = 1;
      if (this.#fs.isDir(stream.node.mode)) return;
      const file = this.#on(stream.node, null, (folder, path) => folder.open(path, openMode(stream.flags)));
      stream.nfd = this.#next++;
      this.#open.set(stream.nfd, file);
    },
    close: (stream: FSStream) => {
      if (stream.nfd === undefined || --stream.shared.refcount > 0) return;
      this.#open.get(stream.nfd)?.close();
      this.#open.delete(stream.nfd);
    },
    dup: (stream: FSStream) => {
      stream.shared.refcount++;
    },
    read: (stream: FSStream, buffer: Uint8Array, offset: number, length: number, position: number) =>
      this.#try(() => this.#file(stream).read(bytesAt(buffer, offset, length), position)),
    write: (stream: FSStream, buffer: Uint8Array, offset: number, length: number, position: number) =>
      this.#try(() => {
        const file = this.#file(stream);
        const at = stream.flags & O.APPEND ? file.stat().size : position;
        return file.write(bytesAt(buffer, offset, length), at);
      }),
    llseek: (stream: FSStream, offset: number, whence: number) => {
      let position = offset;
      if (whence === 1) position += stream.position;
      else if (whence === 2) position += this.#try(() => this.#file(stream).stat().size);
      if (position < 0) throw new this.#fs.ErrnoError(ERRNO.EINVAL);
      return position;
    },
    fsync: (stream: FSStream) => {
      if (!isDirectory(stream)) this.#try(() => this.#file(stream).sync());
      return 0;
    },
    mmap: (stream: FSStream, length: number, position: number) => {
      const ptr = (this.module as Allocator)._emscripten_builtin_memalign?.(65536, length) ?? 0;
      if (ptr === 0) throw new this.#fs.ErrnoError(ERRNO.ENOSPC);
      const heap = this.module.HEAPU8.subarray(ptr, ptr + length);
      heap.fill(0);
      this.#try(() => this.#file(stream).read(heap, position));
      return { ptr, allocated: true };
    },
    msync: (stream: FSStream, buffer: Uint8Array, offset: number, length: number) => {
      // Not with `write`, which would append to a file that was opened for appending.
      this.#try(() => this.#file(stream).write(bytesAt(buffer, 0, length), offset));
      return 0;
    },
  };
}

const CREATE = { read: false, write: true, create: true, exclusive: true, truncate: false };

function openMode(flags: number) {
  const write = (flags & (O.WRITE | O.READ_WRITE)) !== 0;
  return {
    read: (flags & O.WRITE) === 0,
    write,
    create: write && (flags & O.CREATE) !== 0,
    exclusive: (flags & O.EXCLUSIVE) !== 0,
    truncate: write && (flags & O.TRUNCATE) !== 0,
  };
}

/** An open directory has no file of the host. */
function isDirectory(stream: FSStream): boolean {
  return (stream.node.mode & 0o170000) === KINDS.directory;
}

/** Emscripten passes its signed heap view. */
function bytesAt(buffer: Uint8Array, offset: number, length: number): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
}

function modeOf(stat: Stat): number {
  return KINDS[stat.kind] | (stat.mode & 0o7777);
}

function attributes(stat: Stat, node: FSNode) {
  node.mode = modeOf(stat);
  return {
    dev: 1,
    ino: stat.ino,
    mode: node.mode,
    nlink: stat.links,
    uid: 1000,
    gid: 1000,
    rdev: 0,
    size: stat.size,
    atime: new Date(stat.atime),
    mtime: new Date(stat.mtime),
    ctime: new Date(stat.mtime),
    blksize: 4096,
    blocks: Math.ceil(stat.size / 512),
  };
}
