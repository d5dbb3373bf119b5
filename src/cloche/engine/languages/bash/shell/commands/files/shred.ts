/** shred, fallocate: files that are overwritten, and files of a size. */
import { CommandError, UsageError } from "../tool/errors.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { quote } from "./paths.ts";

const BLOCK = 65_536;
const DISK_BLOCK = 4096;
const LARGEST = 2 ** 40;

const SHRED = {
  letters: "fn:s:uvxz",
  long: { force: "f", "iterations=": "n", "size=": "s", remove: "u", verbose: "v", exact: "x", zero: "z" },
  synopsis: "[OPTION]... FILE...",
};

export const shred = defineFileTool("shred", SHRED, async (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing file operand");
  const passes = given.get("n") ?? "3";
  if (!/^\d+$/.test(passes)) throw new CommandError(`invalid number of passes: ${quote(passes)}`);
  for (const name of operands) await overwrite(tool, name, Number(passes));
});

async function overwrite(tool: FileTool, name: string, passes: number): Promise<void> {
  const { given, files } = tool;
  const opened = tool.try(`${name}: failed to open for writing`, () => {
    if (tool.stat(name).kind !== "file") throw new CommandError(`${name}: invalid file type`);
    files.open(tool.path(name), { read: false, write: true }).close();
  });
  if (!opened) return;
  const { size: own } = tool.stat(name);
  // What lies behind the end in the last block goes too.
  const whole = given.has("x") ? own : Math.ceil(own / DISK_BLOCK) * DISK_BLOCK;
  const size = given.has("s") ? readSize(given.get("s") ?? "") : whole;
  const all = passes + (given.has("z") ? 1 : 0);
  for (let pass = 1; pass <= all; pass++) {
    const zeros = pass > passes;
    if (given.has("v")) tool.complain(`${name}: pass ${pass}/${all} (${zeros ? "000000" : "random"})...`);
    await fill(tool, name, size, zeros);
  }
  if (!given.has("u")) return;
  if (given.has("v")) tool.complain(`${name}: removing`);
  tool.try(`${name}: failed to remove`, () => files.removeFile(tool.path(name)));
  if (given.has("v")) tool.complain(`${name}: removed`);
}

async function fill(tool: FileTool, name: string, size: number, zeros: boolean): Promise<void> {
  const stream = tool.files.open(tool.path(name), { read: false, write: true });
  try {
    for (let left = size; left > 0; left -= BLOCK) {
      const block = new Uint8Array(Math.min(left, BLOCK));
      await stream.write(zeros ? block : crypto.getRandomValues(block));
      await tool.attend();
    }
  } finally {
    stream.close();
  }
}

function readSize(text: string): number {
  const [, digits, unit] = /^(\d+)([kKMG]?)(?:i?B)?$/.exec(text) ?? [];
  if (digits === undefined) throw new CommandError(`invalid file size: ${quote(text)}`);
  return Number(digits) * 1024 ** " KMG".indexOf(unit.toUpperCase() || " ");
}

const FALLOCATE = {
  letters: "l:o:nxv",
  long: { "length=": "l", "offset=": "o", "keep-size": "n", posix: "x", verbose: "v" },
  synopsis: "[OPTION]... FILE",
};

export const fallocate = defineFileTool("fallocate", FALLOCATE, (tool) => {
  const { given, operands, files, context } = tool;
  const [name] = operands;
  if (name === undefined) throw new UsageError("no filename specified");
  if (!given.has("l")) throw new UsageError("no length argument specified");
  const size = readSize(given.get("l") ?? "");
  if (size === 0) throw new CommandError("invalid length value specified");
  const end = size + readSize(given.get("o") ?? "0");
  if (end > LARGEST) throw new CommandError(`fallocate failed: File too large`);
  tool.try(`cannot open ${name}`, () => {
    const stream = files.open(tool.path(name), { read: true, write: true, create: true }, 0o666 & ~context.umask);
    try {
      if (!given.has("n") && stream.stat().size < end) stream.truncate(end);
    } finally {
      stream.close();
    }
  });
});

export const commands = [shred, fallocate];
