// crypto: digests, keyed digests, random numbers.
const { Buffer } = require("buffer");
const { coded, outOfRange } = require("internal/errors");
const webcrypto = require("internal/webcrypto");
const { Transform } = require("stream");

const BLOCK = { sha384: 128, sha512: 128 };
const bytesOf = (data, encoding) =>
  typeof data === "string"
    ? Buffer.from(data, encoding)
    : Buffer.from(data.buffer ?? data, data.byteOffset, data.byteLength);
const shown = (bytes, encoding) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
};

class Hash extends Transform {
  #parts = [];
  #done = false;
  constructor(algorithm, parts = []) {
    super();
    core.hidden(this, "algorithm", algorithm);
    host("digest", algorithm, Buffer.alloc(0));
    this.#parts = parts;
  }
  update(data, encoding) {
    if (this.#done) throw coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    this.#parts.push(Buffer.from(bytesOf(data, encoding)));
    return this;
  }
  copy() {
    return new Hash(this.algorithm, [...this.#parts]);
  }
  digest(encoding) {
    if (this.#done) throw coded(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
    this.#done = true;
    return shown(this.result(Buffer.concat(this.#parts)), encoding);
  }
  result(data) {
    return host("digest", this.algorithm, data);
  }
  _transform(chunk, _encoding, callback) {
    this.update(chunk);
    callback();
  }
  _flush(callback) {
    callback(null, this.digest());
  }
}

class Hmac extends Hash {
  constructor(algorithm, key) {
    super(algorithm);
    const size = BLOCK[algorithm.toLowerCase().replace("-", "")] ?? 64;
    const given = bytesOf(key);
    const short = given.length > size ? host("digest", algorithm, given) : given;
    core.hidden(this, "key", Buffer.concat([short, Buffer.alloc(size - short.length)]));
  }
  result(data) {
    const padded = (byte) => Buffer.from(this.key.map((each) => each ^ byte));
    const inner = host("digest", this.algorithm, Buffer.concat([padded(0x36), data]));
    return host("digest", this.algorithm, Buffer.concat([padded(0x5c), inner]));
  }
}

function randomBytes(size, callback) {
  const parts = [];
  for (let left = size; left > 0; left -= 1 << 20) parts.push(host("random", Math.min(left, 1 << 20)));
  const bytes = Buffer.concat(parts);
  if (!callback) return bytes;
  require("timers").setImmediate(() => callback(null, bytes));
}

function randomInt(least, most, callback) {
  if (typeof most !== "number") return randomInt(0, least, most);
  if (!(most > least)) throw outOfRange("max", `greater than the value of "min" (${least})`, most);
  const range = most - least;
  const limit = 2 ** 48 - 2 ** 48 % range;
  let value = limit;
  while (value >= limit) value = randomBytes(6).readUIntBE(0, 6);
  const result = least + value % range;
  if (!callback) return result;
  require("timers").setImmediate(() => callback(null, result));
}

function pbkdf2Sync(password, salt, rounds, length, algorithm = "sha1") {
  const parts = [];
  for (let block = 1; Buffer.concat(parts).length < length; block++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(block);
    let last = new Hmac(algorithm, password).update(salt).update(number).digest();
    const sum = Buffer.from(last);
    for (let round = 1; round < rounds; round++) {
      last = new Hmac(algorithm, password).update(last).digest();
      for (let at = 0; at < sum.length; at++) sum[at] ^= last[at];
    }
    parts.push(sum);
  }
  return Buffer.concat(parts).subarray(0, length);
}

const missing = (name) => () => {
  throw coded(
    Error,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    `crypto.${name} is not there: only digests and random numbers are`,
  );
};

Object.assign(exports, {
  createHash: (algorithm) => new Hash(`${algorithm}`),
  createHmac: (algorithm, key) => new Hmac(`${algorithm}`, key),
  hash: (algorithm, data, encoding = "hex") => new Hash(`${algorithm}`).update(data).digest(encoding),
  getHashes: () => ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"],
  randomBytes,
  randomInt,
  randomUUID: webcrypto.randomUUID,
  randomFillSync: (view) => webcrypto.getRandomValues(view),
  getRandomValues: webcrypto.getRandomValues,
  pbkdf2Sync,
  pbkdf2: (password, salt, rounds, length, algorithm, callback) => {
    const key = pbkdf2Sync(password, salt, rounds, length, algorithm);
    require("timers").setImmediate(() => callback(null, key));
  },
  timingSafeEqual: (a, b) => {
    if (a.byteLength !== b.byteLength) {
      throw coded(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
    }
    return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
  },
  webcrypto,
  subtle: webcrypto.subtle,
  Hash,
  Hmac,
  constants: {},
});
for (
  const name of [
    "createCipheriv",
    "createDecipheriv",
    "createSign",
    "createVerify",
    "generateKeyPair",
    "generateKeyPairSync",
    "createPublicKey",
    "createPrivateKey",
    "scrypt",
    "scryptSync",
    "createDiffieHellman",
    "createECDH",
  ]
) exports[name] = missing(name);
