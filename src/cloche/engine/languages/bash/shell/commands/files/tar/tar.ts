/** tar. */
import { defineFileTool, type FileTool } from "../file_tool.ts";
import { codeOf } from "../paths.ts";
import { CommandError, UsageError } from "../../tool/errors.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import type { OpenStream } from "../../../descriptors/stream.ts";
import { compareMember } from "./compare.ts";
import { compress, compressorByBytes, compressorByOption, decompress, NONE } from "./compression.ts";
import { ArchiveWriter, readSources } from "./create.ts";
import { Extractor } from "./extract.ts";
import { escapeName, resetWidth, verboseLine } from "./list.ts";
import { Exclusions, readLines, readStreamedLists, Renaming, Selection } from "./names.ts";
import { ArchiveReader } from "./reader.ts";
import { append, concatenate, remove } from "./update.ts";

const USAGE = {
  letters: "cxtruAdf:zjJZaI:vC:X:T:kpOmhPSUb:B",
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
  else if (mode === "x" || mode === "t" || mode === "d") await read(tool, mode);
  else if (mode === "A") await concatenate(tool, archiveName(tool));
  else if (mode === "delete") await remove(tool, archiveName(tool), readSelection(tool));
  else await append(tool, archiveName(tool), mode === "u");
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
  // Names are sorted anyway, since the files have no other order.
  const order = tool.given.get("sort") ?? "name";
  if (!["name", "none"].includes(order)) {
    throw new CommandError(`--sort=${order}: this order is not available`, FAILURE);
  }
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

/** The members that are named, if any are. */
function readSelection(tool: FileTool): Selection {
  const { given } = tool;
  const listed = given.all("T").flatMap((file) => readLines(tool, file, given.has("null") ? "\0" : "\n"));
  const wildcards = given.last("wildcards", "no-wildcards") === "wildcards";
  return new Selection([...tool.operands, ...listed], wildcards, readOccurrence(tool));
}

/** --occurrence: which one of several members of a name is meant. */
function readOccurrence({ given, operands }: FileTool): number | undefined {
  if (!given.has("occurrence")) return undefined;
  const word = given.get("occurrence") ?? "1";
  if (!/^[1-9]\d*$/.test(word)) throw new CommandError(`${word}: Invalid number`, FAILURE);
  if (operands.length === 0 && !given.has("T")) throw refuse("--occurrence is meaningless without a file list");
  return Number(word);
}

async function read(tool: FileTool, mode: string): Promise<void> {
  const name = archiveName(tool);
  const stream = openArchive(tool, name);
  const { given } = tool;
  const selection = readSelection(tool);
  const reader = await openReader(tool, name, stream);
  try {
    const extractor = mode === "x" ? new Extractor(tool, selection) : undefined;
    const excluded = new Exclusions(tool);
    const renaming = new Renaming(tool);
    for (let member = await reader.next(); member; member = await reader.next()) {
      if (extractor) {
        if (extractor.wants(member)) await extractor.extract(member, reader);
        continue;
      }
      await tool.attend();
      if (!selection.takes(member.name) || excluded.match(member.name)) continue;
      if (mode === "d") {
        if (given.has("v")) tool.print(`${given.all("v").length > 1 ? verboseLine(tool, member) : member.name}\n`);
        await compareMember(tool, member, reader);
        continue;
      }
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
