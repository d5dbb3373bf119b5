/** printf and sprintf. */
import { AwkError } from "../errors.ts";
import { byteOf, characterOf } from "../program/escapes.ts";
import { firstCharacters } from "./characters.ts";
import { type Conversion, convertNumber, padText, parseFormat } from "./conversions.ts";
import { type Conventions, Input, type Slot, toNumber, toText } from "./values.ts";

/** What `printf format, args...` prints. */
export function formatText(format: string, args: Slot[], conventions: Conventions): string {
  let text = "";
  let next = 0;
  const take = (): Slot => {
    if (next >= args.length) {
      throw new AwkError(`not enough arguments to satisfy format string\n\t\`${format}'`);
    }
    return args[next++];
  };
  for (const piece of parseFormat(format)) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    let conversion = piece;
    if (piece.width === "next") {
      const width = Math.trunc(toNumber(take()));
      conversion = { ...conversion, width: Math.abs(width), minus: piece.minus || width < 0 };
    }
    if (piece.precision === "next") {
      const precision = Math.trunc(toNumber(take()));
      conversion = { ...conversion, precision: precision < 0 ? undefined : precision };
    }
    if (piece.position > 0) next = piece.position - 1;
    text += convert(conversion, take(), conventions);
  }
  return text;
}

function convert(conversion: Conversion, value: Slot, conventions: Conventions): string {
  const { letter, precision } = conversion;
  if (letter === "s") {
    const text = toText(value, conventions);
    return padText(typeof precision === "number" ? firstCharacters(text, precision) : text, conversion);
  }
  if (letter === "c") return padText(characterFor(value, conventions), conversion);
  return convertNumber(toNumber(value), conversion);
}

function characterFor(value: Slot, conventions: Conventions): string {
  const code = typeof value === "number" ? value : value instanceof Input && value.isNumeric ? value.number : undefined;
  if (code !== undefined) return conventions.bytes ? byteOf(Math.trunc(code)) : characterOf(Math.trunc(code));
  return firstCharacters(toText(value, conventions), 1) || "\0";
}
