// deno-lint-ignore-file require-await -- what fails at once is to be a rejection
// Blob, File and FormData.
const encode = (text) => host("encode", `${text}`.toWellFormed(), "utf8");
const bytesOf = (part) => {
  if (part instanceof Blob) return contents(part);
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return part instanceof ArrayBuffer ? new Uint8Array(part) : encode(part);
};
const joined = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

class Blob {
  #bytes;
  constructor(parts = [], { type = "" } = {}) {
    this.#bytes = joined(Array.from(parts, bytesOf));
    this.type = `${type}`.toLowerCase();
  }
  static contents(blob) {
    return blob.#bytes;
  }
  get size() {
    return this.#bytes.length;
  }
  slice(start, end, type) {
    return new Blob([this.#bytes.slice(start, end)], { type });
  }
  async text() {
    return host("decodeAs", this.#bytes, "utf-8", false, false);
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async bytes() {
    return this.#bytes.slice();
  }
  stream() {
    return ReadableStream.from([this.#bytes.slice()]);
  }
}
const { contents } = Blob;
delete Blob.contents;

class File extends Blob {
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.name = `${name}`;
    this.lastModified = options.lastModified ?? Date.now();
  }
}

class FormData {
  #list = [];
  #value(value, name) {
    return value instanceof Blob
      ? value instanceof File && name === undefined ? value : new File([value], name ?? "blob", { type: value.type })
      : `${value}`;
  }
  append(key, value, name) {
    this.#list.push([`${key}`, this.#value(value, name)]);
  }
  set(key, value, name) {
    this.delete(key);
    this.append(key, value, name);
  }
  get(key) {
    return this.#list.find(([each]) => each === key)?.[1] ?? null;
  }
  getAll(key) {
    return this.#list.filter(([each]) => each === key).map(([, value]) => value);
  }
  has(key) {
    return this.#list.some(([each]) => each === key);
  }
  delete(key) {
    this.#list = this.#list.filter(([each]) => each !== key);
  }
  forEach(act) {
    for (const [key, value] of this.#list) act(value, key, this);
  }
  entries() {
    return this.#list.map((pair) => [...pair])[Symbol.iterator]();
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  /** The form as it is sent, with its boundary. */
  encoded() {
    const line = `----cloche${Array.from(host("random", 12), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    const quoted = (text) => text.replace(/"/g, "%22").replace(/\r\n|\r|\n/g, "%0D%0A");
    const parts = this.#list.flatMap(([key, value]) => {
      const file = value instanceof File;
      const head = `--${line}\r\nContent-Disposition: form-data; name="${quoted(key)}"${
        file ? `; filename="${quoted(value.name)}"` : ""
      }\r\n`;
      const type = file ? `Content-Type: ${value.type || "application/octet-stream"}\r\n` : "";
      return [encode(`${head}${type}\r\n`), file ? contents(value) : encode(value), encode("\r\n")];
    });
    return { bytes: joined([...parts, encode(`--${line}--\r\n`)]), type: `multipart/form-data; boundary=${line}` };
  }
}
core.hidden(FormData.prototype, "encoded", FormData.prototype.encoded);
for (const Kind of [Blob, File, FormData]) core.hidden(Kind.prototype, Symbol.toStringTag, Kind.name);

Object.assign(exports, { Blob, File, FormData, bytesOf, contents, joined });
