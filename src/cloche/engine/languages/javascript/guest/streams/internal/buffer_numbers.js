// Numbers in buffers: readInt32LE and its relatives.
const { outOfRange } = require("internal/errors");

const KINDS = [
  ["Int8", 1],
  ["Uint8", 1],
  ["Int16", 2],
  ["Uint16", 2],
  ["Int32", 4],
  ["Uint32", 4],
  ["Float", 4, "Float32"],
  ["Double", 8, "Float64"],
  ["BigInt64", 8],
  ["BigUint64", 8],
];
const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

function checked(buffer, offset, size) {
  if (!Number.isInteger(offset) || offset < 0 || offset + size > buffer.length) {
    throw outOfRange("offset", `>= 0 and <= ${buffer.length - size}`, offset);
  }
  return offset;
}

function limits(name, size) {
  const bits = 8 * size;
  if (name.startsWith("Big")) return name === "BigInt64" ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  if (name === "Float" || name === "Double") return [-Infinity, Infinity];
  return name.startsWith("U") ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
}

function addKind(proto, [name, size, type = name]) {
  const [least, most] = limits(name, size);
  for (const end of size === 1 ? [""] : ["LE", "BE"]) {
    const little = end === "LE";
    const read = function (offset = 0) {
      return view(this)[`get${type}`](checked(this, offset, size), little);
    };
    const write = function (value, offset = 0) {
      if (value < least || value > most) throw outOfRange("value", `>= ${least} and <= ${most}`, value);
      view(this)[`set${type}`](checked(this, offset, size), value, little);
      return offset + size;
    };
    core.hidden(proto, `read${name}${end}`, read);
    core.hidden(proto, `write${name}${end}`, write);
    if (!name.includes("Uint")) continue;
    const other = name.replace("Uint", "UInt");
    core.hidden(proto, `read${other}${end}`, read);
    core.hidden(proto, `write${other}${end}`, write);
  }
}

/** Integers of any number of bytes up to six. */
function addWide(proto) {
  for (const end of ["LE", "BE"]) {
    const order = (buffer, offset, size) => {
      const bytes = Array.from(
        Uint8Array.prototype.subarray.call(buffer, checked(buffer, offset, size), offset + size),
      );
      return end === "BE" ? bytes : bytes.reverse();
    };
    const unsigned = function (offset, size) {
      return order(this, offset, size).reduce((sum, byte) => sum * 256 + byte, 0);
    };
    const signed = function (offset, size) {
      const value = unsigned.call(this, offset, size);
      return value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
    };
    const write = function (value, offset, size) {
      checked(this, offset, size);
      let rest = value < 0 ? value + 2 ** (8 * size) : value;
      for (let index = 0; index < size; index++) {
        this[end === "LE" ? offset + index : offset + size - 1 - index] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return offset + size;
    };
    for (const name of ["UInt", "Uint"]) {
      core.hidden(proto, `read${name}${end}`, unsigned);
      core.hidden(proto, `write${name}${end}`, write);
    }
    core.hidden(proto, `readInt${end}`, signed);
    core.hidden(proto, `writeInt${end}`, write);
  }
}

exports.addTo = ({ prototype }) => {
  for (const kind of KINDS) addKind(prototype, kind);
  addWide(prototype);
};
