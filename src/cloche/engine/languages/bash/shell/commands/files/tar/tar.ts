/** tar. */
import { defineFileTool, type FileTool } from "../file_tool.ts";
import { codeOf } from "../paths.ts";
import { CommandError, UsageError } from "../../tool/errors.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import type { OpenStream } from "../../../descriptors/stream.ts";
import { compress, compressorByBytes, compressorByOption, decompress, NONE } from "./compression.ts";
import { ArchiveWriter, readSources } from "./create.ts";
import { Extractor } from "./extract.ts";
import { escapeName, resetWidth, verboseLine } from "./list.ts";
import { Exclusions, readLines, readStreamedLists, Renaming, Selection } from "./names.ts";
import { ArchiveReader } from "./reader.ts";

const USAGE = {
  letters: "cxtruAdf:zjJZaI:vC:X:T:kpOmhPSwWUb:B",
  long: {
    create: "c",
    extract: "x",
    get: "x",
    list: "t",
    append: "r",
    update: "u",
    catenate: "A",
    concatenate: "A",
    diff: "d",
    compare: "d",
    delete: "delete",
    "file=": "f",
    gzip: "z",
    gunzip: "z",
    ungzip: "z",
    bzip2: "j",
    xz: "J",
    compress: "Z",
    uncompress: "Z",
    zstd: "zstd",
    lzma: "lzma",
    "auto-compress": "a",
    "no-auto-compress": "no-auto-compress",
    "use-compress-program=": "I",
    verbose: "v",
    "directory=": "C",
    "exclude=": "exclude",
    "exclude-from=": "X",
    "exclude-vcs": "exclude-vcs",
    "files-from=": "T",
    null: "null",
    "keep-old-files": "k",
    "skip-old-files": "skip-old-files",
    "keep-newer-files": "keep-newer-files",
    overwrite: "overwrite",
    "no-overwrite-dir": "no-overwrite-dir",
    "unlink-first": "U",
    "preserve-permissions": "p",
    "same-permissions": "p",
    "no-same-permissions": "no-same-permissions",
    "same-owner": "same-owner",
    "no-same-owner": "no-same-owner",
    "to-stdout": "O",
    touch: "m",
    dereference: "h",
    "hard-dereference": "hard-dereference",
    "absolute-names": "P",
    sparse: "S",
    "strip-components=": "strip",
    "owner=": "owner",
    "group=": "group",
    "mode=": "mode",
    "mtime=": "mtime",
    "transform=": "transform",
    "xform=": "transform",
    "show-transformed-names": "show-transformed",
    "show-stored-names": "show-transformed",
    "numeric-owner": "numeric-owner",
    "no-recursion": "no-recursion",
    recursion: "recursion",
    "format=": "format",
    posix: "posix",
    "old-archive": "old-archive",
    wildcards: "wildcards",
    "no-wildcards": "no-wildcards",
    anchored: "anchored",
    "no-anchored": "no-anchored",
    "ignore-case": "ignore-case",
    "remove-files": "remove-files",
    "sort=": "sort",
    "full-time": "full-time",
    utc: "utc",
    "one-file-system": "one-file-system",
    "ignore-failed-read": "ignore-failed-read",
    "warning=": "warning",
    "no-xattrs": "no-xattrs",
    "no-acls": "no-acls",
    "no-selinux": "no-selinux",
    "force-local": "force-local",
    "blocking-factor=": "b",
    "occurrence?": "occurrence",
  },
  code: 64,
  hint: "'tar --help' or 'tar --usage'",
  named: true,
  synopsis: "[OPTION...] [FILE]...",
};
const FAILURE = 2;

function refuse(message: string): UsageError {
  return new UsageError(message, FAILURE);
}

/** `tar czf a.tgz x`: the first word is options without a dash, whose values follow in order. */
function addDashes([first = "", ...rest]: string[]): string[] {
  if (first === "") return [];
  if (first.startsWith("-")) return [first, ...rest];
  const words: string[] = [];
  for (const letter of first) {
    words.push(`-${letter}`);
    if (USAGE.letters[USAGE.letters.indexOf(letter) + 1] !== ":") continue;
    if (rest.length === 0) throw refuse(`Old option '${letter}' requires an argument.`);
    words.push(rest.shift() ?? "");
  }
  return [...words, ...rest];
}

const FLAGS = { read: true, write: false };

export const tar = defineFileTool("tar", USAGE, async (tool) => {
  const { given } = tool;
  const modes = ["c", "x", "t", "r", "u", "A", "d", "delete"].filter((mode) => given.has(mode));
  if (modes.length === 0) {
    throw refuse("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
  }
  if (modes.length > 1) {
    throw refuse("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
  }
  resetWidth();
  await readStreamedLists(tool);
  const [mode] = modes;
  if (mode === "c") await create(tool);
  else if (mode === "x" || mode === "t") await read(tool, mode === "x");
  else if (mode === "r") await append(tool);
  else throw new CommandError(`-${mode}: this option is not supported`, FAILURE);
  if (tool.code === FAILURE) tool.complain("Exiting with failure status due to previous errors");
}, addDashes);

function archiveName({ given, context }: FileTool): string {
  return given.get("f") ?? context.env.TAPE ?? "-";
}

function cannotOpen(name: string, error: unknown): CommandError {
  return new CommandError(`${name}: Cannot open: ${reasonOf(error)}\nError is not recoverable: exiting now`, FAILURE);
}

async function create(tool: FileTool): Promise<void> {
  const name = archiveName(tool);
  if (tool.operands.length === 0 && !tool.given.has("T")) {
    throw refuse("Cowardly refusing to create an empty archive");
  }
  const sources = readSources(tool);
  const compressor = compressorByOption(tool, name) ?? NONE;
  let output: OpenStream;
  try {
    const flags = { read: false, write: true, create: true, truncate: true };
    output = name === "-" ? tool.context.fds.get(1) : tool.context.open(name, flags);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw cannotOpen(name, error);
  }
  try {
    const writer = new ArchiveWriter(tool, compress(tool, compressor, output), name === "-" ? "" : tool.path(name));
    for (const source of sources) await writer.add(source.folder, source.name);
    await writer.finish();
  } finally {
    if (name !== "-") output.close();
  }
}

function openArchive(tool: FileTool, name: string): OpenStream {
  try {
    return name === "-" ? tool.context.fds.get(0) : tool.context.open(name, FLAGS);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw cannotOpen(name, error);
  }
}

async function openReader(tool: FileTool, name: string, stream: OpenStream): Promise<ArchiveReader> {
  const start = await stream.read(512);
  if (start) stream.unread(start);
  const found = compressorByBytes(start ?? new Uint8Array());
  const wanted = found.kind === "none" ? compressorByOption(tool, name) ?? NONE : found;
  const auto = tool.given.last("z", "j", "J", "Z", "I", "a", "zstd", "lzma") === "a";
  return new ArchiveReader(decompress(tool, auto ? found : wanted, stream));
}

async function read(tool: FileTool, extracts: boolean): Promise<void> {
  const name = archiveName(tool);
  const stream = openArchive(tool, name);
  const { given } = tool;
  const listed = given.all("T").flatMap((file) => readLines(tool, file, given.has("null") ? "\0" : "\n"));
  const selection = new Selection(
    [...tool.operands, ...listed],
    given.last("wildcards", "no-wildcards") === "wildcards",
  );
  const reader = await openReader(tool, name, stream);
  try {
    const extractor = extracts ? new Extractor(tool, selection) : undefined;
    const excluded = new Exclusions(tool);
    const renaming = new Renaming(tool);
    for (let member = await reader.next(); member; member = await reader.next()) {
      if (extractor) {
        if (extractor.wants(member)) await extractor.extract(member, reader);
        continue;
      }
      await tool.attend();
      if (!selection.takes(member.name) || excluded.match(member.name)) continue;
      if (given.has("show-transformed")) {
        const changed = renaming.apply(member.name);
        if (changed === undefined) continue;
        member.name = changed;
      }
      tool.print(`${given.has("v") ? verboseLine(tool, member) : escapeName(member.name)}\n`);
    }
    extractor?.finish();
    selection.reportMissing(tool);
  } finally {
    await reader.close();
    if (name !== "-") stream.close();
  }
}

/** -r: writes over the end of an archive that is not compressed. */
async function append(tool: FileTool): Promise<void> {
  const name = archiveName(tool);
  if (name === "-") throw new CommandError("Options '-r' and '-f -' are incompatible", FAILURE);
  if (compressorByOption(tool, name)) throw new CommandError("Cannot update compressed archives", FAILURE);
  const flags = { read: true, write: true, create: true };
  const stream = tool.context.open(name, flags);
  try {
    const reader = await openReader(tool, name, stream);
    while (await reader.next()) { /* to the end */ }
    const end = reader.position;
    stream.seek(end, "start");
    stream.truncate(end);
    const writer = new ArchiveWriter(tool, compress(tool, NONE, stream), tool.path(name));
    for (const { folder, name: source } of readSources(tool)) await writer.add(folder, source);
    await writer.finish(end);
  } finally {
    stream.close();
  }
}
