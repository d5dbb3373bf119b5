// Buffer: bytes with Node's methods.
const { coded, outOfRange, wrongType } = require("internal/errors");

const NAMES = {
  utf8: "utf8",
  "utf-8": "utf8",
  hex: "hex",
  base64: "base64",
  base64url: "base64url",
  latin1: "latin1",
  binary: "latin1",
  ascii: "ascii",
  ucs2: "utf16le",
  "ucs-2": "utf16le",
  utf16le: "utf16le",
  "utf-16le": "utf16le",
};
const encodingOf = (name) => {
  if (name === undefined || name === null || name === "") return "utf8";
  const found = NAMES[`${name}`.toLowerCase()];
  if (!found) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
  return found;
};
const encode = (text, encoding) => {
  const name = encodingOf(encoding);
  const wire = name === "ascii" ? "latin1" : name === "base64url" ? "base64" : name;
  return host("encode", name === "utf8" && !text.isWellFormed() ? text.toWellFormed() : text, wire);
};
const isBytes = (value) =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
const viewOf = (value) =>
  ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);

class Buffer extends Uint8Array {
  static poolSize = 8192;

  static from(value, encodingOrOffset, length) {
    if (typeof value === "string") return own(encode(value, encodingOrOffset));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
      return new Buffer(value, encodingOrOffset, length);
    }
    if (ArrayBuffer.isView(value)) return copy(value instanceof Uint8Array ? value : Uint8Array.from(value));
    if (Array.isArray(value)) return own(Uint8Array.from(value, (each) => Number(each) & 255));
    if (value?.type === "Buffer" && Array.isArray(value.data)) return own(Uint8Array.from(value.data));
    const simple = value?.valueOf?.();
    if (simple !== undefined && simple !== null && simple !== value) {
      return Buffer.from(simple, encodingOrOffset, length);
    }
    if (typeof value === "object" && value !== null && typeof value.length === "number") {
      return own(Uint8Array.from(value));
    }
    throw wrongType(
      "first",
      "of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object",
      value,
    );
  }

  static alloc(size, fill, encoding) {
    if (typeof size !== "number") throw wrongType("size", "of type number", size);
    if (!(size >= 0 && size <= 0x7fffffff)) throw outOfRange("size", ">= 0 && <= 2147483647", size);
    const made = new Buffer(Math.floor(size));
    return fill === undefined || fill === 0 ? made : made.fill(fill, encoding);
  }

  static allocUnsafe(size) {
    return Buffer.alloc(size);
  }

  static allocUnsafeSlow(size) {
    return Buffer.alloc(size);
  }

  static concat(list, total = list.reduce((sum, each) => sum + each.length, 0)) {
    const all = Buffer.alloc(total);
    let at = 0;
    for (const each of list) {
      if (at >= total) break;
      all.set(each.length > total - at ? each.subarray(0, total - at) : each, at);
      at += each.length;
    }
    return all;
  }

  static byteLength(value, encoding) {
    if (isBytes(value)) return value.byteLength;
    if (typeof value !== "string") {
      throw wrongType("string", "of type string or an instance of Buffer or ArrayBuffer", value);
    }
    return encode(value, encoding).length;
  }

  static isBuffer(value) {
    return value instanceof Buffer;
  }

  static isEncoding(name) {
    return typeof name === "string" && NAMES[name.toLowerCase()] !== undefined;
  }

  static compare(a, b) {
    const length = Math.min(a.length, b.length);
    for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }

  static copyBytesFrom(view, offset = 0, length = view.length - offset) {
    return copy(viewOf(view.slice(offset, offset + length)));
  }

  get parent() {
    return this.buffer;
  }

  get offset() {
    return this.byteOffset;
  }

  toString(encoding, start = 0, end = this.length) {
    const part = start === 0 && end >= this.length
      ? this
      : Uint8Array.prototype.subarray.call(this, Math.max(start, 0), end);
    return part.length === 0 ? "" : host("decode", part, encodingOf(encoding));
  }

  toLocaleString(...args) {
    return this.toString(...args);
  }

  toJSON() {
    return { type: "Buffer", data: Array.from(this) };
  }

  equals(other) {
    return this === other || this.length === other.length && Buffer.compare(this, other) === 0;
  }

  compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
    return Buffer.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
  }

  copy(target, targetStart = 0, start = 0, end = this.length) {
    const part = Uint8Array.prototype.subarray.call(
      this,
      start,
      Math.min(end, start + Math.max(target.length - targetStart, 0)),
    );
    target.set(part, targetStart);
    return part.length;
  }

  slice(start, end) {
    return this.subarray(start, end);
  }

  subarray(start, end) {
    const part = super.subarray(start, end);
    return new Buffer(part.buffer, part.byteOffset, part.length);
  }

  fill(value, start, end, encoding) {
    if (typeof start === "string") return this.fill(value, 0, this.length, start);
    if (typeof end === "string") return this.fill(value, start, this.length, end);
    const from = start ?? 0;
    const to = end ?? this.length;
    const pattern = typeof value === "string" ? encode(value, encoding) : isBytes(value) ? viewOf(value) : null;
    if (pattern === null || pattern.length === 0) return super.fill(Number(pattern ? 0 : value) & 255, from, to);
    for (let at = from; at < to; at++) this[at] = pattern[(at - from) % pattern.length];
    return this;
  }

  indexOf(value, offset, encoding) {
    return seek(this, value, offset, encoding, false);
  }

  lastIndexOf(value, offset, encoding) {
    return seek(this, value, offset, encoding, true);
  }

  includes(value, offset, encoding) {
    return this.indexOf(value, offset, encoding) >= 0;
  }

  write(text, offset, length, encoding) {
    if (typeof offset === "string") return this.write(text, 0, this.length, offset);
    if (typeof length === "string") return this.write(text, offset, this.length - offset, length);
    const start = offset ?? 0;
    const data = encode(`${text}`, encoding).subarray(0, Math.min(length ?? Infinity, this.length - start));
    this.set(data, start);
    return data.length;
  }

  swap16() {
    return swapped(this, 2);
  }

  swap32() {
    return swapped(this, 4);
  }

  swap64() {
    return swapped(this, 8);
  }

  [Symbol.for("nodejs.util.inspect.custom")]() {
    const shown = Array.from(this.subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const rest = this.length > 50 ? ` ... ${this.length - 50} more byte${this.length > 51 ? "s" : ""}` : "";
    return `<${this.constructor.name}${shown ? " " : ""}${shown}${rest}>`;
  }
}

const own = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const copy = (bytes) => own(Uint8Array.prototype.slice.call(viewOf(bytes)));

function swapped(buffer, size) {
  if (buffer.length % size) {
    throw coded(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
  }
  for (let at = 0; at < buffer.length; at += size) {
    Uint8Array.prototype.reverse.call(Uint8Array.prototype.subarray.call(buffer, at, at + size));
  }
  return buffer;
}

function seek(buffer, value, offset, encoding, last) {
  if (typeof offset === "string") return seek(buffer, value, undefined, offset, last);
  const needle = typeof value === "number"
    ? [value & 255]
    : typeof value === "string"
    ? encode(value, encoding)
    : value;
  let start = Number.isNaN(Number(offset)) || offset === undefined ? last ? buffer.length : 0 : Math.trunc(offset);
  if (start < 0) start = Math.max(buffer.length + start, last ? -1 : 0);
  const step = last ? -1 : 1;
  for (
    let at = last ? Math.min(start, buffer.length - needle.length) : start;
    at >= 0 && at + needle.length <= buffer.length;
    at += step
  ) {
    let same = 0;
    while (same < needle.length && buffer[at + same] === needle[same]) same++;
    if (same === needle.length) return at;
  }
  return -1;
}

require("internal/buffer_numbers").addTo(Buffer);

/** Both `new Buffer(...)` and `Buffer(...)` are old ways of making one. */
const Callable = new Proxy(Buffer, {
  apply: (_target, _this, [value, ...rest]) =>
    typeof value === "number" ? Buffer.alloc(value) : Buffer.from(value, ...rest),
  construct: (target, args, newTarget) =>
    typeof args[0] === "string" || Array.isArray(args[0])
      ? Buffer.from(...args)
      : Reflect.construct(target, args, newTarget === Callable ? target : newTarget),
});
core.hidden(Buffer.prototype, "constructor", Callable);
// Packages copy what they find by `for (name in Buffer)`.
for (const name of Object.getOwnPropertyNames(Buffer)) {
  if (typeof Buffer[name] === "function") Object.defineProperty(Buffer, name, { enumerable: true });
}

Object.assign(exports, {
  Buffer: Callable,
  SlowBuffer: Callable,
  kMaxLength: 0x7fffffff,
  constants: { MAX_LENGTH: 0x7fffffff, MAX_STRING_LENGTH: 0x1fffffe8 },
  INSPECT_MAX_BYTES: 50,
  isUtf8: (data) => {
    try {
      host("decodeAs", viewOf(data), "utf-8", true, true);
      return true;
    } catch {
      return false;
    }
  },
  isAscii: (data) => viewOf(data).every((byte) => byte < 128),
  transcode: (data, from, to) => Buffer.from(Buffer.from(data).toString(from), to),
  atob: globalThis.atob,
  btoa: globalThis.btoa,
});
core.lazy(exports, "Blob", () => require("internal/fetch").Blob, true);
core.lazy(exports, "File", () => require("internal/fetch").File, true);
