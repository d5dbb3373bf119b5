/** sort. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { LineReader, Writer } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { ByteLines } from "./byte_sort.ts";
import { type Compare, extractKey, makeCompare, readKey } from "./keys.ts";

const USAGE = {
  letters: "bdfghiMnRrVk:t:uscCmo:S:T:z",
  long: {
    "ignore-leading-blanks": "b",
    "dictionary-order": "d",
    "ignore-case": "f",
    "general-numeric-sort": "g",
    "human-numeric-sort": "h",
    "ignore-nonprinting": "i",
    "month-sort": "M",
    "numeric-sort": "n",
    "random-sort": "R",
    reverse: "r",
    "version-sort": "V",
    "sort=": "sort",
    "key=": "k",
    "field-separator=": "t",
    unique: "u",
    stable: "s",
    "check?": "check",
    merge: "m",
    "output=": "o",
    "buffer-size=": "S",
    "temporary-directory=": "T",
    "zero-terminated": "z",
    "parallel=": "parallel",
    "batch-size=": "batch",
    "random-source=": "random",
    "compress-program=": "compress",
    "files0-from=": "files0",
  },
  code: 2,
};
const KINDS: Record<string, string> = {
  "general-numeric": "g",
  "human-numeric": "h",
  month: "M",
  numeric: "n",
  random: "R",
  version: "V",
};
/** Lines that are sorted in one go. */
const RUN = 32768;
const SEED = 16;

const sort = defineTool("sort", USAGE, async (tool) => {
  const { given } = tool;
  const end = given.has("z") ? 0 : 10;
  const kind = given.get("sort");
  if (kind !== undefined && !(kind in KINDS)) throw new UsageError(`invalid argument '${kind}' for '--sort'`);
  const shared = [..."bdfghiMnRrV"].filter((letter) => given.has(letter)).join("") + (kind ? KINDS[kind] : "");
  const kinds = [..."ghMnRV"].filter((letter) => shared.includes(letter));
  if (kinds.length > 1) throw new CommandError(`options '-${kinds.join("")}' are incompatible`, 2);
  const separator = readSeparator(given.get("t"));
  const names = given.has("files0")
    ? (await tool.readText(given.get("files0") ?? "")).split("\0").filter((name) => name !== "")
    : tool.inputs;
  const checks = given.has("c") || given.has("C") || given.has("check");
  if (checks && names.length > 1) throw new CommandError(`extra operand '${names[1]}' not allowed with -c`, 2);
  if (/^r?$/.test(shared) && !given.has("k", "m") && !checks) return await sortWhole(tool, names, end);
  const sizes: number[] = [];
  const lines = await readLines(tool, names, end, sizes);
  const order = new Order(lines, shared, given.all("k"), separator, {
    stable: given.has("s", "u"),
    seed: await readSeed(tool),
  });
  if (checks) return check(tool, lines, order, names[0]);
  const mark = String.fromCharCode(end);
  if (given.has("m")) {
    const places = await mergeFiles(tool, sizes, order.compare);
    return await writeLines(tool, (given.has("u") ? order.unique(places) : places).map((place) => lines[place]), mark);
  }
  const places = await sortItems(tool, lines.map((_, i) => i), order.compare);
  await writeLines(tool, (given.has("u") ? order.unique(places) : places).map((place) => lines[place]), mark);
});

/** Lines as they are, by their bytes. */
async function sortWhole(tool: Tool, names: string[], end: number): Promise<void> {
  const parts: Uint8Array[] = [];
  for (const name of names) {
    const data = await readInput(tool, name);
    parts.push(data);
    if (data.length > 0 && data[data.length - 1] !== end) parts.push(Uint8Array.of(end));
  }
  const lines = new ByteLines(tool, concatBytes(parts), end);
  await lines.sort();
  if (tool.given.has("r")) lines.reverse();
  const target = tool.given.get("o");
  const out = target === undefined ? tool.context.fds.get(1) : openTarget(tool, target);
  for (const piece of lines.pieces(tool.given.has("u"))) {
    await out.write(piece);
    await tool.attend();
  }
  if (target !== undefined) out.close();
}

async function readInput(tool: Tool, name: string): Promise<Uint8Array> {
  try {
    return await tool.readFile(name);
  } catch (error) {
    if (error instanceof FileError) throw unreadable(name, error);
    throw error;
  }
}

function unreadable(name: string, error: FileError): CommandError {
  const reason = reasonOf(error);
  return new CommandError(
    error.code === "EISDIR" ? `read failed: ${name}: ${reason}` : `cannot read: ${name}: ${reason}`,
    2,
  );
}

function openTarget(tool: Tool, name: string): OpenStream {
  try {
    return tool.create(name);
  } catch (error) {
    if (error instanceof FileError) throw new CommandError(`open failed: ${name}: ${reasonOf(error)}`, 2);
    throw error;
  }
}

/** What the order of -R depends on. */
async function readSeed(tool: Tool): Promise<Uint8Array> {
  const source = tool.given.get("random");
  if (source === undefined) return crypto.getRandomValues(new Uint8Array(SEED));
  const bytes = await tool.readFile(source);
  if (bytes.length < SEED) throw new CommandError(`${source}: end of file`, 2);
  return bytes.subarray(0, SEED);
}

function readSeparator(word: string | undefined): string | undefined {
  if (word === undefined || word === "\\0") return word && "\0";
  if (word === "") throw new CommandError("empty tab", 2);
  if ([...word].length > 1) throw new CommandError(`multi-character tab '${word}'`, 2);
  return word;
}

/** All lines; `sizes` becomes the number of lines of each file. */
async function readLines(tool: Tool, names: string[], end: number, sizes: number[]): Promise<string[]> {
  const parts: string[][] = [];
  let before = 0;
  for (const name of names) {
    try {
      const stream = tool.open(name);
      const reader = new LineReader(stream, tool.coding, end);
      for (;;) {
        const next = reader.next();
        const lines = next instanceof Promise ? await next : next;
        if (lines === undefined) break;
        parts.push(lines);
        const turn = tool.attend();
        if (turn instanceof Promise) await turn;
      }
      if (name !== "-") stream.close();
      const all = parts.reduce((sum, { length }) => sum + length, 0);
      sizes.push(all - before);
      before = all;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw unreadable(name, error);
    }
  }
  return parts.length === 1 ? parts[0] : parts.flat();
}

/** In which order lines are, given by their places in the list. */
class Order {
  readonly byKeys: Compare;
  readonly compare: Compare;
  /** Lines are compared as they are. */
  readonly isPlain: boolean;

  constructor(
    lines: string[],
    shared: string,
    keys: string[],
    separator: string | undefined,
    { stable, seed }: { stable: boolean; seed: Uint8Array },
  ) {
    this.isPlain = keys.length === 0 && !/[bdfghiMnRrV]/.test(shared);
    const compares = keys.map((word) => {
      const key = readKey(word, shared);
      return makeCompare(lines.map((line) => extractKey(line, key, separator)), key.flags, seed);
    });
    if (keys.length === 0) {
      const texts = shared.includes("b") ? lines.map((line) => line.replace(/^[ \t]+/, "")) : lines;
      compares.push(makeCompare(texts, shared, seed));
    }
    this.byKeys = compares.length === 1 ? compares[0] : (a, b) => {
      for (const compare of compares) {
        const result = compare(a, b);
        if (result !== 0) return result;
      }
      return 0;
    };
    const whole: Compare = shared.includes("r")
      ? (a, b) => lines[a] === lines[b] ? 0 : lines[a] < lines[b] ? 1 : -1
      : (a, b) => lines[a] === lines[b] ? 0 : lines[a] < lines[b] ? -1 : 1;
    this.compare = stable || this.isPlain ? this.byKeys : (a, b) => this.byKeys(a, b) || whole(a, b);
  }

  unique(places: number[]): number[] {
    return places.filter((place, i) => i === 0 || this.byKeys(places[i - 1], place) !== 0);
  }
}

function check(tool: Tool, lines: string[], order: Order, name: string): number {
  const quiet = tool.given.has("C") || ["quiet", "silent"].includes(tool.given.get("check") ?? "");
  const strict = tool.given.has("u");
  for (let i = 1; i < lines.length; i++) {
    const result = order.compare(i - 1, i);
    if (result < 0 || result === 0 && !strict) continue;
    if (!quiet) tool.complain(`${name}:${i + 1}: disorder: ${lines[i]}`);
    return 1;
  }
  return 0;
}

/** Sorts runs and merges them, so that others run in between. Without a comparison, strings by their characters. */
async function sortItems<T extends string | number>(
  tool: Tool,
  items: T[],
  compare: ((a: T, b: T) => number) | undefined,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    const turn = tool.attend();
    if (turn instanceof Promise) await turn;
  }
  const isBefore = compare ? (a: T, b: T) => compare(a, b) <= 0 : (a: T, b: T) => a <= b;
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 < runs.length ? await merge(tool, runs[i], runs[i + 1], isBefore) : runs[i]);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(tool: Tool, a: T[], b: T[], isBefore: (a: T, b: T) => boolean): Promise<T[]> {
  const out = new Array<T>(a.length + b.length);
  let [i, j] = [0, 0];
  for (let at = 0; at < out.length; at++) {
    out[at] = j >= b.length || i < a.length && isBefore(a[i], b[j]) ? a[i++] : b[j++];
    if (at % RUN !== 0) continue;
    const turn = tool.attend();
    if (turn instanceof Promise) await turn;
  }
  return out;
}

/** The order of lines that are sorted in each file: the smallest of those that are next. */
async function mergeFiles(tool: Tool, sizes: number[], compare: Compare): Promise<number[]> {
  const places: number[] = [];
  let start = 0;
  let heads = sizes.map((size) => {
    const head = { at: start, end: start += size };
    return head;
  }).filter(({ at, end }) => at < end);
  while (heads.length > 0) {
    let least = heads[0];
    for (const head of heads) if (compare(head.at, least.at) < 0) least = head;
    places.push(least.at++);
    if (least.at === least.end) heads = heads.filter((head) => head !== least);
    if (places.length % RUN !== 0) continue;
    const turn = tool.attend();
    if (turn instanceof Promise) await turn;
  }
  return places;
}

async function writeLines(tool: Tool, lines: string[], mark: string): Promise<void> {
  const target = tool.given.get("o");
  const out = target === undefined ? tool.out : new Writer(openTarget(tool, target), tool.coding);
  for (let at = 0; at < lines.length; at += 4096) {
    out.write(lines.slice(at, at + 4096).join(mark) + mark);
    const written = out.flush();
    if (written instanceof Promise) await written;
    const turn = tool.attend();
    if (turn instanceof Promise) await turn;
  }
  if (target !== undefined) out.stream.close();
}

export const commands = [sort];
