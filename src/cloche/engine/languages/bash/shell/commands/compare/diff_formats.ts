/** Both files as one: by formats of lines, or for the preprocessor of C. */
import type { Change } from "../../../text/diff/line_diff.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import type { Side } from "./diff_render.ts";

interface Place {
  kind: "old" | "new" | "both";
  at: number;
  group: Change | undefined;
}

/** The lines of both files in order, each with where it is from. */
function* walk(a: Side, changes: Change[]): Generator<Place> {
  let at = 0;
  for (const change of changes) {
    for (; at < change.from[0]; at++) yield { kind: "both", at, group: undefined };
    for (let i = change.from[0]; i < change.from[1]; i++) yield { kind: "old", at: i, group: change };
    for (let i = change.to[0]; i < change.to[1]; i++) yield { kind: "new", at: i, group: change };
    at = change.from[1];
  }
  for (; at < a.lines.length; at++) yield { kind: "both", at, group: undefined };
}

function textOf({ lines, open }: Side, at: number): { line: string; end: string } {
  return { line: lines[at], end: open && at === lines.length - 1 ? "" : "\n" };
}

export function renderFormats(given: Given, a: Side, b: Side, changes: Change[]): string {
  const usual = given.get("line") ?? "%l\n";
  const formats = {
    old: given.get("old-line") ?? usual,
    new: given.get("new-line") ?? usual,
    both: given.get("unchanged-line") ?? usual,
  };
  let out = "";
  for (const { kind, at } of walk(a, changes)) {
    const { line, end } = textOf(kind === "new" ? b : a, at);
    out += fill(formats[kind], line, end, at + 1);
  }
  return out;
}

function fill(format: string, line: string, end: string, number: number): string {
  return format.replace(/%(?:([lL%])|c'(?:\\([0-7]{1,3})|(.))'|([-']*\d*(?:\.\d+)?)([doxX])n|(.?))/gs, (
    whole,
    letter: string | undefined,
    octal: string | undefined,
    char: string | undefined,
    width: string | undefined,
    base: string | undefined,
  ) => {
    if (letter === "l") return line;
    if (letter === "L") return line + end;
    if (letter === "%") return "%";
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
    if (char !== undefined) return char;
    if (base === undefined) throw new CommandError(`invalid line format '${whole}'`, 2);
    const digits = number.toString(base === "d" ? 10 : base === "o" ? 8 : 16);
    const size = Number(/\d+/.exec(width ?? "")?.[0] ?? 0);
    return width?.includes("-") ? digits.padEnd(size) : digits.padStart(size);
  });
}

export function renderIfdef(name: string, a: Side, b: Side, changes: Change[]): string {
  let out = "";
  let last: { group: Change | undefined; kind: string } = { group: undefined, kind: "both" };
  const close = () => {
    if (!last.group) return;
    const only = last.group.to[0] === last.group.to[1];
    out += `#endif /* ${only ? "! " : ""}${name} */\n`;
  };
  for (const { kind, at, group } of walk(a, changes)) {
    if (group !== last.group) {
      close();
      if (group) out += kind === "old" ? `#ifndef ${name}\n` : `#ifdef ${name}\n`;
    } else if (group && kind !== last.kind) out += `#else /* ${name} */\n`;
    const { line } = textOf(kind === "new" ? b : a, at);
    out += `${line}\n`;
    last = { group, kind };
  }
  close();
  return out;
}
