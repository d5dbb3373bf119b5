/** tr and wc. */
import { decodeText, encodeText } from "../text/byte_strings.ts";
import { unescapeText } from "../text/escapes.ts";
import {
  bytesResult,
  checkInterrupt,
  CommandError,
  defineCommand,
  readInput,
  readOptions,
  stdinOf,
  textResult,
} from "./command.ts";

const CLASSES: Record<string, (char: string) => boolean> = {
  alpha: (char) => /\p{L}/u.test(char),
  digit: (char) => /[0-9]/.test(char),
  alnum: (char) => /[\p{L}0-9]/u.test(char),
  upper: (char) => /\p{Lu}/u.test(char),
  lower: (char) => /\p{Ll}/u.test(char),
  space: (char) => /\s/.test(char),
  blank: (char) => char === " " || char === "\t",
  punct: (char) => /[!-\/:-@[-`{-~]/.test(char),
  print: (char) => char >= " " && char !== "\x7f",
  graph: (char) => char > " " && char !== "\x7f",
  cntrl: (char) => char < " " || char === "\x7f",
  xdigit: (char) => /[0-9A-Fa-f]/.test(char),
};

/** The characters that a set of tr names, in order. */
function expand(set: string): string[] {
  const chars: { char: string; plain: boolean }[] = [];
  const escaped = /\\(?:[0-7]{1,3}|.)|\[:(\w+):\]|\[=(.)=\]|\[(.)\*(\d*)\]|[\s\S]/gu;
  for (const [whole, name, equal, repeated, count] of set.matchAll(escaped)) {
    if (name !== undefined) {
      const test = CLASSES[name];
      if (!test) throw new CommandError(`invalid character class '${name}'`);
      for (let code = 0; code < 128; code++) {
        const char = String.fromCharCode(code);
        if (test(char)) chars.push({ char, plain: false });
      }
    } else if (equal !== undefined) chars.push({ char: equal, plain: false });
    else if (repeated !== undefined) {
      for (let n = Number(count || 1); n > 0; n--) chars.push({ char: repeated, plain: false });
    } else if (whole.length > 1 && whole[0] === "\\") {
      chars.push({
        char: decodeText(unescapeText(encodeText(whole), "format").bytes).replace(/^\\(?=.)/, ""),
        plain: whole !== "\\-",
      });
    } else chars.push({ char: whole, plain: true });
  }
  const out: string[] = [];
  for (let i = 0; i < chars.length; i++) {
    const end = chars[i + 2];
    if (chars[i].plain && chars[i + 1]?.plain && chars[i + 1].char === "-" && end?.plain) {
      const [from, to] = [chars[i].char.codePointAt(0) ?? 0, end.char.codePointAt(0) ?? 0];
      if (from > to) {
        throw new CommandError(
          `range-endpoints of '${chars[i].char}-${end.char}' are in reverse collating sequence order`,
        );
      }
      for (let code = from; code <= to; code++) out.push(String.fromCodePoint(code));
      i += 2;
    } else out.push(chars[i].char);
  }
  return out;
}

const tr = defineCommand("tr", (args, ctx) => {
  const given = readOptions(
    args,
    "cCdst",
    { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" },
    true,
  );
  const [first, second, ...more] = given.rest;
  if (first === undefined) throw new CommandError("missing operand");
  if (more.length > 0) throw new CommandError(`extra operand '${more[0]}'`);
  const translates = second !== undefined && !given.has("d");
  if (!translates && !given.has("d") && !given.has("s")) throw new CommandError(`missing operand after '${first}'`);
  const from = expand(first);
  const to = second === undefined ? [] : expand(second);
  const complement = given.has("c") || given.has("C");
  const set = new Set(from);
  const inFirst = (char: string) => set.has(char) !== complement;
  const last = to.at(-1) ?? "";
  const map = new Map<string, string>();
  if (!complement) from.forEach((char, i) => map.set(char, to[i] ?? (given.has("t") ? char : last)));
  const translate = (char: string) => complement ? (inFirst(char) ? last : char) : map.get(char) ?? char;
  const squeezed = new Set(to);
  const squeezes = (char: string) => second === undefined ? inFirst(char) : squeezed.has(char);
  const out: string[] = [];
  let previous: string | undefined;
  let count = 0;
  for (const char of decodeText(stdinOf(ctx))) {
    if ((++count & 0xffff) === 0) checkInterrupt(ctx);
    if (given.has("d") && inFirst(char)) continue;
    const next = translates ? translate(char) : char;
    if (given.has("s") && next === previous && squeezes(next)) continue;
    previous = next;
    out.push(next);
  }
  return textResult(out.join(""));
});

const wc = defineCommand("wc", async (args, ctx) => {
  const given = readOptions(args, "lwcmL", { lines: "l", words: "w", bytes: "c", chars: "m", "max-line-length": "L" });
  const asked = [..."lwmcL"].filter((letter) => given.has(letter));
  const columns = asked.length > 0 ? asked : ["l", "w", "c"];
  const names = given.rest.length > 0 ? given.rest : ["-"];
  const rows: { name: string; counts: number[]; size: number }[] = [];
  let errors = "";
  for (const name of names) {
    try {
      const bytes = await readInput(ctx, name);
      checkInterrupt(ctx);
      rows.push({ name, counts: columns.map((column) => count(column, bytes)), size: bytes.length });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      errors += `wc: ${error.message}\n`;
    }
  }
  const totals = columns.map((column, i) =>
    column === "L"
      ? Math.max(0, ...rows.map(({ counts }) => counts[i]))
      : rows.reduce((sum, { counts }) => sum + counts[i], 0)
  );
  if (names.length > 1) rows.push({ name: "total", counts: totals, size: 0 });
  const size = rows.reduce((sum, row) => sum + row.size, 0);
  const lone = columns.length === 1 && names.length === 1;
  const width = lone ? 1 : names.includes("-") ? 7 : String(size).length;
  const text = rows.map(({ name, counts }) => {
    const shown = counts.map((value) => String(value).padStart(width)).join(" ");
    return `${shown}${given.rest.length === 0 ? "" : ` ${name}`}\n`;
  });
  return bytesResult(encodeText(text.join("")), errors === "" ? 0 : 1, errors);
});

function count(column: string, bytes: string): number {
  if (column === "c") return bytes.length;
  if (column === "l") {
    let lines = 0;
    for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n", at + 1)) lines++;
    return lines;
  }
  if (column === "w") return bytes.match(/[^\s\xa0]+/g)?.length ?? 0;
  if (column === "m") return decodeText(bytes).replace(/[\ud800-\udbff](?=[\udc00-\udfff])/g, "").length;
  return Math.max(0, ...decodeText(bytes).split("\n").map((line) => line.length));
}

export const commands = [tr, wc];
