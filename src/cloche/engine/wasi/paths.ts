/** WASI's calls on paths. They are relative to an open directory; links and `..` stay in the guest's namespace. */

import { FileError, type OpenMode } from "../fs/files.ts";
import type { Tree } from "../fs/tree.ts";
import type { Devices } from "./devices.ts";
import { throwErrno } from "./errno.ts";
import { type FileCalls, type Parts, putFacts, setTimes } from "./files.ts";
import { DirectoryHandle, type FileFacts, FileHandle, type Handle, type OpenEntry, RIGHT, TYPE } from "./handles.ts";

const FOLLOW = 1;
const OPEN = { create: 1, directory: 2, exclusive: 4, truncate: 8 };

interface PathParts extends Parts {
  devices: Devices;
  /** Where relative paths start, for programs without a working directory of their own. */
  cwd(): string | undefined;
}

export function pathCalls(parts: PathParts): FileCalls {
  const { memory, handles, tree } = parts;
  const places = new Places(parts);
  const path = (fd: number, at: number, length: number) => places.at(handles.directory(fd), memory.text(at, length));
  return {
    path_create_directory(fd: number, at: number, length: number) {
      const place = path(fd, at, length);
      if (parts.devices.find(place) !== undefined) throwErrno("EEXIST");
      tree.makeDirectory(place, 0o755);
    },
    path_filestat_get: (fd: number, flags: number, at: number, length: number, into: number) =>
      putFacts(memory, into, places.facts(path(fd, at, length), (flags & FOLLOW) !== 0)),
    path_filestat_set_times(
      ...[fd, flags, at, length, atime, mtime, which]: [number, number, number, number, bigint, bigint, number]
    ) {
      const place = places.real(path(fd, at, length));
      const facts = places.facts(place, (flags & FOLLOW) !== 0);
      // The time of a link itself cannot be set.
      if (facts.type === TYPE.link) throwErrno("ENOTSUP");
      setTimes(tree, place, facts, { atime, mtime, flags: which });
    },
    path_link(...[fd, flags, at, length, toFd, toAt, toLength]: [number, number, ...number[]]) {
      const from = places.real(path(fd, at, length));
      tree.hardLink(flags & FOLLOW ? tree.realPath(from) : from, places.real(path(toFd, toAt, toLength)));
    },
    path_open(
      ...[fd, lookup, at, length, open, rights, _, flags, into]: [
        ...[number, number, number, number, number],
        ...[bigint, bigint, number, number],
      ]
    ) {
      const place = path(fd, at, length);
      // Checked first: a file whose number cannot be returned must not stay open.
      memory.u32(into);
      const options = { place, follow: (lookup & FOLLOW) !== 0, open, rights, flags };
      memory.putU32(into, handles.add(() => places.open(options)));
    },
    path_readlink(fd: number, at: number, length: number, into: number, size: number, done: number) {
      memory.putU32(done, memory.putText(into, size, tree.readLink(places.real(path(fd, at, length)))));
    },
    path_remove_directory: (fd: number, at: number, length: number) =>
      tree.removeDirectory(places.real(path(fd, at, length))),
    path_rename: (fd: number, at: number, length: number, toFd: number, toAt: number, toLength: number) =>
      tree.rename(places.real(path(fd, at, length)), places.real(path(toFd, toAt, toLength))),
    path_symlink: (target: number, targetLength: number, fd: number, at: number, length: number) =>
      tree.makeLink(memory.text(target, targetLength), places.real(path(fd, at, length))),
    path_unlink_file: (fd: number, at: number, length: number) => tree.removeFile(places.real(path(fd, at, length))),
  };
}

interface OpenOptions {
  place: string;
  follow: boolean;
  open: number;
  rights: bigint;
  flags: number;
}

/** The guest's namespace: the tree, and /dev. */
class Places {
  constructor(private readonly parts: PathParts) {}

  at(directory: DirectoryHandle, path: string): string {
    if (path === "") throwErrno("ENOENT");
    const { tree } = this.parts;
    const cwd = this.parts.cwd();
    if (path.startsWith("/")) return clean(path);
    if (cwd === undefined || directory.path() !== "/") return clean(`${directory.path()}/${path}`);
    // A libc without a working directory passes `x` and `/x` alike: a name not in the root is relative to `cwd`.
    const first = "/" + path.split("/").find((name) => name !== "" && name !== ".");
    return clean(first === "/dev" || tree.holds(first) ? path : `${cwd}/${path}`);
  }

  /** A path that will be changed: not a device. */
  real(path: string): string {
    return this.parts.devices.find(path) === undefined ? path : throwErrno("EPERM");
  }

  facts(path: string, follow: boolean): FileFacts {
    const device = this.parts.devices.find(path);
    if (device) return device.facts();
    const { tree } = this.parts;
    const stat = device === null ? tree.stat("/") : follow ? tree.stat(path) : tree.lstat(path);
    return { type: TYPE[stat.kind], stat };
  }

  open(options: OpenOptions): Handle {
    const { place, follow, open } = options;
    const device = this.parts.devices.find(place);
    if (device !== undefined) return this.#openDevice(device, open);
    const { tree } = this.parts;
    if (open & OPEN.exclusive && open & OPEN.create && present(tree, place)) throwErrno("EEXIST");
    if (!follow && present(tree, place) && tree.lstat(place).kind === "link") throwErrno("ELOOP");
    if (open & OPEN.directory) {
      return tree.stat(place).kind === "directory" ? this.#directory(place) : throwErrno("ENOTDIR");
    }
    return this.#openFile(options);
  }

  #openDevice(device: Handle | null, open: number): Handle {
    if (device) return open & OPEN.directory ? throwErrno("ENOTDIR") : device;
    const { tree, devices } = this.parts;
    const handle = new DirectoryHandle("/dev", () => tree.stat("/"));
    handle.list = () => devices.names.map((name) => ({ name, type: TYPE.device }));
    return handle;
  }

  #openFile({ place, open, rights, flags }: OpenOptions): Handle {
    const mode = openMode(open, rights);
    let file;
    try {
      file = this.parts.tree.open(place, mode, 0o644);
    } catch (error) {
      if (!(error instanceof FileError) || mode.write) throw error;
      if (error.code === "EISDIR") return this.#directory(place);
      // Nothing can be created outside the folders, and reading there finds nothing.
      throw error.code === "EACCES" && !present(this.parts.tree, place) ? new FileError("ENOENT") : error;
    }
    if (file.stat().kind !== "directory") {
      return new FileHandle(file, place, rights | RIGHT.seek | RIGHT.tell, flags);
    }
    file.close();
    return this.#directory(place);
  }

  #directory(place: string): DirectoryHandle {
    const { tree } = this.parts;
    const handle = new DirectoryHandle(place, () => tree.stat(place));
    if (place === "/") handle.list = () => rootEntries(tree);
    return handle;
  }
}

export function rootEntries(tree: Tree): OpenEntry[] {
  return [...tree.list("/").map(({ name }) => name), "dev"].map((name) => ({ name, type: TYPE.directory }));
}

/** Creating a file needs write access; the handle still has only the rights that the program asked for. */
function openMode(open: number, rights: bigint): OpenMode {
  const create = (open & OPEN.create) !== 0;
  const write = (rights & RIGHT.write) !== 0n;
  return {
    read: (rights & RIGHT.read) !== 0n || !write,
    write: write || create,
    create,
    exclusive: (open & OPEN.exclusive) !== 0,
    truncate: write && (open & OPEN.truncate) !== 0,
  };
}

function present(tree: Tree, path: string): boolean {
  try {
    tree.lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Without empty parts and dots; `..` stays, because links before it decide where it leads. */
function clean(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (!names.includes("..")) return "/" + names.join("/");
  const done: string[] = [];
  for (const name of names) name === ".." ? done.pop() : done.push(name);
  // The tree does not know devices.
  return "/" + (done[0] === "dev" ? done : names).join("/");
}
