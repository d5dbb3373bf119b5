/** Ports: where text and bytes come from and go to. */

import { raiseFailure, SchemeError, Source } from "./errors.ts";
import { Reader } from "../syntax/reader.ts";
import { EOF, type Value } from "./values.ts";

/** What the interpreter needs of a file system; failures are thrown with a message for the user. */
export interface Files {
  read(path: string): Uint8Array;
  /** Writes to an emptied file, or appends to it. */
  open(path: string, append: boolean): Sink;
  exists(path: string): boolean;
  remove(path: string): void;
}

export interface Sink {
  write(data: Uint8Array): void;
  close(): void;
}

const PIECE = 8192;

export abstract class Port {
  abstract readonly kind: string;
  abstract readonly binary: boolean;
  open = true;

  close(): void {
    this.open = false;
  }
}

export class TextInput extends Port {
  override readonly kind = "input-port";
  override readonly binary = false;
  #text = "";
  #at = 0;
  #ended = false;

  /** Asks for more when the given text is used up; null is the end. */
  constructor(private readonly more: () => string | null) {
    super();
  }

  static of(text: string): TextInput {
    let rest: string | null = text;
    return new TextInput(() => {
      const now = rest;
      rest = null;
      return now;
    });
  }

  peek(): number | null {
    while (this.#at >= this.#text.length) if (!this.#fill()) return null;
    return this.#text.codePointAt(this.#at) ?? null;
  }

  next(): number | null {
    const code = this.peek();
    if (code !== null) this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  line(): string | null {
    if (this.peek() === null) return null;
    let end = this.#text.indexOf("\n", this.#at);
    while (end < 0 && this.#fill()) end = this.#text.indexOf("\n", this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  chars(count: number): string | null {
    const parts: string[] = [];
    for (; count > 0; count--) {
      const code = this.next();
      if (code === null) break;
      parts.push(String.fromCodePoint(code));
    }
    return parts.length === 0 && count > 0 ? null : parts.join("");
  }

  all(): string {
    while (this.#fill());
    const rest = this.#text.slice(this.#at);
    this.#at = this.#text.length;
    return rest;
  }

  datum(): Value {
    for (;;) {
      const reader = new Reader(new Source("<port>", this.#text.slice(this.#at)));
      try {
        const value = reader.read();
        if (value === EOF && this.#fill()) continue;
        this.#at += reader.offset;
        return value;
      } catch (error) {
        if (!(error instanceof SchemeError)) throw error;
        if (error.incomplete && this.#fill()) continue;
        this.#at += reader.offset;
        throw raiseFailure("ReadError", error.message);
      }
    }
  }

  #fill(): boolean {
    if (this.#ended) return false;
    const more = this.more();
    if (more === null) this.#ended = true;
    else {
      this.#text = this.#text.slice(this.#at) + more;
      this.#at = 0;
    }
    return more !== null;
  }
}

export class ByteInput extends Port {
  override readonly kind = "input-port";
  override readonly binary = true;
  #at = 0;

  constructor(private readonly data: Uint8Array) {
    super();
  }

  peek(): Value {
    return this.#at < this.data.length ? this.data[this.#at] : EOF;
  }

  next(): Value {
    return this.#at < this.data.length ? this.data[this.#at++] : EOF;
  }

  bytes(count: number): Uint8Array | null {
    if (this.#at >= this.data.length && count > 0) return null;
    const part = this.data.slice(this.#at, this.#at + count);
    this.#at += part.length;
    return part;
  }
}

export class TextOutput extends Port {
  override readonly kind = "output-port";
  override readonly binary = false;
  #parts: string[] = [];
  #length = 0;

  /** Without a place to go to, the text is kept. */
  constructor(private readonly sink: ((text: string) => void) | null, private readonly end: () => void = () => {}) {
    super();
  }

  write(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.sink && this.#length > PIECE) this.flush();
    else if (this.#length > MAX_TEXT) throw raiseFailure("OutOfMemory", "a string port holds too much");
  }

  flush(): void {
    if (!this.sink || this.#length === 0) return;
    const text = this.text();
    this.#parts = [];
    this.#length = 0;
    this.sink(text);
  }

  text(): string {
    return this.#parts.join("");
  }

  override close(): void {
    if (!this.open) return;
    this.flush();
    super.close();
    this.end();
  }
}

const MAX_TEXT = 1 << 26;

export class ByteOutput extends Port {
  override readonly kind = "output-port";
  override readonly binary = true;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(private readonly sink: Sink | null) {
    super();
  }

  write(data: Uint8Array): void {
    this.#parts.push(data);
    this.#length += data.length;
    if (this.sink && this.#length > PIECE) this.flush();
    else if (this.#length > MAX_TEXT) throw raiseFailure("OutOfMemory", "a bytevector port holds too much");
  }

  flush(): void {
    if (!this.sink || this.#length === 0) return;
    const data = this.bytes();
    this.#parts = [];
    this.#length = 0;
    this.sink.write(data);
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  override close(): void {
    if (!this.open) return;
    this.flush();
    super.close();
    this.sink?.close();
  }
}
