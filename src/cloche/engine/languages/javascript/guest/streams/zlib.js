// zlib: compresses and decompresses. Synchronous compression runs bash's gzip.
const { Buffer } = require("buffer");
const { coded } = require("internal/errors");
const { Transform } = require("stream");

const bytesOf = (data) =>
  typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer ?? data, data.byteOffset, data.byteLength);
const own = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const work = async (what, format, data) => own((await core.ask(what, { format }, bytesOf(data)))[1]);

/** A gzip file has ten bytes before the packed data and eight after it. */
const packed = (data) => now(["gzip", "-c"], data);
const inner = (data) => packed(data).subarray(10, -8);

function now(argv, data) {
  const [code, stdout, stderr] = host("execNow", JSON.stringify({ argv }), bytesOf(data));
  if (code !== 0) throw coded(Error, "Z_DATA_ERROR", own(stderr).toString().trim() || "incorrect header check");
  return own(stdout);
}

function adler(data) {
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((b * 65536 + a) >>> 0);
  return sum;
}

const { inflate: inflated } = require("internal/inflate");
const SYNC = {
  gzip: packed,
  gunzip: (data) => unzipped(bytesOf(data)),
  deflate: (data) => Buffer.concat([Buffer.from([0x78, 0x9c]), inner(data), adler(bytesOf(data))]),
  inflate: (data) => own(inflated(bytesOf(data).subarray(2))),
  deflateRaw: (data) => Buffer.from(inner(data)),
  inflateRaw: (data) => own(inflated(bytesOf(data))),
  unzip: (data) => bytesOf(data)[0] === 0x1f ? SYNC.gunzip(data) : SYNC.inflate(data),
};

function unzipped(data) {
  if (data[0] !== 0x1f || data[1] !== 0x8b) throw coded(Error, "Z_DATA_ERROR", "incorrect header check");
  let at = 10;
  const flags = data[3];
  if (flags & 4) at += 2 + data.readUInt16LE(at);
  for (const flag of [8, 16]) if (flags & flag) at = data.indexOf(0, at) + 1;
  return own(inflated(data.subarray(at + (flags & 2 ? 2 : 0))));
}

const FORMATS = {
  gzip: ["pack", "gzip"],
  gunzip: ["unpack", "gzip"],
  deflate: ["pack", "deflate"],
  inflate: ["unpack", "deflate"],
  deflateRaw: ["pack", "deflate-raw"],
  inflateRaw: ["unpack", "deflate-raw"],
};

/** Collects its input and returns it at the end, packed or unpacked. */
class Packer extends Transform {
  #parts = [];
  constructor(what, format) {
    super();
    core.hidden(this, "how", [what, format]);
  }
  _transform(chunk, _encoding, callback) {
    this.#parts.push(Buffer.from(chunk));
    callback();
  }
  _flush(callback) {
    work(...this.how, Buffer.concat(this.#parts)).then((data) => callback(null, data), callback);
  }
}

for (const [name, [what, format]] of Object.entries(FORMATS)) {
  const title = name[0].toUpperCase() + name.slice(1);
  exports[name] = (data, options, callback) => {
    const done = typeof options === "function" ? options : callback;
    work(what, format, data).then((result) => done(null, result), (error) => done(error));
  };
  core.hidden(exports[name], Symbol.for("nodejs.util.promisify.custom"), (data) => work(what, format, data));
  exports[`create${title}`] = () => new Packer(what, format);
  exports[title] = function () {
    return new Packer(what, format);
  };
}
for (const [name, act] of Object.entries(SYNC)) exports[`${name}Sync`] = act;
exports.unzip = (data, options, callback) =>
  (bytesOf(data)[0] === 0x1f ? exports.gunzip : exports.inflate)(data, options, callback);
exports.constants = { Z_BEST_COMPRESSION: 9, Z_BEST_SPEED: 1, Z_DEFAULT_COMPRESSION: -1, Z_NO_COMPRESSION: 0 };

let crcs;
exports.crc32 = (data, start = 0) => {
  crcs ??= Uint32Array.from({ length: 256 }, (_, crc) => {
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
  const bytes = bytesOf(data);
  let crc = ~start;
  for (let at = 0; at < bytes.length; at++) crc = crc >>> 8 ^ crcs[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
};
