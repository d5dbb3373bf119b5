// Reads requests of HTTP/1.x from pieces of any size.
const { Buffer } = require("buffer");

const LARGEST_HEAD = 64 << 10;
const REQUEST = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/(1\.[01])$/;

/** Calls `events.head`, then `events.body` for each piece, then `events.end`; throws what is wrong. */
class RequestParser {
  constructor(events) {
    this.events = events;
    this.rest = Buffer.alloc(0);
    this.begin();
  }

  /** The next request may follow. */
  begin() {
    this.step = "head";
    this.left = 0;
  }

  push(data) {
    this.rest = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    this.advance();
  }

  advance() {
    while (this.step !== "done" && this[this.step]());
  }

  head() {
    const end = this.rest.indexOf("\r\n\r\n");
    if (end < 0) {
      if (this.rest.length > LARGEST_HEAD) throw this.wrong(431);
      return false;
    }
    const [first, ...lines] = this.rest.subarray(0, end).toString("latin1")
      .replace(/^(\r\n)+/, "").split("\r\n");
    this.rest = this.rest.subarray(end + 4);
    const [, method, url, version] = REQUEST.exec(first) ?? [];
    if (method === undefined) throw this.wrong(400);
    const rawHeaders = lines.flatMap((line) => {
      const colon = line.indexOf(":");
      if (colon <= 0 || /\s/.test(line.slice(0, colon))) throw this.wrong(400);
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    this.events.head({ method, url, version, rawHeaders });
    const find = (name) => rawHeaders.find((_, at) => at % 2 === 1 && rawHeaders[at - 1].toLowerCase() === name);
    const length = find("content-length");
    if (/\bchunked$/i.test(find("transfer-encoding") ?? "")) this.step = "size";
    else if (length !== undefined && !/^\d{1,15}$/.test(length)) {
      throw this.wrong(400);
    } else {
      this.left = Number(length ?? 0);
      this.step = "body";
    }
    return true;
  }

  body() {
    if (this.left === 0) return this.finish();
    if (this.rest.length === 0) return false;
    this.take();
    return true;
  }

  chunk() {
    if (this.rest.length === 0) return false;
    this.take();
    if (this.left === 0) this.step = "gap";
    return true;
  }

  take() {
    const part = this.rest.subarray(0, this.left);
    this.rest = this.rest.subarray(part.length);
    this.left -= part.length;
    this.events.body(part);
  }

  line() {
    const end = this.rest.indexOf("\r\n");
    if (end < 0) {
      if (this.rest.length > LARGEST_HEAD) throw this.wrong(400);
      return undefined;
    }
    const text = this.rest.subarray(0, end).toString("latin1");
    this.rest = this.rest.subarray(end + 2);
    return text;
  }

  size() {
    const line = this.line();
    if (line === undefined) return false;
    if (!/^[0-9a-f]{1,12}\s*(;.*)?$/i.test(line)) throw this.wrong(400);
    this.left = parseInt(line, 16);
    this.step = this.left === 0 ? "trailer" : "chunk";
    return true;
  }

  gap() {
    if (this.line() === undefined) return false;
    this.step = "size";
    return true;
  }

  trailer() {
    const line = this.line();
    if (line === undefined) return false;
    return line === "" ? this.finish() : true;
  }

  finish() {
    this.step = "done";
    this.events.end();
    return false;
  }

  wrong(status) {
    return Object.assign(new Error("Parse Error: Invalid request"), {
      code: "HPE_INVALID_CONSTANT",
      status,
    });
  }
}

exports.RequestParser = RequestParser;
