/** Lines in, text out: many at a time, in the form that a command works with. */
import { concatBytes } from "../../../../../text/bytes.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import type { Later } from "../../task.ts";

export const CHUNK = 65536;

/** How bytes become the strings that a command works with: characters, or one for each byte. */
export interface Coding {
  decode(bytes: Uint8Array): string;
  encode(text: string): Uint8Array;
}

export const BYTES: Coding = { decode: fromArray, encode: toArray };
export const CHARACTERS: Coding = {
  decode: (bytes) => decodeText(fromArray(bytes)),
  encode: (text) => toArray(encodeText(text)),
};

/** Bytes in the locale C, else characters. */
export function codingOf(env: Readonly<Record<string, string>>): Coding {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale === "C" || locale === "POSIX" ? BYTES : CHARACTERS;
}

/** Reads lines in batches: all that are complete in what has arrived. */
export class LineReader {
  /** Whether the last line had no end. */
  open = false;
  #rest: Uint8Array[] = [];
  #atEnd = false;
  readonly #mark: string;

  /** `first` are bytes that have been read already. */
  constructor(
    readonly stream: OpenStream,
    private readonly coding: Coding,
    private readonly end = 10,
    private first?: Uint8Array,
  ) {
    this.#mark = String.fromCharCode(end);
  }

  /** The next lines without their ends; undefined at the end of input. */
  next(): Later<string[] | undefined> {
    const text = this.nextText();
    return text instanceof Promise ? text.then((text) => text?.split(this.#mark)) : text?.split(this.#mark);
  }

  /** The same as one text, with the ends between the lines. */
  nextText(): Later<string | undefined> {
    for (;;) {
      const chunk = this.#atEnd ? undefined : this.first ?? this.stream.read(CHUNK);
      if (chunk instanceof Promise) return this.#later(chunk);
      this.first = undefined;
      // A file that has less than was asked for is at its end.
      this.#atEnd = this.stream.kind === "file" && chunk !== undefined && chunk.length < CHUNK;
      const text = this.#take(chunk);
      if (text !== undefined || chunk === undefined) return text;
    }
  }

  async #later(first: Promise<Uint8Array | undefined>): Promise<string | undefined> {
    for (let chunk = await first;; chunk = await this.stream.read(CHUNK)) {
      const text = this.#take(chunk);
      if (text !== undefined || chunk === undefined) return text;
    }
  }

  #take(chunk: Uint8Array | undefined): string | undefined {
    if (chunk === undefined) {
      if (this.#rest.length === 0) return undefined;
      this.open = true;
      return this.coding.decode(concatBytes(this.#rest.splice(0)));
    }
    const at = chunk.lastIndexOf(this.end);
    if (at < 0) {
      this.#rest.push(chunk);
      return undefined;
    }
    const whole = chunk.subarray(0, at);
    const bytes = this.#rest.length > 0 ? concatBytes([...this.#rest.splice(0), whole]) : whole;
    if (at + 1 < chunk.length) this.#rest.push(chunk.subarray(at + 1));
    return this.coding.decode(bytes);
  }

  /** Gives back what was read too far: lines of the last batch that were not used, and what follows them. */
  giveBack(lines: string[]): void {
    const parts = this.#rest.splice(0);
    this.#atEnd = false;
    if (lines.length > 0) {
      const text = lines.join(this.#mark) + (this.open ? "" : this.#mark);
      parts.unshift(this.coding.encode(text));
    }
    if (parts.length > 0) this.stream.unread(concatBytes(parts));
  }
}

/** Collects text and writes it in large pieces. */
export class Writer {
  #text = "";
  #pending: Promise<void> | undefined;

  constructor(readonly stream: OpenStream, public coding: Coding) {}

  write(text: string): void {
    this.#text += text;
  }

  /** Whether so much has been collected that it should be written. */
  get full(): boolean {
    return this.#text.length > CHUNK;
  }

  /** Begins to write what has been collected, behind what is still being written. */
  drain(): void {
    if (this.#text === "") return;
    const bytes = this.coding.encode(this.#text);
    this.#text = "";
    const pending = this.#pending ? this.#pending.then(() => this.stream.write(bytes)) : this.stream.write(bytes);
    if (!(pending instanceof Promise)) return;
    pending.catch(() => {});
    this.#pending = pending;
  }

  flush(): Later<void> {
    this.drain();
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }
}

/** Everything that a stream still has. */
export async function readAll(stream: OpenStream): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const read = stream.read(CHUNK);
    const chunk = read instanceof Promise ? await read : read;
    if (chunk === undefined) return parts.length === 1 ? parts[0] : concatBytes(parts);
    parts.push(chunk);
  }
}
