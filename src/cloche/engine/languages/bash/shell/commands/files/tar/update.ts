/** Changes archives that are there: tar -r, -u, -A and --delete. */
import { concatBytes } from "../../../../../../text/bytes.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { CommandError } from "../../tool/errors.ts";
import type { FileTool } from "../file_tool.ts";
import { codeOf } from "../paths.ts";
import { compress, compressorByBytes, compressorByOption, NONE } from "./compression.ts";
import { ArchiveWriter, readSources } from "./create.ts";
import { padding } from "./header.ts";
import type { Selection } from "./names.ts";
import { ArchiveReader } from "./reader.ts";

const FAILURE = 2;
const RECORD = 10_240;
const END = 1024;

interface Stored {
  name: string;
  mtime: number;
  start: number;
}

async function* pieceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

/** The members of an archive that is not compressed, and where they end. */
async function readMembers(
  tool: FileTool,
  name: string,
): Promise<{ data: Uint8Array; members: Stored[]; end: number }> {
  let data: Uint8Array;
  try {
    data = tool.files.readFile(tool.path(name));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new CommandError(`${name}: Cannot open: ${reasonOf(error)}\nError is not recoverable: exiting now`, FAILURE);
  }
  if (compressorByOption(tool, name) || compressorByBytes(data.subarray(0, 512)).kind !== "none") {
    throw new CommandError("Cannot update compressed archives\nError is not recoverable: exiting now", FAILURE);
  }
  const reader = new ArchiveReader(pieceOf(data));
  const members: Stored[] = [];
  for (let member = await reader.next(); member; member = await reader.next()) {
    members.push({ name: member.name, mtime: member.mtime, start: reader.position });
    await tool.attend();
  }
  return { data, members, end: reader.position };
}

/** -r, and -u for what is newer than in the archive. */
export async function append(tool: FileTool, name: string, onlyNewer: boolean): Promise<void> {
  if (name === "-") throw new CommandError("Options '-Aru' are incompatible with '-f -'", FAILURE);
  const found = tool.files.exists(tool.path(name)) ? await readMembers(tool, name) : { members: [], end: 0 };
  const stream = tool.context.open(name, { read: true, write: true, create: true });
  try {
    stream.seek(found.end, "start");
    stream.truncate(found.end);
    const known = onlyNewer ? new Map(found.members.map((member) => [member.name, member.mtime])) : undefined;
    const writer = new ArchiveWriter(tool, compress(tool, NONE, stream), tool.path(name), known);
    for (const { folder, name: source } of readSources(tool)) await writer.add(folder, source);
    await writer.finish(found.end);
  } finally {
    stream.close();
  }
}

/** -A: the members of other archives after those of this one. */
export async function concatenate(tool: FileTool, name: string): Promise<void> {
  const { data, end } = await readMembers(tool, name);
  const parts = [data.subarray(0, end)];
  for (const other of tool.operands) {
    const found = await readMembers(tool, other);
    parts.push(found.data.subarray(0, found.end));
  }
  await rewrite(tool, name, parts);
}

/** --delete. */
export async function remove(tool: FileTool, name: string, selection: Selection): Promise<void> {
  const { data, members, end } = await readMembers(tool, name);
  const parts = members.flatMap(({ name: member, start }, i) =>
    selection.takes(member) ? [] : [data.subarray(start, members[i + 1]?.start ?? end)]
  );
  await rewrite(tool, name, parts);
  selection.reportMissing(tool);
}

async function rewrite(tool: FileTool, name: string, parts: Uint8Array[]): Promise<void> {
  const size = parts.reduce((sum, part) => sum + part.length + padding(part.length), END);
  const whole = concatBytes([...parts, new Uint8Array(END + (RECORD - size % RECORD) % RECORD)]);
  const stream = tool.context.open(name, { read: false, write: true, truncate: true });
  try {
    await stream.write(whole);
  } finally {
    stream.close();
  }
}
