/** shuf: lines in random order. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { Writer } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { makeChooser } from "../numbers/random.ts";

const USAGE = {
  letters: "ei:n:o:rz",
  long: {
    echo: "e",
    "input-range=": "i",
    "head-count=": "n",
    "output=": "o",
    "random-source=": "source",
    repeat: "r",
    "zero-terminated": "z",
  },
  synopsis: "[OPTION]... [FILE]",
};

const shuf = defineTool("shuf", USAGE, async (tool) => {
  const { given } = tool;
  const ranges = given.all("i");
  if (ranges.length > 1) throw new CommandError("multiple -i options specified");
  if (given.has("e") && given.has("i")) throw new UsageError("cannot combine -e and -i options");
  const extra = given.has("i") ? tool.operands[0] : given.has("e") ? undefined : tool.operands[1];
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const limit = Math.min(Infinity, ...given.all("n").map(readLimit));
  const choose = makeChooser(given.has("source") ? await tool.readFile(given.get("source") ?? "") : undefined);
  const items = await readItems(tool);
  const end = given.has("z") ? "\0" : "\n";
  const target = given.get("o");
  const out = target === undefined ? tool.out : new Writer(tool.create(target), tool.coding);
  if (given.has("r")) {
    if (items.count === 0 && limit > 0) throw new CommandError("no lines to repeat");
    for (let i = 0; i < limit; i++) {
      out.write(items.at(choose(items.count)) + end);
      if (out.full) await out.flush();
      await tool.attend();
    }
  } else await writePermutation(tool, items, Math.min(limit, items.count), choose, out, end);
  await out.flush();
});

function readLimit(word: string): number {
  if (!/^\+?\d+$/.test(word)) throw new CommandError(`invalid line count: '${word}'`);
  return Number(word);
}

interface Items {
  count: number;
  at(index: number): string;
}

async function readItems(tool: Tool): Promise<Items> {
  const { given, operands } = tool;
  const range = given.get("i");
  if (range !== undefined) {
    const [, low, high] = /^(\d+)-(\d+)$/.exec(range) ?? [];
    if (high === undefined || Number(low) > Number(high) + 1) throw new CommandError(`invalid input range: '${range}'`);
    return { count: Number(high) - Number(low) + 1, at: (index) => String(Number(low) + index) };
  }
  const mark = given.has("z") ? "\0" : "\n";
  const lines = given.has("e") ? operands : (await tool.readText(operands[0] ?? "-")).split(mark);
  if (!given.has("e") && lines.at(-1) === "") lines.pop();
  return { count: lines.length, at: (index) => lines[index] };
}

/** Exchanges items one by one; only those that were moved are kept, so a large range costs no more than what is shown. */
async function writePermutation(
  tool: Tool,
  items: Items,
  wanted: number,
  choose: (count: number) => number,
  out: Writer,
  end: string,
): Promise<void> {
  const moved = new Map<number, number>();
  for (let i = 0; i < wanted; i++) {
    const j = i + choose(items.count - i);
    out.write(items.at(moved.get(j) ?? j) + end);
    moved.set(j, moved.get(i) ?? i);
    moved.delete(i);
    if (out.full) await out.flush();
    if (i % 1024 === 0) await tool.attend();
  }
}

export const commands = [shuf];
