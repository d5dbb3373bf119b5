// StringDecoder: decodes bytes in pieces that may be cut anywhere.
const { Buffer } = require("buffer");
const { unfinished } = require("internal/encoding");

class StringDecoder {
  constructor(encoding = "utf8") {
    this.encoding = `${encoding}`.toLowerCase().replace("utf-8", "utf8");
    core.hidden(this, "rest", Buffer.alloc(0));
  }
  write(data) {
    if (typeof data === "string") return data;
    const all = Buffer.concat([this.rest, data]);
    const keep = this.encoding === "utf8"
      ? unfinished(all)
      : this.encoding.startsWith("base64")
      ? all.length % 3
      : /^(utf-?16le|ucs-?2)$/.test(this.encoding)
      ? all.length % 2
      : 0;
    this.rest = all.subarray(all.length - keep);
    return all.toString(this.encoding, 0, all.length - keep);
  }
  end(data) {
    const text = data === undefined ? "" : this.write(data);
    const last = this.rest.toString(this.encoding);
    this.rest = Buffer.alloc(0);
    return text + last;
  }
}

exports.StringDecoder = StringDecoder;
