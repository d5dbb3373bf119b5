/** xxd, hexdump, od. */
import {
  bytesResult,
  checkInterrupt,
  CommandError,
  type Context,
  defineCommand,
  pathOf,
  readInput,
  readOptions,
} from "./command.ts";
import { toArray } from "../text/byte_strings.ts";

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}

function visible(bytes: string): string {
  return bytes.replace(/[^ -~]/g, ".");
}

/** Splits "-s10" style words that take a value from those that do not. */
const xxd = defineCommand("xxd", async (args, ctx) => {
  const given = readOptions(args, "rpiuabec:l:s:g:o:", {
    revert: "r",
    postscript: "p",
    plain: "p",
    uppercase: "u",
    len: "l",
    seek: "s",
    cols: "c",
  });
  const [input, output] = given.rest;
  const all = await readInput(ctx, input);
  if (given.has("r")) return await deliver(ctx, given.has("p") ? fromPlain(all) : fromDump(all), output);
  const seek = Number(given.get("s") ?? 0);
  const start = seek < 0 ? Math.max(0, all.length + seek) : seek;
  const bytes = all.slice(start, start + Number(given.get("l") ?? all.length));
  const upper = (text: string) => given.has("u") ? text.toUpperCase() : text;
  const out: string[] = [];
  if (given.has("p")) {
    const width = given.number("c", 30);
    for (let at = 0; at < bytes.length; at += width || bytes.length) {
      out.push(upper(allHex(bytes.slice(at, at + (width || bytes.length)))) + "\n");
    }
    return await deliver(ctx, out.join(""), output);
  }
  if (given.has("i")) return await deliver(ctx, cArray(bytes, input), output);
  const width = given.number("c", given.has("b") ? 6 : 16) || 16;
  const group = given.number("g", given.has("b") ? 1 : 2) || width;
  const digit = given.has("b") ? 8 : 2;
  const room = width * digit + Math.ceil(width / group) - 1;
  for (let at = 0; at < bytes.length; at += width) {
    if (at % 65536 === 0) checkInterrupt(ctx);
    const row = bytes.slice(at, at + width);
    const cells = Array.from(row, (char) => char.charCodeAt(0).toString(digit === 8 ? 2 : 16).padStart(digit, "0"));
    const groups: string[] = [];
    for (let i = 0; i < cells.length; i += group) groups.push(cells.slice(i, i + group).join(""));
    out.push(`${hex(start + at, 8)}: ${upper(groups.join(" ").padEnd(room))}  ${visible(row)}\n`);
  }
  return await deliver(ctx, out.join(""), output);
});

async function deliver(ctx: Context, bytes: string, output: string | undefined) {
  if (output === undefined) return bytesResult(bytes);
  await ctx.fs.writeFile(pathOf(ctx, output), toArray(bytes));
  return bytesResult("");
}

function allHex(bytes: string): string {
  return Array.from(bytes, (char) => hex(char.charCodeAt(0), 2)).join("");
}

function cArray(bytes: string, input: string | undefined): string {
  const cells = Array.from(bytes, (char) => `0x${hex(char.charCodeAt(0), 2)}`);
  const rows: string[] = [];
  for (let i = 0; i < cells.length; i += 12) rows.push("  " + cells.slice(i, i + 12).join(", "));
  if (input === undefined || input === "-") return rows.join(",\n") + "\n";
  const name = input.replace(/[^\w]/g, "_");
  return `unsigned char ${name}[] = {\n${rows.join(",\n")}\n};\nunsigned int ${name}_len = ${bytes.length};\n`;
}

function fromPlain(text: string): string {
  return (text.replace(/[^0-9a-fA-F]/g, "").match(/../g) ?? []).map((pair) => String.fromCharCode(parseInt(pair, 16)))
    .join("");
}

function fromDump(text: string): string {
  let bytes = "";
  for (const line of text.split("\n")) {
    const match = line.match(/^\s*([0-9a-fA-F]+):\s?((?:[0-9a-fA-F]+ ?)*)/);
    if (!match) continue;
    const at = parseInt(match[1], 16);
    const row = fromPlain(match[2]);
    bytes = bytes.padEnd(at, "\0").slice(0, at) + row + bytes.slice(at + row.length);
  }
  return bytes;
}

const hexdump = defineCommand("hexdump", async (args, ctx) => {
  const given = readOptions(args, "Cvn:s:xbcde:");
  const skip = given.number("s", 0);
  const bytes = (await readAll(ctx, given.rest)).slice(skip, skip + given.number("n", Infinity));
  const rows: string[] = [];
  let previous: string | undefined;
  let starred = false;
  for (let at = 0; at < bytes.length; at += 16) {
    if (at % 65536 === 0) checkInterrupt(ctx);
    const row = bytes.slice(at, at + 16);
    if (row === previous && !given.has("v") && row.length === 16) {
      if (!starred) rows.push("*\n");
      starred = true;
      continue;
    }
    starred = false;
    previous = row;
    rows.push(given.has("C") ? canonical(skip + at, row) : words(skip + at, row));
  }
  if (bytes.length > 0) rows.push(hex(skip + bytes.length, given.has("C") ? 8 : 7) + "\n");
  return bytesResult(rows.join(""));
});

function canonical(offset: number, row: string): string {
  const cells = Array.from(row, (char) => hex(char.charCodeAt(0), 2));
  const halves = `${cells.slice(0, 8).join(" ").padEnd(23)}  ${cells.slice(8).join(" ").padEnd(23)}`;
  return `${hex(offset, 8)}  ${halves}  |${visible(row)}|\n`;
}

function words(offset: number, row: string): string {
  const pairs: string[] = [];
  for (let i = 0; i < row.length; i += 2) {
    pairs.push(hex(row.charCodeAt(i) + ((row.charCodeAt(i + 1) || 0) << 8), 4));
  }
  return `${hex(offset, 7)} ${pairs.join(" ").padEnd(39)}\n`;
}

async function readAll(ctx: Context, paths: string[]): Promise<string> {
  const parts: string[] = [];
  for (const path of paths.length > 0 ? paths : ["-"]) parts.push(await readInput(ctx, path));
  return parts.join("");
}

interface OdType {
  size: number;
  width: number;
  show: (view: DataView, at: number) => string;
}

const ESCAPES: Record<string, string> = {
  "0": "\\0",
  "7": "\\a",
  "8": "\\b",
  "9": "\\t",
  "10": "\\n",
  "11": "\\v",
  "12": "\\f",
  "13": "\\r",
};
const NAMED =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
    .split(" ");

function odType(word: string): OdType {
  const match = word.match(/^([acdfoux])([1248CSIL]?|D|F)z?$/);
  if (!match) throw new CommandError(`invalid type string '${word}'`);
  const [, kind, sizeWord] = match;
  if (kind === "c" || kind === "a") return { size: 1, width: 3, show: kind === "c" ? odChar : odName };
  const size = ({ C: 1, S: 2, I: 4, L: 8, F: 4, D: 8 } as Record<string, number>)[sizeWord] ??
    Number(sizeWord || (kind === "f" ? 8 : 4));
  const unsigned = (view: DataView, at: number) => {
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) {
      value = (value << 8n) | BigInt(at + i < view.byteLength ? view.getUint8(at + i) : 0);
    }
    return value;
  };
  if (kind === "f") {
    return {
      size,
      width: size === 8 ? 24 : 15,
      show: (view, at) =>
        String(size === 8 ? view.getFloat64(at, true) : Number(view.getFloat32(at, true).toPrecision(8))),
    };
  }
  if (kind === "d") {
    return {
      size,
      width: [0, 4, 6, 0, 11, 0, 0, 0, 20][size],
      show: (view, at) => String(BigInt.asIntN(size * 8, unsigned(view, at))),
    };
  }
  const base = kind === "x" ? 16 : kind === "o" ? 8 : 10;
  const digits = base === 16 ? size * 2 : base === 8 ? Math.ceil(size * 8 / 3) : [0, 3, 5, 0, 10, 0, 0, 0, 20][size];
  return {
    size,
    width: digits,
    show: (view, at) => unsigned(view, at).toString(base).padStart(base === 10 ? 0 : digits, "0"),
  };
}

function odChar(view: DataView, at: number): string {
  const code = view.getUint8(at);
  return ESCAPES[code] ?? (code >= 32 && code < 127 ? String.fromCharCode(code) : code.toString(8).padStart(3, "0"));
}

function odName(view: DataView, at: number): string {
  const code = view.getUint8(at) & 127;
  return NAMED[code] ?? (code === 127 ? "del" : String.fromCharCode(code));
}

const od = defineCommand("od", async (args, ctx) => {
  const given = readOptions(args, "A:t:N:j:w:vabcdofixs", {
    "address-radix": "A",
    format: "t",
    "read-bytes": "N",
    "skip-bytes": "j",
    width: "w",
    "output-duplicates": "v",
  });
  const short: Record<string, string> = {
    a: "a",
    b: "o1",
    c: "c",
    d: "u2",
    o: "o2",
    f: "fF",
    i: "dI",
    x: "x2",
    s: "d2",
  };
  const names = [
    ...given.all("t").flatMap((word) => word.match(/[acdfoux](?:[1248CSILDF]?)z?/g) ?? [word]),
    ...Object.keys(short).filter((letter) => given.has(letter)).map((letter) => short[letter]),
  ];
  const types = (names.length > 0 ? names : ["o2"]).map(odType);
  const skip = given.number("j", 0);
  const array = toArray((await readAll(ctx, given.rest)).slice(skip, skip + given.number("N", Infinity)));
  const view = new DataView(array.buffer);
  const address = given.get("A") ?? "o";
  const radix = { d: 10, o: 8, x: 16 }[address];
  const label = (at: number) => radix === undefined ? "" : at.toString(radix).padStart(address === "x" ? 6 : 7, "0");
  const per = given.number("w", 16);
  const cell = Math.max(...types.map((type) => (type.width + 1) / type.size));
  const rows: string[] = [];
  let previous = "";
  for (let at = 0; at < array.length; at += per) {
    if (at % 65536 === 0) checkInterrupt(ctx);
    const shown = types.map((type) => {
      let text = "";
      for (let i = at; i < Math.min(at + per, array.length); i += type.size) {
        text += type.show(view, i).padStart(Math.ceil(cell * type.size));
      }
      return text;
    });
    const row = shown.join("\n" + " ".repeat(label(0).length));
    if (row === previous && !given.has("v") && at + per <= array.length) {
      if (rows.at(-1) !== "*\n") rows.push("*\n");
      continue;
    }
    previous = row;
    rows.push(`${label(skip + at)}${row}\n`);
  }
  if (radix !== undefined) rows.push(label(skip + array.length) + "\n");
  return bytesResult(rows.join(""));
});

export const commands = [xxd, hexdump, od];
