/** The items that xargs reads: words, lines, or what a delimiter ends. */
import { decodeBytes } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import type { OpenStream } from "../../../descriptors/stream.ts";

const CHUNK = 65_536;
const [NEWLINE, BACKSLASH, QUOTE, DOUBLE_QUOTE] = [10, 92, 39, 34];

/** An item; `ends` says that a line ends after it. */
export interface Item {
  text: string;
  ends: boolean;
}

/** What a byte ends, as -0 and -d have it. */
export async function* readDelimited(stream: OpenStream, end: number): AsyncGenerator<Item> {
  let kept: number[] = [];
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    let start = 0;
    for (let at = chunk.indexOf(end); at >= 0; at = chunk.indexOf(end, start)) {
      const part = chunk.subarray(start, at);
      yield { text: decodeBytes(kept.length > 0 ? Uint8Array.from([...kept, ...part]) : part), ends: true };
      kept = [];
      start = at + 1;
    }
    for (const byte of chunk.subarray(start)) kept.push(byte);
  }
  if (kept.length > 0) yield { text: decodeBytes(Uint8Array.from(kept)), ends: true };
}

/** Words with quotes and backslashes; with `lines`, whole lines of them. */
export async function* readQuoted(
  stream: OpenStream,
  lines: boolean,
  stop: string | undefined,
): AsyncGenerator<Item> {
  const reader = new QuotedReader(lines);
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    for (const byte of chunk) {
      const item = reader.take(byte);
      if (item === undefined) continue;
      if (item.text === stop) return;
      yield item;
    }
  }
  const last = reader.end();
  if (last !== undefined && last.text !== stop) yield last;
}

class QuotedReader {
  #bytes: number[] = [];
  #started = false;
  #quote = 0;
  #escaped = false;
  /** A blank at the end of a line joins the next to it. */
  #blank = false;

  constructor(private readonly lines: boolean) {}

  take(byte: number): Item | undefined {
    if (this.#escaped) {
      this.#escaped = false;
      return this.#add(byte);
    }
    if (this.#quote !== 0) {
      if (byte === this.#quote) this.#quote = 0;
      else if (byte === NEWLINE) this.#refuse();
      else this.#add(byte);
      return undefined;
    }
    if (byte === BACKSLASH) {
      this.#escaped = true;
      this.#started = true;
      return undefined;
    }
    if (byte === QUOTE || byte === DOUBLE_QUOTE) {
      this.#quote = byte;
      this.#started = true;
      return undefined;
    }
    if (byte === NEWLINE) return this.#endLine();
    if (byte === 32 || byte === 9 || byte === 11 || byte === 12 || byte === 13) {
      if (this.lines) return this.#started ? this.#add(byte) : undefined;
      this.#blank = true;
      return this.#started ? this.#give(false) : undefined;
    }
    return this.#add(byte);
  }

  #endLine(): Item | undefined {
    const continued = this.#blank && !this.lines;
    this.#blank = false;
    if (this.#started) return this.#give(true);
    return this.lines || continued ? undefined : { text: "", ends: true };
  }

  #add(byte: number): undefined {
    this.#blank = false;
    this.#started = true;
    this.#bytes.push(byte);
  }

  #give(ends: boolean): Item {
    const text = decodeBytes(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#started = false;
    return { text: text === "" ? EMPTY : text, ends };
  }

  #refuse(): never {
    throw new CommandError(
      `unmatched ${this.#quote === QUOTE ? "single" : "double"} quote; by default quotes are special to xargs ` +
        "unless you use the -0 option",
    );
  }

  end(): Item | undefined {
    if (this.#quote !== 0) this.#refuse();
    return this.#started ? this.#give(true) : undefined;
  }
}

/** Stands for an item that was written as '' or "", unlike the end of an empty line. */
export const EMPTY = "\0";
