/** split. */
import type { OpenStream } from "../../descriptors/stream.ts";
import { readCount } from "../tool/counts.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { CHUNK, readAll } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "a:b:C:dxel:n:t:u",
  long: {
    "suffix-length=": "a",
    "additional-suffix=": "additional",
    "bytes=": "b",
    "line-bytes=": "C",
    "numeric-suffixes?": "numeric",
    "hex-suffixes?": "hex",
    "elide-empty-files": "e",
    "lines=": "l",
    "number=": "n",
    "separator=": "t",
    unbuffered: "u",
    verbose: "verbose",
    "filter=": "filter",
  },
  synopsis: "[OPTION]... [FILE [PREFIX]]",
};
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";

/** The names of the parts, and the part that is being written. */
class Parts {
  #next: number;
  #stream: OpenStream | undefined;
  #length: number;
  readonly #alphabet: string;
  readonly #fixed: boolean;

  constructor(private readonly tool: Tool, private readonly prefix: string, count: number) {
    const { given } = tool;
    const kind = given.last("d", "numeric", "x", "hex");
    this.#alphabet = kind === "d" || kind === "numeric" ? DIGITS : kind === undefined ? LETTERS : `${DIGITS}abcdef`;
    this.#next = Number(given.get("numeric") || given.get("hex") || 0);
    const length = given.get("a");
    if (length !== undefined && !/^\d+$/.test(length)) throw new CommandError(`invalid suffix length: '${length}'`);
    let needed = 1;
    for (let reach = this.#alphabet.length; reach < count + this.#next; reach *= this.#alphabet.length) needed++;
    this.#fixed = Number(length ?? 0) > 0 || count > 0;
    this.#length = Number(length ?? 0) || Math.max(2, needed);
    if (Number(length ?? 0) > 0 && needed > Number(length)) {
      throw new CommandError(`the suffix length needs to be at least ${needed}`);
    }
  }

  open(): void {
    this.close();
    const name = this.#name(this.#next++);
    if (this.tool.given.has("verbose")) this.tool.out.write(`creating file '${name}'\n`);
    this.#stream = this.tool.create(name);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#stream) this.open();
    await this.#stream?.write(bytes);
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  #name(number: number): string {
    const size = this.#alphabet.length;
    if (!this.#fixed) {
      // One letter more when the last beginning would be used up: yz is followed by zaaa.
      let head = "";
      let rest = number;
      let length = this.#length;
      const last = this.#alphabet[size - 1];
      for (let room = (size - 1) * size ** (length - 1); rest >= room; room = (size - 1) * size ** (length - 1)) {
        rest -= room;
        head += last;
        length++;
      }
      return this.#finish(head + this.#digits(rest, length));
    }
    if (number >= size ** this.#length) throw new CommandError("output file suffixes exhausted");
    return this.#finish(this.#digits(number, this.#length));
  }

  #digits(number: number, length: number): string {
    let text = "";
    for (let i = 0, left = number; i < length; i++, left = Math.floor(left / this.#alphabet.length)) {
      text = this.#alphabet[left % this.#alphabet.length] + text;
    }
    return text;
  }

  #finish(suffix: string): string {
    return this.prefix + suffix + (this.tool.given.get("additional") ?? "");
  }
}

const split = defineTool("split", USAGE, async (tool) => {
  const { given } = tool;
  const [input = "-", prefix = "x", more] = given.operands;
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`);
  if (given.has("filter")) throw new CommandError("--filter is not supported");
  const ways = given.list.filter(([key]) => "bCln".includes(key));
  if (ways.length > 1) throw new UsageError("cannot split in more than one way");
  const [[way, word = ""]] = ways.length > 0 ? ways : [["l", "1000"]];
  const mark = (given.get("t") ?? "\n").replace(/^\\0$/, "\0");
  if (mark.length !== 1) {
    throw new CommandError(mark === "" ? "empty record separator" : `multi-character separator '${mark}'`);
  }
  const stream = tool.open(input);
  try {
    if (way === "n") await splitNumber(tool, stream, prefix, word, mark.charCodeAt(0));
    else {
      const what = way === "l" ? "lines" : "bytes";
      const count = readCount(word, `invalid number of ${what}`);
      if (count === 0) throw new CommandError(`invalid number of ${what}: '${word}'`);
      const parts = new Parts(tool, prefix, 0);
      if (way === "b") await splitBytes(tool, stream, parts, count);
      else if (way === "l") await splitLines(tool, stream, parts, count, mark.charCodeAt(0));
      else await splitLineBytes(tool, stream, parts, count, mark.charCodeAt(0));
      parts.close();
    }
  } finally {
    if (input !== "-") stream.close();
  }
}, (args) => args.map((arg) => /^-\d+$/.test(arg) ? `-l${arg.slice(1)}` : arg));

async function splitBytes(tool: Tool, stream: OpenStream, parts: Parts, size: number): Promise<void> {
  let left = 0;
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    await tool.attend();
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        parts.open();
        left = size;
      }
      const piece = chunk.subarray(at, at + left);
      await parts.write(piece);
      at += piece.length;
      left -= piece.length;
    }
  }
}

async function splitLines(tool: Tool, stream: OpenStream, parts: Parts, count: number, end: number): Promise<void> {
  let left = 0;
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    await tool.attend();
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        parts.open();
        left = count;
      }
      let to = at;
      for (; left > 0 && to < chunk.length; left--) {
        const next = chunk.indexOf(end, to);
        to = next < 0 ? chunk.length : next + 1;
        if (next < 0) break;
      }
      await parts.write(chunk.subarray(at, to));
      at = to;
    }
  }
}

/** Whole lines, as many as fit into so many bytes; a longer one is cut. */
async function splitLineBytes(tool: Tool, stream: OpenStream, parts: Parts, size: number, end: number): Promise<void> {
  const data = await readAll(stream);
  for (let at = 0; at < data.length;) {
    await tool.attend();
    parts.open();
    const limit = Math.min(data.length, at + size);
    const last = limit < data.length ? data.lastIndexOf(end, limit - 1) : limit - 1;
    const to = last >= at ? last + 1 : limit;
    await parts.write(data.subarray(at, to));
    at = to;
  }
}

async function splitNumber(tool: Tool, stream: OpenStream, prefix: string, word: string, end: number): Promise<void> {
  const [whole, kind, chosenWord, countWord] = /^(?:([lr])\/)?(?:(\d+)\/)?(\d+)$/.exec(word) ?? [];
  const count = Number(countWord);
  if (whole === undefined || count === 0) throw new CommandError(`invalid number of chunks: '${word}'`);
  const chosen = chosenWord === undefined ? undefined : Number(chosenWord);
  if (chosen !== undefined && (chosen === 0 || chosen > count)) {
    throw new CommandError(`invalid chunk number: '${chosenWord}'`);
  }
  const data = await readAll(stream);
  const pieces: Uint8Array[][] = Array.from({ length: count }, () => []);
  if (kind === undefined) {
    const size = Math.floor(data.length / count);
    pieces.forEach((list, i) => list.push(data.subarray(i * size, i === count - 1 ? data.length : (i + 1) * size)));
  } else dealLines(data, pieces, kind === "r", end);
  if (chosen !== undefined) {
    for (const piece of pieces[chosen - 1]) await tool.context.fds.get(1).write(piece);
    return;
  }
  const parts = new Parts(tool, prefix, count);
  for (const list of pieces) {
    if (tool.given.has("e") && list.every((piece) => piece.length === 0)) continue;
    parts.open();
    for (const piece of list) await parts.write(piece);
  }
  parts.close();
}

/** Gives lines to the parts: in turn, or each to the part in whose share of bytes it begins. */
function dealLines(data: Uint8Array, pieces: Uint8Array[][], inTurn: boolean, end: number): void {
  const count = pieces.length;
  const size = Math.max(1, Math.floor(data.length / count));
  for (let at = 0, i = 0; at < data.length; i++) {
    const next = data.indexOf(end, at);
    const to = next < 0 ? data.length : next + 1;
    pieces[inTurn ? i % count : Math.min(count - 1, Math.floor(at / size))].push(data.subarray(at, to));
    at = to;
  }
}

export const commands = [split];
