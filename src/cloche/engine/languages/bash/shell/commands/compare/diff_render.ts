/** The forms of a diff. */
import type { Change } from "../../../text/diff/line_diff.ts";
import { type FileLines, renderHunks, renderLines } from "../../../text/diff/unified_hunks.ts";
import { compileRegex } from "../../../text/regex/regex.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { renderContext } from "./diff_context.ts";
import { renderFormats, renderIfdef } from "./diff_formats.ts";
import { renderSides } from "./side_by_side.ts";

export interface Side extends FileLines {
  name: string;
  text: string;
  stamp: string;
}

/** The line before a hunk that says where one is; empty if there is none. */
export type Heading = (lines: string[], start: number) => string;

export function renderDiff(given: Given, a: Side, b: Side, changes: Change[]): string {
  const style = styleOf(given);
  const [labelA, labelB] = given.all("L");
  const names: [string, string] = [labelA ?? `${a.name}\t${a.stamp}`, labelB ?? `${b.name}\t${b.stamp}`];
  if (given.has("old-line", "new-line", "unchanged-line", "line")) return renderFormats(given, a, b, changes);
  switch (style) {
    case "u":
    case "U":
      return color(
        given,
        `--- ${names[0]}\n+++ ${names[1]}\n${renderHunks([a, b], changes, contextOf(given, "U"), headingOf(given))}`,
      );
    case "c":
    case "C":
      return renderContext(names, a, b, changes, contextOf(given, "C"), headingOf(given));
    case "e":
      return renderEd(b, changes.toReversed());
    case "f":
      return renderForward(b, changes);
    case "n":
      return renderRcs(b, changes);
    case "y":
      return renderSides(given, a, b, changes);
    case "D":
      return renderIfdef(given.get("D") ?? "", a, b, changes);
    default:
      return color(given, renderNormal(given, a, b, changes));
  }
}

function styleOf(given: Given): string | undefined {
  return given.last("normal", "u", "U", "c", "C", "e", "f", "n", "y", "D");
}

/** The lines around changes that are shown. */
export function marginOf(given: Given): number {
  return showsContext(given) ? contextOf(given, styleOf(given)?.toUpperCase() ?? "") : 0;
}

export function showsContext(given: Given): boolean {
  return /^[uc]$/i.test(styleOf(given) ?? "");
}

function contextOf(given: Given, key: string): number {
  const word = given.get(key) ?? "3";
  if (!/^\d+$/.test(word)) throw new CommandError(`invalid context length '${word}'`, 2);
  return Number(word);
}

function headingOf(given: Given): Heading | undefined {
  const sources = [...given.all("F"), ...given.has("p") ? ["^[[:alpha:]$_]"] : []];
  if (sources.length === 0) return undefined;
  const matchers = sources.map((source) => compileRegex(source, { extended: false }));
  return (lines, start) => {
    const found = lines.slice(0, start).findLast((line) => matchers.some((matcher) => matcher.test(line)));
    return found === undefined ? "" : ` ${found.slice(0, 40).trimEnd()}`;
  };
}

/** The numbers of lines, the first from 1. */
export function rangeOf([start, end]: [number, number]): string {
  return end - start <= 1 ? `${end}` : `${start + 1},${end}`;
}

function kindOf({ from, to }: Change): "a" | "d" | "c" {
  return from[0] === from[1] ? "a" : to[0] === to[1] ? "d" : "c";
}

function renderNormal(given: Given, a: Side, b: Side, changes: Change[]): string {
  const gap = given.has("T") ? "\t" : " ";
  return changes.map((change) => {
    const kind = kindOf(change);
    const middle = kind === "c" ? "---\n" : "";
    const lines = renderLines(`<${gap}`, a, change.from) + middle + renderLines(`>${gap}`, b, change.to);
    return `${rangeOf(change.from)}${kind}${rangeOf(change.to)}\n${lines}`;
  }).join("");
}

function bodyOf({ lines }: Side, [start, end]: [number, number]): string {
  return lines.slice(start, end).map((line) => `${line}\n`).join("");
}

/** A script for ed; a line that is only a dot is written as two and mended afterwards. */
function renderEd(b: Side, changes: Change[]): string {
  return changes.map((change) => {
    const kind = kindOf(change);
    const head = `${rangeOf(change.from)}${kind}\n`;
    if (kind === "d") return head;
    let out = head;
    let open = true;
    b.lines.slice(...change.to).forEach((line) => {
      if (!open) out += "a\n";
      open = true;
      out += line === "." ? "..\n.\ns/.//\n" : `${line}\n`;
      if (line === ".") open = false;
    });
    return open ? `${out}.\n` : out;
  }).join("");
}

function renderForward(b: Side, changes: Change[]): string {
  return changes.map((change) => {
    const kind = kindOf(change);
    const range = rangeOf(change.from).replace(",", " ");
    return `${kind}${range}\n${kind === "d" ? "" : `${bodyOf(b, change.to)}.\n`}`;
  }).join("");
}

function renderRcs(b: Side, changes: Change[]): string {
  return changes.map(({ from, to }) => {
    const [deleted, added] = [from[1] - from[0], to[1] - to[0]];
    const gone = deleted > 0 ? `d${from[0] + 1} ${deleted}\n` : "";
    return gone + (added > 0 ? `a${from[1]} ${added}\n${bodyOf(b, to)}` : "");
  }).join("");
}

const COLORS: [RegExp, string][] = [
  [/^(---|\+\+\+) /, "1"],
  [/^@@ .* @@/, "36"],
  [/^\d+(,\d+)?[acd]\d/, "36"],
  [/^[-<]/, "31"],
  [/^[+>]/, "32"],
];

function color(given: Given, text: string): string {
  const when = given.has("color") ? given.get("color") ?? "auto" : "never";
  if (!["always", "auto", "never"].includes(when)) throw new CommandError(`invalid color '${when}'`, 2);
  if (when !== "always") return text;
  return text.split("\n").map((line) => {
    if (line === "---") return line;
    const code = COLORS.find(([pattern]) => pattern.test(line))?.[1];
    return code === undefined ? line : `\x1b[${code}m${line}\x1b[0m`;
  }).join("\n");
}
