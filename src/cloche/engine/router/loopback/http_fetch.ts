/** A request of HTTP that a client of the sandbox makes to one of its own servers. */

import type { ResponseMessage } from "../../protocol.ts";
import { concatBytes } from "../../text/bytes.ts";
import type { Connection, End } from "./connection.ts";
import { BadResponse, type Header, type ResponseHead, ResponseReader, writeChunk, writeHead } from "./http_messages.ts";

export interface FetchContent {
  method: string;
  url: URL;
  headers: Header[];
  /** Whether another request led to this one. */
  redirected: boolean;
}

type Unnumbered<Message> = Message extends { request: number } ? Omit<Message, "request"> : never;
/** What the asker receives. */
export type Answer = (message: Unnumbered<ResponseMessage>) => void;

/** Bytes of a body that are collected to learn its length: simple servers understand no other. */
const COLLECTED = 1 << 20;
/** Bytes that may wait for the client before the server must pause. */
const BACKLOG = 2 << 20;
const WINDOW = 16 << 20;

export class HttpFetch implements End {
  readonly window = WINDOW;
  readonly #reader: ResponseReader;
  #connection: Connection | undefined;
  /** The body so far, until its length is known; null once the head was sent. */
  #collected: Uint8Array[] | null = [];
  #chunked = false;
  /** Bytes that the client has not read yet, and of those how many the server may not replace yet. */
  #unread = 0;
  #held = 0;
  #passed = 0;
  #over = false;

  constructor(
    private readonly content: FetchContent,
    private readonly answer: Answer,
    /** Takes a response that leads to another request; false if it is the answer. */
    private readonly redirect: (head: ResponseHead) => boolean,
  ) {
    this.#reader = new ResponseReader(content.method, {
      head: (head) => this.#answerHead(head),
      body: (data) => this.#answerBody(data),
      end: () => this.#end(null),
    });
  }

  /** Begins to write; `complete` says that there is no body. */
  begin(connection: Connection, complete: boolean): void {
    this.#connection = connection;
    const given = this.content.headers.find(([name]) => name.toLowerCase() === "content-length")?.[1];
    if (complete) this.#writeHead(0);
    else if (given !== undefined && /^\d{1,15}$/.test(given)) this.#writeHead(Number(given));
  }

  /** Bytes of the request's body. */
  input(data: Uint8Array): void {
    if (this.#collected === null) return this.#write(this.#chunked ? writeChunk(data) : data);
    this.#collected.push(data);
    if (this.#collected.reduce((sum, each) => sum + each.length, 0) > COLLECTED) this.#writeHead(null);
  }

  endInput(): void {
    if (this.#collected !== null) this.#writeHead(this.#collected.reduce((sum, each) => sum + each.length, 0));
    if (this.#chunked) this.#write(writeChunk(null));
  }

  /** The client has read so many bytes of the response. */
  credit(bytes: number): void {
    this.#unread = Math.max(0, this.#unread - bytes);
    if (this.#unread > BACKLOG || this.#held === 0) return;
    const held = this.#held;
    this.#held = 0;
    this.#connection?.release(this, held);
  }

  abort(): void {
    this.#over = true;
    this.#connection?.leave(this);
  }

  take(data: Uint8Array): void {
    if (this.#over) return;
    this.#passed = 0;
    this.#read(() => data.length > 0 ? this.#reader.push(data) : this.#reader.close());
    this.#unread += this.#passed;
    if (this.#unread > BACKLOG) this.#held += this.#passed;
    this.#connection?.release(this, this.#unread > BACKLOG ? data.length - this.#passed : data.length);
  }

  release(bytes: number): void {
    if (!this.#over) this.answer({ op: "credit", bytes });
  }

  close(): void {
    if (!this.#over) this.#read(() => this.#reader.close());
  }

  #read(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!(error instanceof BadResponse)) throw error;
      this.#end({ type: "ConnectionLost", message: error.message });
    }
  }

  #writeHead(length: number | null): void {
    const { method, url, headers } = this.content;
    const body = concatBytes(this.#collected ?? []);
    this.#collected = null;
    this.#chunked = length === null;
    const target = `${url.pathname}${url.search}`;
    this.#write(writeHead({ method, target, host: url.host, headers, length }));
    if (body.length > 0) this.#write(this.#chunked ? writeChunk(body) : body);
  }

  #write(data: Uint8Array): void {
    this.#connection?.send(this, data);
  }

  #answerHead(head: ResponseHead): void {
    const { url, redirected } = this.content;
    if (this.redirect(head)) this.abort();
    else this.answer({ op: "response", data: { ...head, url: url.href, redirected } });
  }

  #answerBody(data: Uint8Array): void {
    if (this.#over) return;
    this.#passed += data.length;
    this.answer({ op: "chunk", data: data.slice() as Uint8Array<ArrayBuffer> });
  }

  #end(error: { type: string; message: string } | null): void {
    if (this.#over) return;
    this.#over = true;
    this.answer({ op: "end", error });
    this.#connection?.leave(this);
  }
}
