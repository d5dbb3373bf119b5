// TextEncoder and TextDecoder.
class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    const given = `${text}`;
    return host("encode", given.isWellFormed() ? given : given.toWellFormed(), "utf8");
  }
  encodeInto(text, into) {
    let read = 0;
    let written = 0;
    for (const char of text) {
      const bytes = this.encode(char);
      if (written + bytes.length > into.length) break;
      into.set(bytes, written);
      written += bytes.length;
      read += char.length;
    }
    return { read, written };
  }
}

/** The bytes of an incomplete UTF-8 character at the end. */
function unfinished(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const need = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return need > back ? back : 0;
  }
  return 0;
}

class TextDecoder {
  #rest = new Uint8Array(0);
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    host("decodeAs", this.#rest, `${label}`, false, false);
    const name = `${label}`.toLowerCase().trim();
    this.encoding = name === "utf8" || name === "unicode-1-1-utf-8" ? "utf-8" : name;
    this.fatal = Boolean(fatal);
    this.ignoreBOM = Boolean(ignoreBOM);
  }
  decode(data = new Uint8Array(0), { stream = false } = {}) {
    const given = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    const bytes = this.#rest.length > 0 ? Uint8Array.of(...this.#rest, ...given) : given;
    const keep = stream
      ? this.encoding === "utf-8" ? unfinished(bytes) : this.encoding.startsWith("utf-16") ? bytes.length % 2 : 0
      : 0;
    this.#rest = bytes.slice(bytes.length - keep);
    return host("decodeAs", bytes.subarray(0, bytes.length - keep), this.encoding, this.fatal, this.ignoreBOM);
  }
}

Object.assign(exports, { TextEncoder, TextDecoder, unfinished });
