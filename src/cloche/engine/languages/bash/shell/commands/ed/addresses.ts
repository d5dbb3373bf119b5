/** Addresses of ed: `3`, `$`, `.+2`, `/re/`, `'a`, `1,5`, `%`. */
import { EdError } from "./buffer.ts";
import type { EdBuffer } from "./buffer.ts";

export interface Addresses {
  /** As many as were given; the last two count. */
  lines: number[];
  rest: string;
}

/** Reads the addresses at the beginning of a command line. */
export function readAddresses(text: string, buffer: EdBuffer): Addresses {
  const lines: number[] = [];
  let rest = text;
  for (;;) {
    rest = rest.trimStart();
    const found = readAddress(rest, buffer);
    if (found) {
      lines.push(found.line);
      rest = found.rest.trimStart();
    }
    const sign = rest[0];
    if (sign !== "," && sign !== ";" && sign !== "%") return { lines, rest };
    rest = rest.slice(1);
    if (sign === "%") lines.push(1);
    else if (!found) lines.push(lines.length > 0 ? lines[lines.length - 1] : sign === ";" ? buffer.current : 1);
    else if (sign === ";") buffer.current = found.line;
    if (sign === "%" || !/^\s*[\d.$/?'+-]/.test(rest)) {
      if (sign === "%" || !found) lines.push(buffer.lines.length);
      else lines.push(found.line);
      return { lines, rest: rest.trimStart() };
    }
  }
}

function readAddress(text: string, buffer: EdBuffer): { line: number; rest: string } | undefined {
  let rest = text;
  let line: number | undefined;
  const number = /^\d+/.exec(rest);
  if (number) {
    line = Number(number[0]);
    rest = rest.slice(number[0].length);
  } else if (rest[0] === "." || rest[0] === "$") {
    line = rest[0] === "." ? buffer.current : buffer.lines.length;
    rest = rest.slice(1);
  } else if (rest[0] === "'") {
    line = buffer.findMark(rest[1] ?? "");
    rest = rest.slice(2);
  } else if (rest[0] === "/" || rest[0] === "?") {
    const sign = rest[0];
    const [whole, source] = new RegExp(`^\\${sign}((?:[^\\\\\\${sign}]|\\\\.)*)(?:\\${sign}|$)`, "s").exec(rest) ??
      [""];
    line = buffer.search(source ?? "", sign === "/");
    rest = rest.slice(whole.length);
  }
  for (;;) {
    const [whole, sign, digits] = /^\s*([-+^])\s*(\d*)/.exec(rest) ?? [];
    if (whole === undefined) break;
    line ??= buffer.current;
    line += (sign === "+" ? 1 : -1) * Number(digits || 1);
    rest = rest.slice(whole.length);
  }
  if (line === undefined) return undefined;
  if (line < 0 || line > buffer.lines.length) throw new EdError("Invalid address");
  return { line, rest };
}
