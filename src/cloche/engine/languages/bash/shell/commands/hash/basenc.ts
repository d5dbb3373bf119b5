/** base32, base64 and basenc. */
import { fromArray } from "../../../text/byte_strings.ts";
import { readCount } from "../tool/counts.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { BYTES } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

export interface Encoding {
  alphabet: string;
  /** Bits of a letter. */
  bits: number;
  padded: boolean;
}

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS = UPPER + UPPER.toLowerCase() + "0123456789";
const ENCODINGS: Record<string, Encoding> = {
  base64: { alphabet: `${LETTERS}+/`, bits: 6, padded: true },
  base64url: { alphabet: `${LETTERS}-_`, bits: 6, padded: true },
  base32: { alphabet: `${UPPER}234567`, bits: 5, padded: true },
  base32hex: { alphabet: `0123456789${UPPER.slice(0, 22)}`, bits: 5, padded: true },
  base16: { alphabet: "0123456789ABCDEF", bits: 4, padded: false },
  base2msbf: { alphabet: "01", bits: 1, padded: false },
};

export const BASE64 = ENCODINGS.base64;

/** The letters for bytes. */
export function encode(data: Uint8Array, { alphabet, bits, padded }: Encoding): string {
  const mask = (1 << bits) - 1;
  const parts: string[] = [];
  let [value, held] = [0, 0];
  for (const byte of data) {
    value = (value << 8 | byte) & 0xffff;
    for (held += 8; held >= bits; held -= bits) parts.push(alphabet[value >> held - bits & mask]);
  }
  if (held > 0) parts.push(alphabet[value << bits - held & mask]);
  const group = bits === 6 ? 4 : 8;
  while (padded && parts.length % group !== 0) parts.push("=");
  return parts.join("");
}

/** The bytes up to the first letter that is wrong, and whether all were right. */
export function decode(text: string, { alphabet, bits, padded }: Encoding): { bytes: Uint8Array; good: boolean } {
  const body = text.replace(/=+$/, "");
  const values = new Map([...alphabet].map((letter, i) => [letter, i]));
  const bytes: number[] = [];
  let [value, held] = [0, 0];
  for (const letter of body) {
    const found = values.get(letter);
    if (found === undefined) return { bytes: Uint8Array.from(bytes), good: false };
    value = (value << bits | found) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    bytes.push(value >> held & 255);
  }
  const group = bits === 6 ? 4 : bits === 5 ? 8 : 1;
  const good = padded ? text.length % group === 0 : held === 0;
  return { bytes: Uint8Array.from(bytes), good };
}

const USAGE = { letters: "diw:", long: { decode: "d", "ignore-garbage": "i", "wrap=": "w" } };

async function run(tool: Tool, encoding: Encoding): Promise<void> {
  const { given } = tool;
  if (given.operands.length > 1) throw new UsageError(`extra operand '${given.operands[1]}'`);
  const wrap = readCount(given.get("w") ?? "76", "invalid wrap size");
  tool.out.coding = BYTES;
  const data = await tool.readFile(tool.inputs[0]);
  if (!given.has("d")) {
    const text = encode(data, encoding);
    if (wrap === 0) return tool.out.write(text);
    return tool.out.write(text.replace(new RegExp(`.{1,${wrap}}`, "g"), "$&\n"));
  }
  let text = fromArray(data).replace(/\n/g, "");
  if (encoding.bits === 4) text = text.toUpperCase();
  if (given.has("i")) {
    text = [...text].filter((letter) => letter === "=" || encoding.alphabet.includes(letter)).join("");
  }
  const { bytes, good } = decode(text, encoding);
  tool.out.write(fromArray(bytes));
  if (!good) throw new CommandError("invalid input");
}

const basenc = defineTool("basenc", {
  ...USAGE,
  long: { ...USAGE.long, ...Object.fromEntries(Object.keys(ENCODINGS).map((name) => [name, name])) },
}, async (tool) => {
  const chosen = tool.given.last(...Object.keys(ENCODINGS));
  if (chosen === undefined) throw new UsageError("missing encoding type");
  await run(tool, ENCODINGS[chosen]);
});

export const commands = [
  defineTool("base32", USAGE, (tool) => run(tool, ENCODINGS.base32)),
  defineTool("base64", USAGE, (tool) => run(tool, ENCODINGS.base64)),
  basenc,
];
