/** The file `.git/index`: what the next commit will hold, and what the files looked like when that was noted. */
import type { FsStat } from "just-bash";
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import { concatBytes } from "../../../../text/bytes.ts";
import { GitError } from "../options.ts";
import { type Item, LINK, normalMode } from "./objects.ts";
import { byBytes } from "./paths.ts";

/** One entry; times are milliseconds, 0 for a file that was never looked at. */
export interface IndexEntry extends Item {
  path: string;
  /** 0, or 1 to 3 for the sides of a conflict. */
  stage: number;
  mtime: number;
  /** Whether the fraction of the second is known. */
  precise: boolean;
  ino: number;
  size: number;
  /** The flags of git's "intent to add" and "skip worktree". */
  extended: number;
}

const EXTENDED = 0x4000;
const FIXED = 62;

export class Index {
  readonly entries = new Map<string, IndexEntry>();
  readonly conflicts = new Map<string, IndexEntry[]>();
  /** When the index was written; a file that is as young may have changed since. */
  written = 0;

  /** Both kinds in their order. */
  all(): IndexEntry[] {
    const all = [...this.entries.values(), ...[...this.conflicts.values()].flat()];
    return all.sort((a, b) => byBytes(a.path, b.path) || a.stage - b.stage);
  }

  set(entry: IndexEntry): void {
    this.conflicts.delete(entry.path);
    this.entries.set(entry.path, entry);
  }

  /** An item whose file was not looked at. */
  put(path: string, { mode, oid }: Item, stage = 0): void {
    const entry = { path, mode, oid, stage, mtime: 0, precise: false, ino: 0, size: 0, extended: 0 };
    if (stage === 0) return this.set(entry);
    this.entries.delete(path);
    this.conflicts.set(path, [...this.conflicts.get(path) ?? [], entry]);
  }

  delete(path: string): boolean {
    const conflict = this.conflicts.delete(path);
    return this.entries.delete(path) || conflict;
  }

  has(path: string): boolean {
    return this.entries.has(path) || this.conflicts.has(path);
  }

  /** Whether the file still looks as it did when its entry was made, so that it need not be read. */
  isFresh(entry: IndexEntry, stat: FsStat): boolean {
    const mtime = stat.mtime.getTime();
    if (entry.mtime === 0 || entry.size !== stat.size % 2 ** 32 || modeOf(stat) !== entry.mode) return false;
    if (entry.ino !== 0 && stat.ino !== undefined && entry.ino !== Number(stat.ino) % 2 ** 32) return false;
    if (mtime >= this.written) return false;
    return entry.precise ? mtime === entry.mtime : Math.floor(mtime / 1000) * 1000 === entry.mtime;
  }
}

/** Git's mode of a file. */
export function modeOf(stat: FsStat): number {
  return stat.isSymbolicLink ? LINK : normalMode(0o100000 | stat.mode);
}

/** An entry for a file as it is now. */
export function entryOf(path: string, oid: string, stat: FsStat, mode = modeOf(stat)): IndexEntry {
  const mtime = stat.mtime.getTime();
  const { ino = 0, size } = stat;
  return {
    path,
    oid,
    mode,
    stage: 0,
    mtime,
    precise: true,
    ino: Number(ino) % 2 ** 32,
    size: size % 2 ** 32,
    extended: 0,
  };
}

export function parseIndex(data: Uint8Array): Index {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const index = new Index();
  if (data.length < 32 || view.getUint32(0) !== 0x44495243) throw new GitError("index file corrupt");
  const version = view.getUint32(4);
  if (version < 2 || version > 4) throw new GitError(`unknown index version ${version}`);
  const reader = new EntryReader(data, view, version);
  for (let left = view.getUint32(8); left > 0; left--) {
    const entry = reader.next();
    if (entry.stage === 0) index.entries.set(entry.path, entry);
    else index.conflicts.set(entry.path, [...index.conflicts.get(entry.path) ?? [], entry]);
  }
  checkExtensions(data, view, reader.at);
  return index;
}

class EntryReader {
  at = 12;
  #last = "";

  constructor(private readonly data: Uint8Array, private readonly view: DataView, private readonly version: number) {}

  next(): IndexEntry {
    const { view, at } = this;
    if (at + FIXED > this.data.length - 20) throw new GitError("index file corrupt");
    const flags = view.getUint16(at + 60);
    const extended = flags & EXTENDED ? view.getUint16(at + 62) : 0;
    const [seconds, nanoseconds] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    const name = this.#name(at + FIXED + (flags & EXTENDED ? 2 : 0));
    this.#last = name;
    return {
      path: decodeText(name),
      mode: view.getUint32(at + 24),
      oid: this.data.subarray(at + 40, at + 60).toHex(),
      stage: flags >> 12 & 3,
      mtime: seconds * 1000 + Math.floor(nanoseconds / 1e6),
      precise: nanoseconds !== 0,
      ino: view.getUint32(at + 20),
      size: view.getUint32(at + 36),
      extended,
    };
  }

  /** The name as bytes; moves on to the next entry. */
  #name(start: number): string {
    let [from, prefix] = [start, ""];
    if (this.version === 4) {
      const [cut, after] = this.#number(start);
      [from, prefix] = [after, this.#last.slice(0, Math.max(0, this.#last.length - cut))];
    }
    const end = this.data.indexOf(0, from);
    if (end < 0) throw new GitError("index file corrupt");
    const length = end - this.at;
    this.at = this.version === 4 ? end + 1 : this.at + length + 8 - length % 8;
    return prefix + fromArray(this.data.subarray(from, end));
  }

  #number(at: number): [value: number, after: number] {
    let byte = this.data[at++];
    let value = byte & 127;
    while (byte & 128 && at < this.data.length) {
      byte = this.data[at++];
      value = (value + 1) * 128 + (byte & 127);
    }
    return [value, at];
  }
}

/** Extensions with small letters change what the index means; the others can be left out. */
function checkExtensions(data: Uint8Array, view: DataView, start: number): void {
  for (let at = start; at + 8 <= data.length - 20; at += 8 + view.getUint32(at + 4)) {
    const name = fromArray(data.subarray(at, at + 4));
    if (!/^[A-Z]/.test(name)) throw new GitError(`the index uses '${name}', which this git does not understand`);
  }
}

export async function renderIndex(index: Index): Promise<Uint8Array> {
  const all = index.all();
  const extended = all.some((entry) => entry.extended !== 0);
  const head = new DataView(new ArrayBuffer(12));
  [0x44495243, extended ? 3 : 2, all.length].forEach((value, i) => head.setUint32(4 * i, value));
  const body = concatBytes([new Uint8Array(head.buffer), ...all.map(renderEntry)]);
  return concatBytes([body, new Uint8Array(await crypto.subtle.digest("SHA-1", body))]);
}

function renderEntry(entry: IndexEntry): Uint8Array {
  const name = toArray(encodeText(entry.path));
  const fixed = FIXED + (entry.extended ? 2 : 0);
  const bytes = new Uint8Array(fixed + name.length + 8 - (fixed + name.length) % 8);
  const view = new DataView(bytes.buffer);
  const time = [Math.floor(entry.mtime / 1000), entry.precise ? entry.mtime % 1000 * 1e6 + 1 : 0];
  const numbers = [...time, ...time, 0, entry.ino, entry.mode, 0, 0, entry.size];
  numbers.forEach((value, i) => view.setUint32(4 * i, value));
  bytes.set(Uint8Array.fromHex(entry.oid), 40);
  view.setUint16(60, entry.stage << 12 | (entry.extended ? EXTENDED : 0) | Math.min(name.length, 0xfff));
  if (entry.extended) view.setUint16(62, entry.extended);
  bytes.set(name, fixed);
  return bytes;
}
