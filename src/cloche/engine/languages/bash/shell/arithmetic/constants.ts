/** Constants as arithmetic writes them: 12, 017, 0x1f, 36#zz. */
import { type Int, wrap } from "./number.ts";

const MAX_BASE = 64;
const DECIMAL = /^(?:0|[1-9]\d{0,14})$/;

/** The value of a constant, or what is wrong with it. */
export function parseNumber(text: string): Int | string {
  if (DECIMAL.test(text)) return Number(text);
  let base = 10n;
  let digits = text;
  const hash = text.indexOf("#");
  if (hash > 0) {
    if (text.startsWith("0")) return "invalid number";
    const given = parseNumber(text.slice(0, hash));
    if (typeof given === "string") return given;
    if (given < 2 || given > MAX_BASE) return "invalid arithmetic base";
    base = BigInt(given);
    digits = text.slice(hash + 1);
    if (digits === "") return "invalid integer constant";
    if (digits.includes("#")) return "invalid number";
  } else if (/^0[xX]/.test(text)) {
    base = 16n;
    digits = text.slice(2);
  } else if (text.startsWith("0")) base = 8n;
  return parseDigits(digits, base);
}

function parseDigits(digits: string, base: bigint): Int | string {
  let value = 0n;
  for (const char of digits) {
    const digit = digitOf(char, base);
    if (digit >= base) return "value too great for base";
    value = BigInt.asIntN(64, value * base + digit);
  }
  return wrap(value);
}

function digitOf(char: string, base: bigint): bigint {
  if (char >= "0" && char <= "9") return BigInt(char);
  if (char >= "a" && char <= "z") return BigInt(char.charCodeAt(0) - 87);
  if (char >= "A" && char <= "Z") return BigInt(char.charCodeAt(0) - (base <= 36n ? 55 : 29));
  return char === "@" ? 62n : char === "_" ? 63n : 64n;
}
