// Bodies of requests and responses, and the ways to read them.
const { Blob, bytesOf, contents, FormData, joined } = require("internal/blob");

const decode = (bytes) => host("decodeAs", bytes, "utf-8", false, false);
const isStream = (content) =>
  content instanceof ReadableStream || typeof content?.[Symbol.asyncIterator] === "function";

/** The bytes of a body, and their media type. */
function extracted(content) {
  if (content === null || content === undefined) return [null, null];
  if (content instanceof FormData) {
    const { bytes, type } = content.encoded();
    return [bytes, type];
  }
  if (content instanceof Blob) return [contents(content), content.type || null];
  if (content instanceof URLSearchParams) {
    return [bytesOf(`${content}`), "application/x-www-form-urlencoded;charset=UTF-8"];
  }
  if (content instanceof ArrayBuffer || ArrayBuffer.isView(content)) return [bytesOf(content), null];
  if (isStream(content)) return [content, null];
  return [bytesOf(`${content}`), "text/plain;charset=UTF-8"];
}

async function gathered(content) {
  if (!isStream(content)) return content;
  const parts = [];
  for await (const part of content) parts.push(typeof part === "string" ? bytesOf(part) : part);
  return joined(parts);
}

class Body {
  #content;
  #type;
  #used = false;
  #stream = null;

  constructor(given) {
    [this.#content, this.#type] = extracted(given);
    core.hidden(this, "given", given ?? null);
  }

  static typeOf(owner) {
    return owner.#type;
  }

  static bytesOf(owner) {
    return owner.#content === null ? Promise.resolve(null) : gathered(owner.#content);
  }

  static split(owner) {
    if (owner.#used) throw new TypeError("Response.clone: Body has already been consumed.");
    if (!isStream(owner.#content)) return owner.#content;
    const [one, other] = owner.#content.tee();
    owner.#content = one;
    return other;
  }

  get bodyUsed() {
    return this.#used;
  }

  get body() {
    if (this.#content === null) return null;
    if (isStream(this.#content)) return this.#content;
    return this.#stream ??= ReadableStream.from([this.#content]);
  }

  async bytes() {
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#content !== null;
    return await gathered(this.#content) ?? new Uint8Array(0);
  }

  async text() {
    return decode(await this.bytes());
  }

  async json() {
    return JSON.parse(await this.text());
  }

  async arrayBuffer() {
    const bytes = await this.bytes();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  }

  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }

  async formData() {
    const data = new FormData();
    for (const [name, value] of new URLSearchParams(await this.text())) data.append(name, value);
    return data;
  }
}
const { typeOf, split } = Body;
const bodyBytes = Body.bytesOf;
for (const name of ["typeOf", "bytesOf", "split"]) delete Body[name];

Object.assign(exports, { Body, body: { typeOf, split, bytesOf: bodyBytes } });
