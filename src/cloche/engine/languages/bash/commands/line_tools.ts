/** Commands on lines: cut, uniq, paste, split, shuf, seq. */
import { decodeText, encodeText } from "../text/byte_strings.ts";
import { emptyResult } from "../just_bash/results.ts";
import { printf } from "../text/printf.ts";
import { unescapeText } from "../text/escapes.ts";
import { toArray } from "../text/byte_strings.ts";
import {
  bytesResult,
  checkInterrupt,
  CommandError,
  defineCommand,
  linesOf,
  pathOf,
  readInput,
  readOptions,
  sizeOf,
  textResult,
} from "./command.ts";

/** The places that a list such as "1,3-5,7-" names. */
function ranges(list: string): (n: number) => boolean {
  const parts = list.split(",").map((part) => {
    const match = part.match(/^(\d*)(-?)(\d*)$/);
    if (!match || part === "" || part === "-") throw new CommandError(`invalid field value '${part}'`);
    const first = Number(match[1] || 1);
    if (first === 0) throw new CommandError("fields are numbered from 1");
    return [first, match[2] === "" ? first : match[3] === "" ? Infinity : Number(match[3])];
  });
  return (n) => parts.some(([from, to]) => n >= from && n <= to);
}

const cut = defineCommand("cut", async (args, ctx) => {
  const given = readOptions(args, "f:c:b:d:snz1O:", {
    fields: "f",
    characters: "c",
    bytes: "b",
    delimiter: "d",
    "only-delimited": "s",
    complement: "1",
    "output-delimiter": "O",
    "zero-terminated": "z",
  });
  const list = given.get("f") ?? given.get("c") ?? given.get("b");
  if (list === undefined) throw new CommandError("you must specify a list of bytes, characters, or fields");
  const chosen = ranges(list);
  const wanted = given.has("1") ? (n: number) => !chosen(n) : chosen;
  const end = given.has("z") ? "\0" : "\n";
  const delimiter = given.get("d") ?? "\t";
  const between = given.get("O");
  const one = (line: string): string | undefined => {
    if (!given.has("f")) {
      const units = given.has("b") ? [...encodeText(line)] : [...line];
      const kept = units.filter((_, i) => wanted(i + 1)).join(between ?? "");
      return given.has("b") ? decodeText(kept) : kept;
    }
    if (delimiter !== "" && !line.includes(delimiter)) return given.has("s") ? undefined : line;
    return line.split(delimiter).filter((_, i) => wanted(i + 1)).join(between ?? delimiter);
  };
  const out: string[] = [];
  for (const name of given.rest.length > 0 ? given.rest : ["-"]) {
    for (const [i, line] of linesOf(decodeText(await readInput(ctx, name)), end).entries()) {
      if (i % 4096 === 0) checkInterrupt(ctx);
      const kept = one(line);
      if (kept !== undefined) out.push(kept + end);
    }
  }
  return textResult(out.join(""));
});

const uniq = defineCommand("uniq", async (args, ctx) => {
  const given = readOptions(args, "cdDuif:s:w:z", {
    count: "c",
    repeated: "d",
    "all-repeated": "D",
    unique: "u",
    "ignore-case": "i",
    "skip-fields": "f",
    "skip-chars": "s",
    "check-chars": "w",
    "zero-terminated": "z",
  });
  const end = given.has("z") ? "\0" : "\n";
  const [fields, chars, width] = [given.number("f", 0), given.number("s", 0), given.number("w", Infinity)];
  const key = (line: string) => {
    let text = line;
    for (let n = fields; n > 0; n--) text = text.replace(/^\s*\S+/, "");
    text = text.slice(chars, width === Infinity ? undefined : chars + width);
    return given.has("i") ? text.toLowerCase() : text;
  };
  const groups: { line: string; key: string; lines: string[] }[] = [];
  for (const [i, line] of linesOf(await readInput(ctx, given.rest[0]), end).entries()) {
    if (i % 4096 === 0) checkInterrupt(ctx);
    const own = key(line);
    const last = groups.at(-1);
    if (last && last.key === own) last.lines.push(line);
    else groups.push({ line, key: own, lines: [line] });
  }
  const kept = groups.filter(({ lines }) =>
    (!(given.has("d") || given.has("D")) || lines.length > 1) && (!given.has("u") || lines.length === 1)
  );
  const shown = kept.flatMap(({ line, lines }) => {
    if (given.has("D")) return lines;
    return given.has("c") ? [`${String(lines.length).padStart(7)} ${line}`] : [line];
  });
  const text = shown.map((line) => line + end).join("");
  const target = given.rest[1];
  if (target === undefined) return bytesResult(text);
  await ctx.fs.writeFile(pathOf(ctx, target), toArray(text));
  return emptyResult(0);
});

const paste = defineCommand("paste", async (args, ctx) => {
  const given = readOptions(args, "sd:z", { serial: "s", delimiters: "d", "zero-terminated": "z" });
  const end = given.has("z") ? "\0" : "\n";
  const word = (given.get("d") ?? "\t").replaceAll("\\0", "\x01");
  const delimiters = [...decodeText(unescapeText(encodeText(word), "format").bytes)].map((char) =>
    char === "\x01" ? "" : char
  );
  const delimiter = (i: number) => delimiters.length === 0 ? "" : delimiters[i % delimiters.length];
  const names = given.rest.length > 0 ? given.rest : ["-"];
  const shared = names.includes("-") ? linesOf(decodeText(await readInput(ctx, "-")), end) : [];
  const join = (cells: string[]) => cells.map((cell, i) => i === 0 ? cell : delimiter(i - 1) + cell).join("") + end;
  if (given.has("s")) {
    let out = "";
    for (const name of names) {
      out += join(name === "-" ? shared.splice(0) : linesOf(decodeText(await readInput(ctx, name)), end));
    }
    return textResult(out);
  }
  const columns = await Promise.all(
    names.map(async (name) => name === "-" ? shared : linesOf(decodeText(await readInput(ctx, name)), end)),
  );
  const places = columns.map(() => 0);
  const rows: string[] = [];
  const left = () => columns.some((column, i) => column === shared ? shared.length > 0 : places[i] < column.length);
  while (left()) {
    rows.push(join(columns.map((column, i) => (column === shared ? shared.shift() : column[places[i]++]) ?? "")));
  }
  return textResult(rows.join(""));
});

const split = defineCommand("split", async (args, ctx) => {
  const words = args.map((arg) => /^-\d+$/.test(arg) ? `-l${arg.slice(1)}` : arg);
  const given = readOptions(words, "l:b:C:n:a:dxt:", {
    lines: "l",
    bytes: "b",
    number: "n",
    "suffix-length": "a",
    "numeric-suffixes": "d",
    "additional-suffix": "t",
  });
  const [input = "-", prefix = "x"] = given.rest;
  const content = await readInput(ctx, input);
  const size = given.get("b") ?? given.get("C");
  const pieces: string[] = [];
  if (size !== undefined || given.has("n")) {
    const parts = given.get("n")?.replace(/^l\//, "");
    const step = size === undefined ? Math.ceil(content.length / Number(parts)) : sizeOf(size);
    for (let at = 0; at < content.length; at += step) pieces.push(content.slice(at, at + step));
  } else {
    const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const step = sizeOf(given.get("l") ?? "1000");
    for (let at = 0; at < lines.length; at += step) pieces.push(lines.slice(at, at + step).join(""));
  }
  const width = given.number("a", 2);
  const base = given.has("d") ? 10 : 26;
  if (pieces.length > base ** width) throw new CommandError("output file suffixes exhausted");
  for (const [i, piece] of pieces.entries()) {
    let suffix = "";
    for (let n = i, k = 0; k < width; k++, n = Math.floor(n / base)) {
      suffix = (given.has("d") ? String(n % 10) : String.fromCharCode(97 + n % 26)) + suffix;
    }
    await ctx.fs.writeFile(pathOf(ctx, `${prefix}${suffix}${given.get("t") ?? ""}`), toArray(piece));
  }
  return emptyResult(0);
});

const shuf = defineCommand("shuf", async (args, ctx) => {
  const given = readOptions(args, "ei:n:o:rz", {
    echo: "e",
    "input-range": "i",
    "head-count": "n",
    output: "o",
    repeat: "r",
    "zero-terminated": "z",
    "random-source": "R",
  });
  const end = given.has("z") ? "\0" : "\n";
  const range = given.get("i")?.match(/^(\d+)-(\d+)$/);
  if (given.has("i") && !range) throw new CommandError(`invalid input range: '${given.get("i")}'`);
  const items = range
    ? Array.from({ length: Number(range[2]) - Number(range[1]) + 1 }, (_, i) => String(Number(range[1]) + i))
    : given.has("e")
    ? given.rest.map(encodeText)
    : linesOf(await readInput(ctx, given.rest[0]), end);
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
  const count = given.number("n", given.has("r") ? 0 : items.length);
  const chosen = given.has("r")
    ? Array.from({ length: count }, () => items[Math.floor(Math.random() * items.length)])
    : items.slice(0, count);
  const text = chosen.map((item) => item + end).join("");
  const target = given.get("o");
  if (target === undefined) return bytesResult(text);
  await ctx.fs.writeFile(pathOf(ctx, target), toArray(text));
  return emptyResult(0);
});

const seq = defineCommand("seq", (args, ctx) => {
  const words = args.map((arg) => /^-[\d.]/.test(arg) ? `\0${arg}` : arg);
  const given = readOptions(words, "ws:f:", { "equal-width": "w", separator: "s", format: "f" });
  const numbers = given.rest.map((word) => word.replace("\0", ""));
  for (const word of numbers) {
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(word)) {
      throw new CommandError(`invalid floating point argument: '${word}'`);
    }
  }
  const [last, first, step] = numbers.length === 3
    ? [numbers[2], numbers[0], numbers[1]]
    : [numbers.at(-1), numbers.length === 2 ? numbers[0] : "1", "1"];
  if (last === undefined) throw new CommandError("missing operand");
  if (Number(step) === 0) throw new CommandError(`invalid Zero increment value: '${step}'`);
  const places = Math.max(...[first, step].map((word) => word.split(".")[1]?.length ?? 0));
  const format = given.get("f");
  const items: string[] = [];
  for (let i = 0;; i++) {
    if (i % 4096 === 0) checkInterrupt(ctx);
    const value = Number(first) + i * Number(step);
    if (Number(step) > 0 ? value > Number(last) + 1e-10 : value < Number(last) - 1e-10) break;
    items.push(format === undefined ? value.toFixed(places) : printf(format, [String(value)]).bytes);
  }
  const width = given.has("w") ? Math.max(...items.map((item) => item.length)) : 0;
  const padded = items.map((item) =>
    item.startsWith("-") ? `-${item.slice(1).padStart(width - 1, "0")}` : item.padStart(width, "0")
  );
  return textResult(items.length === 0 ? "" : padded.join(given.get("s") ?? "\n") + "\n");
});

export const commands = [cut, uniq, paste, split, shuf, seq];
