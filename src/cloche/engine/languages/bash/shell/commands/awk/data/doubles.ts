/** Doubles in the notations of C: %f, %e, %g. */

type Notation = "f" | "e" | "g";

/** JavaScript's own conversions go up to here. */
const MOST_DIGITS = 100;

/** A finite number; `keepZeros` is the flag `#` of %g. */
export function formatDouble(number: number, notation: Notation, precision: number, keepZeros: boolean): string {
  if (notation === "f") return fixed(number, precision);
  if (notation === "e") return exponential(number, precision);
  const digits = precision === 0 ? 1 : precision;
  const short = digits === 6 && !keepZeros ? shortest(number) : undefined;
  if (short !== undefined) return short;
  const scientific = exponential(number, digits - 1);
  const power = Number(scientific.slice(scientific.indexOf("e") + 1));
  const small = power < -4 || power >= digits;
  const text = small ? scientific : fixed(number, digits - 1 - power);
  return keepZeros ? text : dropZeros(text);
}

/** %.6g of numbers of usual size. */
function shortest(number: number): string | undefined {
  const size = Math.abs(number);
  if (!(size >= 1e-4 && size < 999999)) return undefined;
  const text = String(number);
  if (text.length <= 6) return text;
  // A last digit 5 may be exactly in the middle.
  if (text.charCodeAt(text.length - 1) === 53 && text.length <= 14) return undefined;
  return String(Number(number.toPrecision(6)));
}

function dropZeros(text: string): string {
  if (!text.includes(".")) return text;
  return text.replace(/\.?0+(?=e|$)/, "");
}

function fixed(number: number, precision: number): string {
  const size = Math.abs(number);
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  // Exactly between two roundings are only multiples of a small power of two.
  const isMiddle = !Number.isInteger(size) && Number.isInteger(size * 2 ** (precision + 1));
  if (size < 1e21 && precision <= MOST_DIGITS && !isMiddle) {
    return sign + size.toFixed(precision);
  }
  const { digits, scale } = exactDigits(size);
  const rounded = roundDigits(digits, scale - precision).padStart(precision + 1, "0");
  if (precision === 0) return sign + rounded;
  return `${sign}${rounded.slice(0, -precision)}.${rounded.slice(-precision)}`;
}

function exponential(number: number, precision: number): string {
  const size = Math.abs(number);
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  if (precision <= MOST_DIGITS && !mayBeMiddle(size)) {
    return sign + size.toExponential(precision).replace(/e([-+])(\d)$/, "e$10$2");
  }
  if (size === 0) return `${sign}0${precision > 0 ? "." + "0".repeat(precision) : ""}e+00`;
  const { digits, scale } = exactDigits(size);
  let power = digits.length - 1 - scale;
  let kept = roundDigits(digits, digits.length - 1 - precision);
  if (kept.length > precision + 1) {
    kept = kept.slice(0, -1);
    power++;
  }
  const fraction = precision > 0 ? `.${kept.slice(1)}` : "";
  return `${sign}${kept[0]}${fraction}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Whether a number may lie exactly between two roundings, of which C takes the even one and JavaScript the larger. */
function mayBeMiddle(size: number): boolean {
  const text = String(size);
  const mantissa = text.includes("e") ? text.slice(0, text.indexOf("e")) : text;
  return /5\.?0*$/.test(mantissa);
}

/** All decimal digits of a number: it is `digits` / 10^`scale`. */
function exactDigits(size: number): { digits: string; scale: number } {
  if (Number.isInteger(size)) return { digits: BigInt(size).toString(), scale: 0 };
  let scale = 0;
  while (!Number.isInteger(size)) {
    // Doubling is exact, and a fraction of n bits has n decimal digits.
    size *= 2;
    scale++;
  }
  return { digits: (BigInt(size) * 5n ** BigInt(scale)).toString(), scale };
}

/** Drops the last `count` digits, rounding half to even; a negative count adds zeros. */
function roundDigits(digits: string, count: number): string {
  if (count <= 0) return digits + "0".repeat(-count);
  if (count > digits.length) return "0";
  const padded = digits.padStart(count + 1, "0");
  const kept = BigInt(padded.slice(0, -count));
  const dropped = padded.slice(-count);
  const middle = "5".padEnd(count, "0");
  const up = dropped > middle || dropped === middle && kept % 2n === 1n;
  return (up ? kept + 1n : kept).toString();
}
