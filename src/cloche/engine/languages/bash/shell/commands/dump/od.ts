/** od. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { readCount } from "../tool/counts.ts";
import type { Tool } from "../tool/tool.ts";
import { BlockReader } from "./input.ts";
import { type DumpType, parseTypes } from "./od_types.ts";

/** Old options and the types that they stand for. */
const OLD: Record<string, string> = {
  a: "a",
  B: "o2",
  D: "u4",
  e: "fD",
  F: "fD",
  H: "x4",
  I: "dL",
  L: "dL",
  O: "o4",
  b: "o1",
  c: "c",
  d: "u2",
  f: "fF",
  h: "x2",
  i: "dI",
  l: "dL",
  o: "o2",
  s: "d2",
  x: "x2",
  X: "xI",
};

const USAGE = {
  letters: "A:j:N:S:t:vw::aBbcdDeFfHhIiLlOosxX",
  long: {
    "address-radix=": "A",
    "skip-bytes=": "j",
    "read-bytes=": "N",
    "strings?": "S",
    "format=": "t",
    "output-duplicates": "v",
    "width?": "w",
    "endian=": "endian",
    traditional: "traditional",
  },
  synopsis: "[OPTION]... [FILE]...",
};

const RADIX: Record<string, { base: number; digits: number }> = {
  o: { base: 8, digits: 7 },
  d: { base: 10, digits: 7 },
  x: { base: 16, digits: 6 },
  n: { base: 0, digits: 0 },
};

class Dump {
  readonly #types: (DumpType & { pad: number })[];
  readonly #block: number;
  readonly #common: number;
  readonly #little: boolean;
  readonly #radix: { base: number; digits: number };

  constructor(private readonly tool: Tool) {
    const { given } = tool;
    const types = given.list.flatMap(([key, value = ""]) =>
      key === "t" ? parseTypes(value) : parseTypes(OLD[key] ?? "")
    );
    if (types.length === 0) types.push(...parseTypes("oS"));
    this.#common = Math.max(...types.map(({ size }) => size));
    this.#block = this.#blockSize();
    const widest = Math.max(...types.map(({ width, size }) => (width + 1) * (this.#block / size)));
    this.#types = types.map((type) => ({ ...type, pad: widest - type.width * (this.#block / type.size) }));
    const endian = given.get("endian");
    if (endian !== undefined && !"little".startsWith(endian) && !"big".startsWith(endian)) {
      throw new CommandError(`invalid argument '${endian}' for '--endian'`);
    }
    this.#little = endian === undefined || !"big".startsWith(endian);
    this.#radix = readRadix(given.get("A") ?? "o");
  }

  #blockSize(): number {
    const { given } = this.tool;
    const usual = this.#common * Math.floor(16 / this.#common);
    if (!given.has("w")) return usual;
    const width = readCount(given.get("w") ?? "32", "invalid -w argument");
    if (width > 0 && width % this.#common === 0) return width;
    this.tool.complain(`warning: invalid width ${width}; using ${this.#common} instead`);
    return this.#common;
  }

  async run(reader: BlockReader): Promise<void> {
    const { tool } = this;
    let last: Uint8Array | undefined;
    let starred = false;
    for (;;) {
      const at = reader.position;
      const bytes = await reader.read(this.#block);
      if (bytes.length === 0) break;
      const same = bytes.length === this.#block && last !== undefined && !tool.given.has("v") && isSame(bytes, last);
      if (!same) this.#show(at, bytes);
      else if (!starred) tool.print("*\n");
      starred = same;
      last = bytes;
      await tool.attend();
    }
    if (this.#radix.base > 0 && reader.opened) tool.print(`${this.address(reader.position)}\n`);
  }

  address(at: number): string {
    return this.#radix.base === 0 ? "" : at.toString(this.#radix.base).padStart(this.#radix.digits, "0");
  }

  #show(at: number, bytes: Uint8Array): void {
    const whole = new Uint8Array(this.#block);
    whole.set(bytes);
    const view = new DataView(whole.buffer);
    const used = Math.ceil(bytes.length / this.#common) * this.#common;
    this.#types.forEach((type, i) => {
      const fields = this.#block / type.size;
      const blank = Math.floor((this.#block - used) / type.size);
      let line = i === 0 ? this.address(at) : " ".repeat(this.#radix.digits);
      let left = type.pad;
      for (let field = fields; field > blank; field--) {
        const next = Math.floor(type.pad * (field - 1) / fields);
        line += type.show(view, (fields - field) * type.size, this.#little).padStart(left - next + type.width);
        left = next;
      }
      if (type.shown) {
        line += " ".repeat(blank * type.width + Math.floor(type.pad * blank / fields));
        line += `  >${Array.from(bytes, visible).join("")}<`;
      }
      this.tool.print(`${line}\n`);
    });
  }
}

function visible(code: number): string {
  return code >= 32 && code < 127 ? String.fromCharCode(code) : ".";
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, i) => byte === b[i]);
}

function readRadix(word: string): { base: number; digits: number } {
  const radix = word.length === 1 ? RADIX[word] : undefined;
  if (radix) return radix;
  throw new CommandError(`invalid output address radix '${word[0] ?? ""}'; it must be one character from [doxn]`);
}

/** Numbers may be octal or hexadecimal. */
function readBytes(word: string, what: string): number {
  const [, digits, unit] = /^(0[xX][0-9a-fA-F]+|0[0-7]+)(.*)$/.exec(word) ?? [];
  if (digits === undefined) return readCount(word, `invalid ${what} argument`);
  const number = digits.toLowerCase().startsWith("0x") ? parseInt(digits, 16) : parseInt(digits, 8);
  return number * readCount(`1${unit}`, `invalid ${what} argument`);
}

/** Strings that end with a zero byte. */
async function showStrings(tool: Tool, dump: Dump, reader: BlockReader, least: number): Promise<void> {
  let text = "";
  for (let start = reader.position;;) {
    const bytes = await reader.read(4096);
    if (bytes.length === 0) return;
    let at = reader.position - bytes.length;
    for (const byte of bytes) {
      at++;
      if (byte >= 32 && byte < 127) {
        text += String.fromCharCode(byte);
        continue;
      }
      if (byte === 0 && text.length >= least) {
        const address = dump.address(start);
        tool.print(`${address}${address === "" ? "" : " "}${text}\n`);
      }
      text = "";
      start = at;
    }
    await tool.attend();
  }
}

/** `od FILE +10.b`: where to begin, in the old manner. */
function splitOffset(operands: string[], old: boolean): { names: string[]; skip: number } {
  const last = operands.at(-1);
  const [, digits, dot, block] = /^\+?((?:0x)?[0-9a-fA-F]+)(\.?)(b?)$/.exec(last ?? "") ?? [];
  const isOffset = last !== undefined && digits !== undefined && operands.length <= (old ? 3 : 2) &&
    (last.startsWith("+") || operands.length === 2 && /^\d/.test(last));
  if (!isOffset) return { names: operands, skip: 0 };
  const number = dot === "." ? Number(digits) : digits.startsWith("0x") ? Number(digits) : parseInt(digits, 8);
  return { names: operands.slice(0, -1), skip: number * (block === "b" ? 512 : 1) };
}

const od = defineTool("od", USAGE, async (tool) => {
  const { given } = tool;
  const dump = new Dump(tool);
  const modern = ["A", "j", "N", "t", "v", "w", "S"].some((key) => given.has(key));
  const { names, skip } = modern && !given.has("traditional")
    ? { names: tool.operands, skip: 0 }
    : splitOffset(tool.operands, given.has("traditional"));
  const limit = given.has("N") ? readBytes(given.get("N") ?? "", "-N") : Infinity;
  const reader = new BlockReader(tool, names.length > 0 ? names : ["-"], limit);
  const left = skip + (given.has("j") ? readBytes(given.get("j") ?? "", "-j") : 0);
  try {
    if (!await reader.skip(left)) throw new CommandError("cannot skip past end of combined input");
    if (given.has("S")) await showStrings(tool, dump, reader, readBytes(given.get("S") ?? "3", "-S"));
    else await dump.run(reader);
  } finally {
    reader.finish();
  }
});

export const commands = [od];
