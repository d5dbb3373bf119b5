// Unpacks what deflate has packed.
const { coded } = require("internal/errors");

const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LENGTHS = [
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
  13,
  15,
  17,
  19,
  23,
  27,
  31,
  35,
  43,
  51,
  59,
  67,
  83,
  99,
  115,
  131,
  163,
  195,
  227,
  258,
];
const DISTANCES = Array.from({ length: 30 }, (_, code) => code < 2 ? code + 1 : (2 + code % 2 << (code >> 1) - 1) + 1);
const lengthBits = (code) => code < 8 || code === 28 ? 0 : (code >> 2) - 1;
const distanceBits = (code) => code < 2 ? 0 : (code >> 1) - 1;
const damaged = () => coded(Error, "Z_DATA_ERROR", "the packed data is damaged");

/** Codes by their lengths: how many there are of each, and what they stand for, in order. */
function table(lengths) {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const starts = new Uint16Array(16);
  for (let length = 1; length < 16; length++) starts[length] = starts[length - 1] + counts[length - 1];
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length > 0) symbols[starts[length]++] = symbol;
  });
  return { counts, symbols };
}

class Bits {
  at = 0;
  bit = 0;
  constructor(data) {
    this.data = data;
  }
  take(count) {
    let value = 0;
    for (let index = 0; index < count; index++) {
      if (this.at >= this.data.length) throw damaged();
      value |= (this.data[this.at] >> this.bit & 1) << index;
      if (++this.bit === 8) {
        this.bit = 0;
        this.at++;
      }
    }
    return value;
  }
  symbol({ counts, symbols }) {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length < 16; length++) {
      code |= this.take(1);
      if (code - counts[length] < first) return symbols[index + code - first];
      index += counts[length];
      first = first + counts[length] << 1;
      code <<= 1;
    }
    throw damaged();
  }
  stored() {
    if (this.bit > 0) this.at++;
    this.bit = 0;
    const length = this.data[this.at] | this.data[this.at + 1] << 8;
    const part = this.data.subarray(this.at + 4, this.at + 4 + length);
    this.at += 4 + length;
    return part;
  }
}

const FIXED = [
  table(Array.from({ length: 288 }, (_, symbol) => symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
  table(new Array(30).fill(5)),
];

function dynamic(bits) {
  const [literals, distances, count] = [bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4];
  const lengths = new Array(19).fill(0);
  for (let index = 0; index < count; index++) lengths[ORDER[index]] = bits.take(3);
  const codes = table(lengths);
  const all = [];
  while (all.length < literals + distances) {
    const symbol = bits.symbol(codes);
    if (symbol < 16) all.push(symbol);
    else {
      const [value, times] = symbol === 16
        ? [all.at(-1), 3 + bits.take(2)]
        : [0, symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7)];
      for (let index = 0; index < times; index++) all.push(value);
    }
  }
  return [table(all.slice(0, literals)), table(all.slice(literals))];
}

/** Bytes that grow. */
class Output {
  size = 0;
  bytes = new Uint8Array(1 << 16);
  room(count) {
    if (this.size + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.size + count));
    larger.set(this.bytes);
    this.bytes = larger;
  }
  add(part) {
    this.room(part.length);
    this.bytes.set(part, this.size);
    this.size += part.length;
  }
  repeat(distance, length) {
    if (distance > this.size) throw damaged();
    this.room(length);
    for (let index = 0; index < length; index++, this.size++) this.bytes[this.size] = this.bytes[this.size - distance];
  }
}

function block(bits, output, [literals, distances]) {
  for (;;) {
    const symbol = bits.symbol(literals);
    if (symbol === 256) return;
    if (symbol < 256) {
      output.room(1);
      output.bytes[output.size++] = symbol;
      continue;
    }
    const length = LENGTHS[symbol - 257] + bits.take(lengthBits(symbol - 257));
    const code = bits.symbol(distances);
    output.repeat(DISTANCES[code] + bits.take(distanceBits(code)), length);
  }
}

exports.inflate = (data) => {
  const bits = new Bits(data);
  const output = new Output();
  for (let last = 0; !last;) {
    last = bits.take(1);
    const kind = bits.take(2);
    if (kind === 0) output.add(bits.stored());
    else if (kind === 3) throw damaged();
    else block(bits, output, kind === 1 ? FIXED : dynamic(bits));
  }
  return output.bytes.subarray(0, output.size);
};
