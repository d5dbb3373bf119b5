/** cmp. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { readCount } from "../tool/counts.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "bi:ln:s",
  long: {
    "print-bytes": "b",
    "ignore-initial=": "i",
    verbose: "l",
    "bytes=": "n",
    quiet: "s",
    silent: "s",
  },
  synopsis: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
  code: 2,
  hintNamed: true,
};

function visible(byte: number): string {
  if (byte >= 128) return `M-${visible(byte - 128)}`;
  if (byte < 32) return `^${String.fromCharCode(byte + 64)}`;
  return byte === 127 ? "^?" : String.fromCharCode(byte);
}

async function read(tool: Tool, name: string, skip: number, most: number): Promise<Uint8Array> {
  try {
    return (await tool.readFile(name)).subarray(skip, most === Infinity ? undefined : skip + most);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new CommandError(`${name}: ${reasonOf(error)}`, 2);
  }
}

const cmp = defineTool("cmp", USAGE, async (tool) => {
  const { given } = tool;
  const [first, second = "-", skipA, skipB, more] = given.operands;
  if (first === undefined) throw new UsageError("missing operand after 'cmp'");
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`);
  const size = (word: string) => readCount(word, "invalid --ignore-initial value", 2);
  const [initialA, initialB = initialA] = (given.get("i") ?? "0").split(":");
  const skips = [skipA ?? initialA, skipB ?? initialB].map(size);
  const most = given.has("n") ? readCount(given.get("n") ?? "", "invalid --bytes value", 2) : Infinity;
  let a: Uint8Array;
  let b: Uint8Array;
  try {
    a = await read(tool, first, skips[0], most);
    b = await read(tool, second, skips[1], most);
  } catch (error) {
    if (error instanceof CommandError && given.has("s")) return 2;
    throw error;
  }
  const shared = Math.min(a.length, b.length);
  let differs = false;
  let line = 1;
  const width = String(Math.max(a.length, b.length)).length;
  for (let i = 0; i < shared; i++) {
    if (i % 65536 === 0) await tool.attend();
    if (a[i] === b[i]) {
      if (a[i] === 10) line++;
      continue;
    }
    if (given.has("s")) return 1;
    const [x, y] = [a[i].toString(8).padStart(3), b[i].toString(8).padStart(3)];
    if (!given.has("l")) {
      const bytes = given.has("b") ? ` is ${x} ${visible(a[i])} ${y} ${visible(b[i])}` : "";
      tool.out.write(`${first} ${second} differ: byte ${i + 1}, line ${line}${bytes}\n`);
      return 1;
    }
    const place = String(i + 1).padStart(width);
    tool.out.write(
      given.has("b") ? `${place} ${x} ${visible(a[i]).padEnd(4)} ${y} ${visible(b[i])}\n` : `${place} ${x} ${y}\n`,
    );
    differs = true;
  }
  if (a.length === b.length) return differs ? 1 : 0;
  if (given.has("s")) return 1;
  await tool.out.flush();
  const short = a.length < b.length ? first : second;
  if (shared === 0) tool.complain(`EOF on ${short} which is empty`);
  else {
    const whole = (a.length < b.length ? a : b)[shared - 1] === 10;
    const place = given.has("l") ? "" : whole ? `, line ${line - 1}` : `, in line ${line}`;
    tool.complain(`EOF on ${short} after byte ${shared}${place}`);
  }
  return 1;
});

export const commands = [cmp];
