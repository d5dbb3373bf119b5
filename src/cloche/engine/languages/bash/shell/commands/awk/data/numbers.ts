/** Numbers from text and text from numbers, as C's strtod and printf have them. */
import { formatDouble } from "./doubles.ts";
import { convertNumber, parseFormat } from "./conversions.ts";

const NUMERIC = /^[ \t\n\r\f\v]*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\r\f\v]*$/;
const SPECIAL = /^[ \t\n\r\f\v]*([-+])(inf|nan)[ \t\n\r\f\v]*$/i;
const STARTS = /^\s*[-+]?\.?\d/;
const ZERO = 48;
const NINE = 57;

/** The number that a text begins with, or 0. */
export function parseNumber(text: string): number {
  const number = parseFloat(text);
  if (number - number === 0) return number;
  if (number !== number) return specialNumber(text) ?? 0;
  return STARTS.test(text) ? number : specialNumber(text) ?? 0;
}

/** The value of "+inf" or "-nan", which need their sign. */
function specialNumber(text: string): number | undefined {
  const match = text.match(SPECIAL);
  if (!match) return undefined;
  return match[2].toLowerCase() === "nan" ? NaN : match[1] === "-" ? -Infinity : Infinity;
}

/** Whether all of a text is a number. */
export function looksNumeric(text: string): boolean {
  const { length } = text;
  if (length === 0) return false;
  const first = text.charCodeAt(0);
  // Letters come first in most fields that are no number.
  if (first > NINE) return false;
  let at = 0;
  while (at < length && text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at++;
  return at === length || NUMERIC.test(text) || SPECIAL.test(text);
}

/** A number as text: whole ones as they are, others by the format of CONVFMT or OFMT. */
export function formatNumber(number: number, format: string): string {
  if (Number.isInteger(number)) {
    return number > -1e15 && number < 1e15 ? String(number) : BigInt(number).toString();
  }
  if (number !== number) return "-nan";
  if (number === Infinity) return "+inf";
  if (number === -Infinity) return "-inf";
  if (format === "%.6g") return formatDouble(number, "g", 6, false);
  return parseFormat(format).map((piece) => typeof piece === "string" ? piece : convertNumber(number, piece)).join("");
}
