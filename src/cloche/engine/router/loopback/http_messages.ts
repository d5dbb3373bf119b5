/** HTTP/1.1 between a client of the sandbox and one of its own servers: writes the request, reads the response. */

import { concatBytes, decodeLatin1, encodeLatin1 } from "../../text/bytes.ts";

export type Header = [name: string, value: string];

export interface RequestHead {
  method: string;
  /** The path and the query. */
  target: string;
  host: string;
  /** Names and values with one character per byte. */
  headers: Header[];
  /** Bytes of the body; null if it has no known length, 0 if there is none. */
  length: number | null;
}

export interface ResponseHead {
  status: number;
  reason: string;
  headers: Header[];
}

/** The server has not answered as HTTP says. */
export class BadResponse extends Error {}

/** Headers about the connection, which is the router's. */
const OWN = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
]);
const LARGEST_HEAD = 1 << 16;
const STATUS = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?$/;
const BODILESS = new Set([204, 304]);

export function writeHead({ method, target, host, headers, length }: RequestHead): Uint8Array {
  const kept = headers.filter(([name]) => !OWN.has(name.toLowerCase()));
  const size: Header[] = length === null
    ? [["Transfer-Encoding", "chunked"]]
    : length > 0 || ["POST", "PUT", "PATCH"].includes(method)
    ? [["Content-Length", String(length)]]
    : [];
  const all: Header[] = [["Host", host], ...kept, ...size, ["Connection", "close"]];
  const lines = all.map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, " ")}`);
  return encodeLatin1([`${method} ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
}

/** One chunk of a body of unknown length; without bytes its end. */
export function writeChunk(data: Uint8Array | null): Uint8Array {
  if (data === null) return encodeLatin1("0\r\n\r\n");
  return concatBytes([encodeLatin1(`${data.length.toString(16)}\r\n`), data, encodeLatin1("\r\n")]);
}

interface ResponseEvents {
  head(head: ResponseHead): void;
  body(data: Uint8Array): void;
  end(): void;
}

/** Reads a response from pieces of any size. */
export class ResponseReader {
  #rest: Uint8Array = new Uint8Array(0);
  #step: "head" | "length" | "size" | "chunk" | "gap" | "trailer" | "close" | "done" = "head";
  #left = 0;

  constructor(private readonly method: string, private readonly events: ResponseEvents) {}

  /** Whether everything has been read. */
  get done(): boolean {
    return this.#step === "done";
  }

  push(data: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? data : concatBytes([this.#rest, data]);
    while (!this.done && this.#advance());
  }

  /** The server has closed the connection. */
  close(): void {
    if (this.#step === "close") this.#finish();
    else if (!this.done) throw new BadResponse("the server closed the connection before its response was complete");
  }

  /** Does one step; false if it needs more bytes. */
  #advance(): boolean {
    switch (this.#step) {
      case "head":
        return this.#readHead();
      case "length":
      case "chunk":
        return this.#readBody();
      case "close":
        return this.#takeAll();
      default:
        return this.#readLine();
    }
  }

  #readHead(): boolean {
    const text = decodeLatin1(this.#rest.subarray(0, LARGEST_HEAD));
    const found = /\r?\n\r?\n/.exec(text);
    if (!found) {
      if (this.#rest.length >= LARGEST_HEAD) throw new BadResponse("the server sent a head of more than 64 KB");
      return false;
    }
    this.#rest = this.#rest.subarray(found.index + found[0].length);
    const [first, ...lines] = text.slice(0, found.index).split(/\r?\n/);
    const [, status, reason = ""] = STATUS.exec(first) ?? [];
    if (status === undefined) {
      throw new BadResponse(`the server sent ${JSON.stringify(first.slice(0, 80))}, which is not HTTP`);
    }
    if (status.startsWith("1")) return true;
    const headers = lines.map((line): Header => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    this.#begin({ status: Number(status), reason, headers: headers.filter(([name]) => name !== "") });
    return true;
  }

  #begin(head: ResponseHead): void {
    const find = (wanted: string) => head.headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    this.events.head(head);
    const length = find("content-length");
    if (this.method === "HEAD" || BODILESS.has(head.status)) return this.#finish();
    if (/\bchunked\b/i.test(find("transfer-encoding") ?? "")) this.#step = "size";
    else if (length === undefined) this.#step = "close";
    else if (!/^\d{1,15}$/.test(length)) {
      throw new BadResponse(`the server sent Content-Length: ${length.slice(0, 40)}`);
    } else {
      this.#left = Number(length);
      this.#step = "length";
      if (this.#left === 0) this.#finish();
    }
  }

  #readBody(): boolean {
    if (this.#rest.length === 0) return false;
    const part = this.#rest.subarray(0, this.#left);
    this.#rest = this.#rest.subarray(part.length);
    this.#left -= part.length;
    this.events.body(part);
    if (this.#left > 0) return false;
    if (this.#step === "length") this.#finish();
    else this.#step = "gap";
    return true;
  }

  #takeAll(): boolean {
    if (this.#rest.length > 0) this.events.body(this.#rest);
    this.#rest = new Uint8Array(0);
    return false;
  }

  /** A line between chunks: a size, the end of a chunk, or a trailer. */
  #readLine(): boolean {
    const end = this.#rest.indexOf(10);
    if (end < 0) {
      if (this.#rest.length > LARGEST_HEAD) throw new BadResponse("the server sent a chunk whose size has no end");
      return false;
    }
    const line = decodeLatin1(this.#rest.subarray(0, end)).trimEnd();
    this.#rest = this.#rest.subarray(end + 1);
    if (this.#step === "gap") this.#step = "size";
    else if (this.#step === "trailer") {
      if (line === "") this.#finish();
    } else {
      if (!/^[0-9a-f]{1,12}(\s*;.*)?$/i.test(line)) throw new BadResponse("the server sent a chunk without a size");
      this.#left = parseInt(line, 16);
      this.#step = this.#left === 0 ? "trailer" : "chunk";
    }
    return true;
  }

  #finish(): void {
    this.#step = "done";
    this.events.end();
  }
}
