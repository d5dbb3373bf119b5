/** hexdump: data by formats. */
import { readCount } from "../tool/counts.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { fillBlock, type Format, parseFormat, showBlock, showEnd } from "./hexdump_format.ts";
import { BlockReader } from "./input.ts";

const END = '"%07.7_Ax\n"';
const START = '"%07.7_ax "';

/** What the letters of options stand for. */
const FORMATS: Record<string, string[]> = {
  b: [END, `${START} 16/1 "%03o " "\\n"`],
  c: [END, `${START} 16/1 "%3_c " "\\n"`],
  C: ['"%08.8_Ax\n"', '"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x " ', '"  |" 16/1 "%_p" "|\\n"'],
  d: [END, `${START} 8/2 "  %05u " "\\n"`],
  o: [END, `${START} 8/2 " %06o " "\\n"`],
  x: [END, `${START} 8/2 "   %04x " "\\n"`],
  X: [END, `${START} 16/1 " %02x" "\\n"`],
};
const USUAL = [END, `${START} 8/2 "%04x " "\\n"`];

const USAGE = {
  letters: "bcCde:f:n:os:vxX",
  long: {
    "one-byte-octal": "b",
    "one-byte-char": "c",
    "one-byte-hex": "X",
    canonical: "C",
    "two-bytes-decimal": "d",
    "two-bytes-octal": "o",
    "two-bytes-hex": "x",
    "format=": "e",
    "format-file=": "f",
    "length=": "n",
    "skip=": "s",
    "no-squeezing": "v",
  },
  synopsis: "[options] <file>...",
};

async function readFormats(tool: Tool): Promise<Format[]> {
  const texts: string[] = [];
  for (const [key, value = ""] of tool.given.list) {
    if (key === "e") texts.push(value);
    else if (key === "f") {
      const lines = (await tool.readText(value)).split("\n");
      texts.push(...lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#")));
    } else texts.push(...FORMATS[key] ?? []);
  }
  if (texts.length === 0) texts.push(...tool.name === "hd" ? FORMATS.C : USUAL);
  return texts.map(parseFormat);
}

function sizeOf(word: string): number {
  return /^0x/i.test(word) ? Number(word) : readCount(word, "failed to parse length");
}

async function run(tool: Tool): Promise<void> {
  const { given } = tool;
  const read = await readFormats(tool);
  const size = Math.max(...read.map((format) => format.size));
  if (size === 0) throw new CommandError("the format shows no data");
  const formats = read.map((format) => fillBlock(format, size));
  const reader = new BlockReader(tool, tool.inputs, given.has("n") ? sizeOf(given.get("n") ?? "") : Infinity);
  await reader.skip(given.has("s") ? sizeOf(given.get("s") ?? "") : 0);
  let last: string | undefined;
  let starred = false;
  for (;;) {
    const at = reader.position;
    const bytes = await reader.read(size);
    if (bytes.length === 0) break;
    const whole = new Uint8Array(size);
    whole.set(bytes);
    const key = bytes.length === size && !given.has("v") ? whole.join() : undefined;
    const same = key !== undefined && key === last;
    if (same && !starred) tool.print("*\n");
    starred = same;
    last = key;
    if (!same) {
      for (const format of formats) {
        if (!isEnd(format)) tool.print(showBlock(format, whole, bytes.length, at));
      }
    }
    await tool.attend();
  }
  if (reader.position > 0 || formats.length === 0) {
    for (const format of formats) tool.print(showEnd(format, reader.position));
  }
  reader.finish();
}

function isEnd({ units }: Format): boolean {
  return units.some(({ pieces }) => pieces.some(({ conversion }) => conversion?.letter.startsWith("_A")));
}

export const commands = [defineTool("hexdump", USAGE, run), defineTool("hd", USAGE, run)];
