/** Reads records from bytes, by the rule of RS. */
import type { ByteReader } from "../host.ts";
import type { Pattern } from "../regex/pattern.ts";
import { TextDecoding } from "./text_coding.ts";

/** What ends a record: a character, empty lines, or a match. */
export type RecordRule =
  | { kind: "character"; text: string }
  | { kind: "paragraph" }
  | { kind: "pattern"; pattern: Pattern };

export class RecordReader {
  /** What ended the record that was read last. */
  terminator = "";
  readonly #decoding: TextDecoding;
  #buffer = "";
  #at = 0;
  /** Up to here the buffer holds no end of a record. */
  #searched = 0;
  #ended = false;

  constructor(private readonly source: ByteReader, bytes: boolean) {
    this.#decoding = new TextDecoding(bytes);
  }

  /** True once the source has been read to its end. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The next record, or undefined at the end. */
  next(rule: RecordRule): string | undefined | Promise<string | undefined> {
    for (;;) {
      const record = this.#take(rule);
      if (record !== undefined || this.#ended) return record;
      const data = this.source.read();
      if (data instanceof Promise) return this.#nextAfter(data, rule);
      this.#add(data);
    }
  }

  close(): Promise<number> {
    return this.source.close();
  }

  async #nextAfter(data: Promise<Uint8Array | undefined>, rule: RecordRule): Promise<string | undefined> {
    this.#add(await data);
    return await this.next(rule);
  }

  #add(data: Uint8Array | undefined): void {
    this.#ended = data === undefined;
    const text = data === undefined ? this.#decoding.end() : this.#decoding.decode(data);
    // One character before stays, so that `^` matches at the start of the input only.
    const begin = Math.max(0, this.#at - 1);
    this.#searched = this.#buffer.length - begin;
    this.#buffer = begin === this.#buffer.length ? text : this.#buffer.slice(begin) + text;
    this.#at -= begin;
  }

  /** A record that is whole in the buffer. */
  #take(rule: RecordRule): string | undefined {
    if (rule.kind === "character") return this.#takeLine(rule.text);
    return rule.kind === "paragraph" ? this.#takeParagraph() : this.#takeMatch(rule.pattern);
  }

  #takeLine(end: string): string | undefined {
    const found = this.#buffer.indexOf(end, Math.max(this.#at, this.#searched));
    if (found < 0) return this.#takeRest();
    return this.#cut(found, found + end.length);
  }

  #takeRest(): string | undefined {
    if (!this.#ended || this.#at >= this.#buffer.length) return undefined;
    return this.#cut(this.#buffer.length, this.#buffer.length);
  }

  #takeParagraph(): string | undefined {
    const buffer = this.#buffer;
    while (buffer[this.#at] === "\n") this.#at++;
    const found = buffer.indexOf("\n\n", this.#at);
    if (found >= 0) {
      let end = found + 2;
      while (buffer[end] === "\n") end++;
      return end < buffer.length || this.#ended ? this.#cut(found, end) : undefined;
    }
    if (!this.#ended || this.#at >= buffer.length) return undefined;
    return this.#cut(buffer.endsWith("\n") ? buffer.length - 1 : buffer.length, buffer.length);
  }

  #takeMatch(pattern: Pattern): string | undefined {
    for (let from = this.#at; pattern.find(this.#buffer, from);) {
      const { start, end } = pattern;
      // A match at the end may be longer than what is there.
      if (end === this.#buffer.length && !this.#ended) return undefined;
      if (end > start) return this.#cut(start, end);
      from = end + 1;
      if (from > this.#buffer.length) break;
    }
    return this.#takeRest();
  }

  #cut(end: number, next: number): string {
    const record = this.#buffer.slice(this.#at, end);
    this.terminator = next === end + 1 && this.#buffer[end] === "\n" ? "\n" : this.#buffer.slice(end, next);
    this.#at = next;
    this.#searched = next;
    return record;
  }
}
