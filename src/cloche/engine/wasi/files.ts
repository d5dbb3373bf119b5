/** WASI's calls on open files. */

import type { Tree } from "../fs/tree.ts";
import { throwErrno } from "./errno.ts";
import {
  APPEND,
  type DirectoryHandle,
  type FileFacts,
  FileHandle,
  type Handles,
  type OpenEntry,
  TYPE,
} from "./handles.ts";
import type { Memory } from "./memory.ts";

const WHENCE = { set: 0, current: 1, end: 2 };
const TIMES = { atime: 1, atimeNow: 2, mtime: 4, mtimeNow: 8 };
const NONBLOCK = 4;
const ENTRY = 24;
const MILLISECOND = 1_000_000n;

export interface Parts {
  memory: Memory;
  handles: Handles;
  tree: Tree;
}

/** Each function throws on failure. */
export type FileCalls = Record<string, (...args: never[]) => void>;

export function fileCalls({ memory, handles, tree }: Parts): FileCalls {
  const file = (fd: number): FileHandle => {
    const handle = handles.get(fd);
    return handle instanceof FileHandle ? handle : throwErrno(handle.type === TYPE.directory ? "EISDIR" : "ESPIPE");
  };
  return {
    fd_advise: (fd: number) => void handles.get(fd),
    fd_allocate(fd: number, offset: bigint, length: bigint) {
      const open = file(fd).file();
      const size = toNumber(offset) + toNumber(length);
      if (open.stat().size < size) open.truncate(size);
    },
    fd_close: (fd: number) => handles.close(fd),
    fd_datasync: (fd: number) => file(fd).file().sync(),
    fd_sync(fd: number) {
      const handle = handles.get(fd);
      if (handle instanceof FileHandle) handle.file().sync();
    },
    fd_fdstat_get(fd: number, at: number) {
      const { type, flags, rights } = handles.get(fd);
      memory.bytes(at, 24).fill(0);
      memory.putU8(at, type);
      memory.putU16(at + 2, flags);
      memory.putU64(at + 8, rights);
      memory.putU64(at + 16, type === TYPE.directory ? 2n ** 30n - 1n : 0n);
    },
    fd_fdstat_set_flags(fd: number, flags: number) {
      handles.get(fd).flags = flags & (APPEND | NONBLOCK);
    },
    fd_fdstat_set_rights: (fd: number) => void handles.get(fd),
    fd_filestat_get: (fd: number, at: number) => putFacts(memory, at, handles.get(fd).facts()),
    fd_filestat_set_size: (fd: number, size: bigint) => file(fd).file().truncate(toNumber(size)),
    fd_filestat_set_times(fd: number, atime: bigint, mtime: bigint, flags: number) {
      const handle = handles.get(fd);
      setTimes(tree, handle.path(), handle.facts(), { atime, mtime, flags });
    },
    fd_pread: (fd: number, list: number, count: number, offset: bigint, done: number) =>
      memory.putU32(done, file(fd).readAt(memory.pieces(list, count), toNumber(offset))),
    fd_pwrite: (fd: number, list: number, count: number, offset: bigint, done: number) =>
      memory.putU32(done, file(fd).writeAt(memory.pieces(list, count), toNumber(offset))),
    fd_read: (fd: number, list: number, count: number, done: number) =>
      memory.putU32(done, handles.get(fd).read(memory.pieces(list, count))),
    fd_write: (fd: number, list: number, count: number, done: number) =>
      memory.putU32(done, handles.get(fd).write(memory.pieces(list, count))),
    fd_renumber: (from: number, to: number) => handles.move(from, to),
    fd_seek(fd: number, offset: bigint, whence: number, done: number) {
      const handle = file(fd);
      const from = whence === WHENCE.set ? 0 : whence === WHENCE.current ? handle.position : handle.file().stat().size;
      const position = from + Number(offset);
      if (whence > WHENCE.end || !Number.isSafeInteger(position) || position < 0) throwErrno("EINVAL");
      handle.position = position;
      memory.putU64(done, BigInt(position));
    },
    fd_tell: (fd: number, done: number) => memory.putU64(done, BigInt(file(fd).position)),
    fd_prestat_get(fd: number, at: number) {
      const { name } = folder(handles, fd);
      memory.putU32(at, 0);
      memory.putU32(at + 4, new TextEncoder().encode(name).length);
    },
    fd_prestat_dir_name(fd: number, at: number, length: number) {
      const { name } = folder(handles, fd);
      if (memory.putText(at, length, name) < name.length) throwErrno("ENAMETOOLONG");
    },
    fd_readdir(fd: number, at: number, length: number, cookie: bigint, done: number) {
      const handle = handles.directory(fd);
      if (cookie === 0n || !handle.entries) handle.entries = entriesOf(tree, handle);
      memory.putU32(done, putEntries(memory.bytes(at, length), handle.entries, Number(cookie)));
    },
  };
}

/** A folder that the program has from the start; a libc asks for them in turn until there is none. */
function folder(handles: Handles, fd: number): { name: string } {
  const handle = handles.get(fd);
  const name = handle.type === TYPE.directory ? (handle as DirectoryHandle).name : null;
  return name === null ? throwErrno("EBADF") : { name };
}

function entriesOf(tree: Tree, handle: DirectoryHandle): OpenEntry[] {
  const own = [{ name: ".", type: TYPE.directory }, { name: "..", type: TYPE.directory }];
  const listed = handle.list?.() ?? tree.list(handle.path()).map(({ name, kind }) => ({ name, type: TYPE[kind] }));
  return [...own, ...listed];
}

/** Fills the buffer; an entry that does not fit is cut off, and asked for again by its number. */
function putEntries(into: Uint8Array, entries: OpenEntry[], first: number): number {
  let used = 0;
  for (let index = first; index < entries.length && used < into.length; index++) {
    const { name, type } = entries[index];
    const text = new TextEncoder().encode(name);
    const entry = new Uint8Array(ENTRY + text.length);
    const view = new DataView(entry.buffer);
    view.setBigUint64(0, BigInt(index + 1), true);
    // A made-up inode number: the real one would need a stat for each entry, and 0 makes some libcs do that stat.
    view.setBigUint64(8, BigInt(index + 1), true);
    view.setUint32(16, text.length, true);
    view.setUint8(20, type);
    entry.set(text, ENTRY);
    const part = entry.subarray(0, into.length - used);
    into.set(part, used);
    used += part.length;
  }
  return used;
}

export function putFacts(memory: Memory, at: number, { type, stat }: FileFacts): void {
  memory.bytes(at, 64).fill(0);
  memory.putU64(at, 1n);
  memory.putU64(at + 8, BigInt(stat.ino));
  memory.putU8(at + 16, type);
  memory.putU64(at + 24, BigInt(stat.links));
  memory.putU64(at + 32, BigInt(stat.size));
  memory.putU64(at + 40, toNanoseconds(stat.atime));
  memory.putU64(at + 48, toNanoseconds(stat.mtime));
  memory.putU64(at + 56, toNanoseconds(stat.mtime));
}

export function setTimes(
  tree: Tree,
  path: string,
  { stat }: FileFacts,
  { atime, mtime, flags }: { atime: bigint; mtime: bigint; flags: number },
): void {
  if ((flags & 3) === 3 || (flags & 12) === 12) throwErrno("EINVAL");
  const chosen = (given: boolean, now: boolean, time: bigint, before: number) =>
    given ? Number(BigInt.asUintN(64, time) / 1000n) / 1000 : now ? Date.now() : before;
  tree.setTimes(
    path,
    chosen((flags & TIMES.atime) !== 0, (flags & TIMES.atimeNow) !== 0, atime, stat.atime),
    chosen((flags & TIMES.mtime) !== 0, (flags & TIMES.mtimeNow) !== 0, mtime, stat.mtime),
  );
}

export function toNanoseconds(milliseconds: number): bigint {
  return BigInt(Math.floor(milliseconds)) * MILLISECOND + BigInt(Math.floor((milliseconds % 1) * 1e6));
}

function toNumber(offset: bigint): number {
  const number = Number(BigInt.asUintN(64, offset));
  return Number.isSafeInteger(number) ? number : throwErrno("EINVAL");
}
