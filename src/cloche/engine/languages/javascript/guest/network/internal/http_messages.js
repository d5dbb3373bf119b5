// The messages of http: what is read, and what is written.
const { Buffer } = require("buffer");
const { Readable, Writable } = require("stream");
const { coded } = require("internal/errors");

/** Headers of which only the first counts. */
const SINGLE = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const WRONG_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

class IncomingMessage extends Readable {
  constructor(socket) {
    super();
    Object.assign(this, {
      socket,
      complete: false,
      aborted: false,
      httpVersion: "1.1",
      trailers: {},
      rawTrailers: [],
    });
    Object.assign(this, {
      headers: {},
      rawHeaders: [],
      method: null,
      url: "",
      statusCode: null,
      statusMessage: null,
    });
  }

  get connection() {
    return this.socket;
  }
  get httpVersionMajor() {
    return Number(this.httpVersion[0]);
  }
  get httpVersionMinor() {
    return Number(this.httpVersion[2]);
  }
  get headersDistinct() {
    const found = {};
    for (const [name, value] of pairs(this.rawHeaders)) {
      (found[name.toLowerCase()] ??= []).push(value);
    }
    return found;
  }

  _take(rawHeaders) {
    this.rawHeaders = rawHeaders;
    for (const [given, value] of pairs(rawHeaders)) {
      const name = given.toLowerCase();
      const known = this.headers[name];
      if (name === "set-cookie") this.headers[name] = [...known ?? [], value];
      else if (known === undefined) this.headers[name] = value;
      else if (!SINGLE.has(name)) {
        this.headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
      }
    }
  }

  setTimeout(ms, listener) {
    this.socket?.setTimeout?.(ms, listener);
    return this;
  }
}

function* pairs(list) {
  for (let at = 0; at < list.length; at += 2) yield [list[at], list[at + 1]];
}

class OutgoingMessage extends Writable {
  constructor() {
    super();
    this.headersSent = false;
    core.hidden(this, "_headers", new Map());
  }

  setHeader(name, value) {
    if (this.headersSent) {
      throw coded(
        Error,
        "ERR_HTTP_HEADERS_SENT",
        "Cannot set headers after they are sent to the client",
      );
    }
    check(name, value);
    this._headers.set(name.toLowerCase(), [name, value]);
    return this;
  }
  appendHeader(name, value) {
    const known = this.getHeader(name);
    return this.setHeader(
      name,
      known === undefined ? value : [known, value].flat(),
    );
  }
  setHeaders(headers) {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }
  getHeader(name) {
    return this._headers.get(`${name}`.toLowerCase())?.[1];
  }
  hasHeader(name) {
    return this._headers.has(`${name}`.toLowerCase());
  }
  removeHeader(name) {
    if (this.headersSent) {
      throw coded(
        Error,
        "ERR_HTTP_HEADERS_SENT",
        "Cannot remove headers after they are sent to the client",
      );
    }
    this._headers.delete(`${name}`.toLowerCase());
  }
  getHeaders() {
    return Object.fromEntries(
      [...this._headers].map(([name, [, value]]) => [name, value]),
    );
  }
  getHeaderNames() {
    return [...this._headers.keys()];
  }
  getRawHeaderNames() {
    return [...this._headers.values()].map(([name]) => name);
  }

  /** All headers as pairs of text. */
  _pairs() {
    return [...this._headers.values()].flatMap(([name, value]) => [value].flat().map((each) => [name, `${each}`]));
  }

  setTimeout(ms, listener) {
    if (listener) this.once("timeout", listener);
    this.socket?.setTimeout?.(ms);
    return this;
  }
}

function check(name, value) {
  if (typeof name !== "string" || !TOKEN.test(name)) {
    throw coded(
      TypeError,
      "ERR_INVALID_HTTP_TOKEN",
      `Header name must be a valid HTTP token ["${name}"]`,
    );
  }
  if (value === undefined) {
    throw coded(
      TypeError,
      "ERR_HTTP_INVALID_HEADER_VALUE",
      `Invalid value "undefined" for header "${name}"`,
    );
  }
  for (const each of [value].flat()) {
    if (!WRONG_VALUE.test(`${each}`)) continue;
    throw coded(
      TypeError,
      "ERR_INVALID_CHAR",
      `Invalid character in header content ["${name}"]`,
    );
  }
}

const asBytes = (chunk, encoding) =>
  typeof chunk === "string" ? Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8") : chunk;

Object.assign(exports, { IncomingMessage, OutgoingMessage, asBytes });
