/** cpio: archives of the kind newc, made from a list of names, listed and extracted. */
import { FileError, type Kind, type Stat } from "../../../../../fs/files.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { complain, print } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { Input } from "../../descriptors/input.ts";
import { compilePattern } from "../../expansion/patterns.ts";
import type { CommandContext } from "../../processes/command.ts";
import { resolvePath } from "../../processes/system_files.ts";

const TRAILER = "TRAILER!!!";
const HEADER = 110;
const KINDS: Record<Kind, number> = { file: 0o100000, directory: 0o40000, link: 0o120000, other: 0o20000 };
const LONG = {
  create: "o",
  extract: "i",
  list: "t",
  "make-directories": "d",
  verbose: "v",
  format: "H",
  null: "0",
  "preserve-modification-time": "m",
  unconditional: "u",
  quiet: "q",
  file: "F",
  "pass-through": "p",
  dereference: "L",
  "no-absolute-filenames": "N",
  directory: "D",
  nonmatching: "f",
};

interface Entry {
  name: string;
  mode: number;
  mtime: number;
  links: number;
  data: Uint8Array;
}

function* encodeEntry(entry: Entry, number: number): Generator<Uint8Array> {
  const name = toArray(encodeText(`${entry.name}\0`));
  const fields = [number, entry.mode, 1000, 1000, entry.links, Math.floor(entry.mtime / 1000), entry.data.length];
  const all = [...fields, 0, 0, 0, 0, name.length, 0];
  yield toArray(`070701${all.map((value) => (value >>> 0).toString(16).toUpperCase().padStart(8, "0")).join("")}`);
  yield name;
  yield new Uint8Array(-(HEADER + name.length) & 3);
  yield entry.data;
  yield new Uint8Array(-entry.data.length & 3);
}

function* decodeEntries(bytes: Uint8Array): Generator<Entry> {
  for (let at = 0;;) {
    if (at + HEADER > bytes.length) throw new CommandError("premature end of archive", 2);
    const head = fromArray(bytes.subarray(at, at + HEADER));
    if (!/^07070[12]/.test(head)) throw new CommandError("not a cpio archive of the kind newc", 2);
    const field = (index: number) => parseInt(head.slice(6 + index * 8, 14 + index * 8), 16);
    const [size, length] = [field(6), field(11)];
    const name = decodeText(fromArray(bytes.subarray(at + HEADER, at + HEADER + length - 1)));
    const start = at + ((HEADER + length + 3) & ~3);
    if (name === TRAILER) return;
    if (start + size > bytes.length) throw new CommandError("premature end of archive", 2);
    yield { name, mode: field(1), mtime: field(5) * 1000, links: field(4), data: bytes.subarray(start, start + size) };
    at = start + ((size + 3) & ~3);
  }
}

async function readNames(context: CommandContext, end: string): Promise<string[]> {
  const text = decodeText(fromArray(await new Input(context.fds.get(0)).readAll()));
  return text.split(end).filter((name) => name !== "");
}

function readEntry(context: CommandContext, name: string, follow: boolean): Entry {
  const { files } = context;
  const path = context.files.resolve(context.cwd, name);
  const stat: Stat = follow ? files.stat(path) : files.lstat(path);
  const { kind, mtime, links } = stat;
  const data = kind === "file"
    ? files.readFile(path)
    : kind === "link"
    ? toArray(encodeText(files.readLink(path)))
    : new Uint8Array();
  const stored = name.replace(/^(\.\/+)+(?=.)/, "");
  return {
    name: stored,
    mode: KINDS[kind] | (stat.mode & 0o7777),
    mtime,
    links: kind === "directory" ? 2 : links,
    data,
  };
}

function reportBlocks(context: CommandContext, given: Given, size: number): void {
  const blocks = Math.ceil(size / 512);
  if (!given.has("q")) complain(context, `${blocks} block${blocks === 1 ? "" : "s"}`);
}

async function createArchive(context: CommandContext, given: Given): Promise<number> {
  const target = given.get("F");
  const flags = { read: false, write: true, create: true, truncate: true };
  const out = target === undefined ? context.fds.get(1) : context.open(target, flags);
  let [size, number, code] = [0, 1, 0];
  const write = async (entry: Entry) => {
    for (const part of encodeEntry(entry, number++)) {
      if (part.length > 0) await out.write(part);
      size += part.length;
    }
  };
  for (const name of await readNames(context, given.has("0") ? "\0" : "\n")) {
    context.signal.throwIfAborted();
    try {
      await write(readEntry(context, name, given.has("L")));
      if (given.has("v")) complain(context, name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      complain(context, `cpio: ${name}: Cannot stat: ${reasonOf(error)}`);
      code = 2;
    }
  }
  await write({ name: TRAILER, mode: 0, mtime: 0, links: 1, data: new Uint8Array() });
  const padding = new Uint8Array(-size & 511);
  if (padding.length > 0) await out.write(padding);
  if (target !== undefined) out.close();
  reportBlocks(context, given, size);
  return code;
}

async function readArchive(context: CommandContext, given: Given): Promise<number> {
  const source = given.get("F");
  const stream = source === undefined ? context.fds.get(0) : context.open(source, { read: true, write: false });
  const bytes = await new Input(stream).readAll();
  const patterns = given.operands.map((pattern) => compilePattern(pattern, { extglob: false }));
  const folder = context.files.resolve(context.cwd, given.get("D") ?? ".");
  let code = 0;
  for (const entry of decodeEntries(bytes)) {
    context.signal.throwIfAborted();
    const matches = patterns.length === 0 || patterns.some((pattern) => pattern.match(entry.name)) !== given.has("f");
    if (!matches) continue;
    if (given.has("t")) await print(context, given.has("v") ? describe(entry) : `${entry.name}\n`);
    else {
      code = Math.max(code, extract(context, given, folder, entry));
      if (given.has("v")) complain(context, entry.name);
    }
  }
  reportBlocks(context, given, bytes.length);
  return code;
}

function describe({ name, mode, mtime, links, data }: Entry): string {
  const kind = (mode & 0o170000) === KINDS.directory ? "d" : (mode & 0o170000) === KINDS.link ? "l" : "-";
  const bits = [..."rwxrwxrwx"].map((letter, i) => mode & (0o400 >> i) ? letter : "-").join("");
  const [, day, month, year, clock] = new Date(mtime).toUTCString().split(" ");
  const recent = Date.now() - mtime < 182 * 86_400_000 && mtime <= Date.now();
  const when = `${month} ${day.replace(/^0/, " ")} ${recent ? clock.slice(0, 5) : ` ${year}`}`;
  const target = kind === "l" ? ` -> ${decodeText(fromArray(data))}` : "";
  return `${kind}${bits} ${String(links).padStart(3)} user     user     ${
    String(data.length).padStart(8)
  } ${when} ${name}${target}\n`;
}

function extract(context: CommandContext, given: Given, folder: string, entry: Entry): number {
  const { files } = context;
  // Nothing is written outside the folder.
  const path = resolvePath(folder, resolvePath("/", entry.name).slice(1) || ".");
  const fail = (text: string) => {
    complain(context, `cpio: ${text}`);
    return 2;
  };
  try {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    if (given.has("d")) makeFolders(context, parent);
    const kind = entry.mode & 0o170000;
    if (kind === KINDS.directory) {
      if (!files.exists(path)) files.makeDirectory(path, entry.mode & 0o777);
      return 0;
    }
    if (exists(context, path)) {
      if (!given.has("u") && files.lstat(path).mtime >= entry.mtime) {
        return fail(`${entry.name} not created: newer or same age version exists`);
      }
      files.removeFile(path);
    }
    if (kind === KINDS.link) {
      files.makeLink(decodeText(fromArray(entry.data)), path);
      return 0;
    }
    if (kind !== KINDS.file) return fail(`${entry.name}: unknown file type`);
    const stream = files.open(path, { read: false, write: true, create: true, truncate: true }, entry.mode & 0o777);
    stream.write(entry.data);
    stream.close();
    files.chmod(path, entry.mode & 0o777 & ~context.umask);
    if (given.has("m")) files.setTimes(path, entry.mtime, entry.mtime);
    return 0;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return fail(`${entry.name}: Cannot open: ${reasonOf(error)}`);
  }
}

function exists(context: CommandContext, path: string): boolean {
  try {
    context.files.lstat(path);
    return true;
  } catch {
    return false;
  }
}

function makeFolders(context: CommandContext, path: string): void {
  if (context.files.exists(path)) return;
  makeFolders(context, path.slice(0, path.lastIndexOf("/")) || "/");
  context.files.makeDirectory(path, 0o777 & ~context.umask);
}

export const cpio = defineTool(
  "cpio",
  { letters: "oitdvH:0muqF:pLD:fNc", long: LONG, code: 2, synopsis: "-o | -i | -t [OPTION]... [PATTERN...]" },
  async ({ context, given }) => {
    const format = given.get("H") ?? "newc";
    if (!["newc", "crc"].includes(format)) throw new CommandError(`format ${format} is not available; use -H newc`, 2);
    if (given.has("p")) throw new CommandError("-p is not available; use cp -a", 2);
    if (given.has("o")) return await createArchive(context, given);
    if (given.has("i") || given.has("t")) return await readArchive(context, given);
    throw new UsageError("You must specify one of -oipt options.", 2);
  },
);
