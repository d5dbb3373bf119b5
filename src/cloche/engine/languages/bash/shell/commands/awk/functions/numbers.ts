/** Functions of numbers: trigonometry, rounding, random ones, bits. */
import { Input } from "../data/values.ts";
import { parseNumber } from "../data/numbers.ts";
import { AwkError } from "../errors.ts";
import { type Builtin, type Builtins, numeric } from "./builtin.ts";

const WORD = 2 ** 53;

/** A whole number for the functions of bits. */
function bits(value: number, name: string): bigint {
  if (!(value >= 0)) throw new AwkError(`${name}: negative values are not allowed`);
  return BigInt(Math.trunc(value));
}

function combine(name: string, merge: (a: bigint, b: bigint) => bigint) {
  return numeric((...args) => Number(args.map((arg) => bits(arg, name)).reduce(merge)));
}

/** A function that has no value for negative numbers, and says so. */
function ofPositive(name: string, compute: (value: number) => number): Builtin {
  return {
    kind: "number",
    compile([arg], compiler) {
      const number = compiler.number(arg);
      const { machine } = compiler;
      return () => {
        const value = number();
        if (value < 0) machine.warn(`${name}: received negative argument ${machine.state.textOf(value)}`);
        return compute(value);
      };
    },
  };
}

/** The number that a text means, also in hexadecimal and octal notation. */
function numberFromText(text: string): number {
  const hex = text.match(/^\s*([-+]?)0[xX]([0-9a-fA-F]+)/);
  if (hex) return (hex[1] === "-" ? -1 : 1) * Number(`0x${hex[2]}`);
  const octal = text.match(/^\s*([-+]?)0([0-7]+)(?![0-9.eE])/);
  return octal ? (octal[1] === "-" ? -1 : 1) * parseInt(octal[2], 8) : parseNumber(text);
}

export const numbers: Builtins = {
  sin: numeric(Math.sin),
  cos: numeric(Math.cos),
  atan2: numeric(Math.atan2),
  exp: numeric(Math.exp),
  log: ofPositive("log", Math.log),
  sqrt: ofPositive("sqrt", Math.sqrt),
  int: numeric(Math.trunc),
  and: combine("and", (a, b) => a & b),
  or: combine("or", (a, b) => a | b),
  xor: combine("xor", (a, b) => a ^ b),
  lshift: numeric((value, by) => Number(BigInt.asUintN(64, bits(value, "lshift") << bits(by, "lshift")))),
  rshift: numeric((value, by) => Number(bits(value, "rshift") >> bits(by, "rshift"))),
  compl: numeric((value) => WORD - 1 - Number(bits(value, "compl"))),
  rand: {
    kind: "number",
    compile(_args, { machine }) {
      return () => machine.random.next();
    },
  },
  srand: {
    kind: "number",
    compile([arg], compiler) {
      const { random } = compiler.machine;
      const seed = arg ? compiler.number(arg) : () => Math.floor(Date.now() / 1000);
      return () => random.seed(seed());
    },
  },
  strtonum: {
    kind: "number",
    compile([arg], compiler) {
      const value = compiler.value(arg);
      const { state } = compiler.machine;
      return () => {
        const found = value();
        if (typeof found === "number") return found;
        return found instanceof Input && found.isNumeric && !/^\s*[-+]?0/.test(found.text)
          ? found.number
          : numberFromText(state.textOf(found));
      };
    },
  },
};
