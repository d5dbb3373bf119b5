/** xxd: data as hexadecimal digits, and back. */
import { fromArray } from "../../../text/byte_strings.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { BYTES, readAll, Writer } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { BlockReader } from "./input.ts";
import { readBack } from "./xxd_revert.ts";

const USAGE = {
  letters: "abCc:dEeg:hil:n:o:prR:s:uv",
  long: {
    autoskip: "a",
    bits: "b",
    capitalize: "C",
    "cols=": "c",
    decimal: "d",
    EBCDIC: "E",
    "groupsize=": "g",
    include: "i",
    "len=": "l",
    "length=": "l",
    "name=": "n",
    "offset=": "o",
    plain: "p",
    postscript: "p",
    revert: "r",
    "seek=": "s",
    "skip=": "s",
    uppercase: "u",
  },
  synopsis: "[options] [infile [outfile]]",
};

function numberOf(tool: Tool, key: string): number | undefined {
  const word = tool.given.get(key);
  if (word === undefined) return undefined;
  const [, sign, digits] = /^([-+]{0,2})(0[xX][0-9a-fA-F]+|\d+)$/.exec(word) ?? [];
  if (digits === undefined) throw new CommandError(`invalid number: '${word}'`);
  const value = /^0[0-7]+$/.test(digits) ? parseInt(digits, 8) : Number(digits);
  return sign.includes("-") ? -value : value;
}

const xxd = defineTool("xxd", USAGE, async (tool) => {
  const { given } = tool;
  if (given.has("E")) throw new CommandError("EBCDIC is not available");
  const [input = "-", output = "-", extra] = tool.operands;
  if (extra !== undefined) throw new CommandError("there is one input and one output file");
  const target = output === "-" ? tool.context.fds.get(1) : openOutput(tool, output);
  const out = new Writer(target, BYTES);
  try {
    if (given.has("r")) await revert(tool, input, target);
    else await dump(tool, input, out);
    await out.flush();
  } finally {
    if (output !== "-") target.close();
  }
}, (args) => {
  const at = args.indexOf("--");
  const until = at < 0 ? args.length : at;
  // Long names may also have one dash.
  return args.map((arg, i) =>
    i < until && arg === "-ps"
      ? "-p"
      : i < until && LONG_NAMES.has(arg.slice(1)) && /^-[a-zA-Z]{2,}$/.test(arg)
      ? `-${arg}`
      : arg
  );
});

const LONG_NAMES = new Set(Object.keys(USAGE.long).map((name) => name.replace("=", "")));

function openOutput(tool: Tool, name: string): OpenStream {
  const keeps = tool.given.has("r");
  return tool.open(name, { read: false, write: true, create: true, truncate: !keeps });
}

async function revert(tool: Tool, input: string, target: OpenStream): Promise<void> {
  const stream = tool.open(input);
  const text = fromArray(await readAll(stream));
  const plain = tool.given.has("p");
  const pieces = readBack(text, {
    plain,
    bits: tool.given.has("b"),
    offset: numberOf(tool, "s") ?? 0,
    columns: numberOf(tool, "c") || 16,
  });
  let at = 0;
  for (const { start, bytes } of pieces) {
    if (start > at && target.kind === "file") target.seek(start, "start");
    else if (start > at) await target.write(new Uint8Array(start - at));
    else if (start < at) {
      if (target.kind !== "file") throw new CommandError("sorry, cannot seek backwards.", 5);
      target.seek(start, "start");
    }
    await target.write(bytes);
    at = start + bytes.length;
    await tool.attend();
  }
}

async function openReader(tool: Tool, input: string): Promise<BlockReader> {
  const seek = numberOf(tool, "s") ?? 0;
  let skip = seek;
  if (seek < 0) {
    const stream = tool.open(input);
    if (stream.kind !== "file") throw new CommandError("sorry, cannot seek.", 4);
    skip = Math.max(0, stream.stat().size + seek);
    if (input !== "-") stream.close();
  }
  tool.open(input);
  const reader = new BlockReader(tool, [input], numberOf(tool, "l") ?? Infinity);
  await reader.skip(skip);
  return reader;
}

async function dump(tool: Tool, input: string, out: Writer): Promise<void> {
  const { given } = tool;
  const reader = await openReader(tool, input);
  const show = given.has("i") ? dumpArray : given.has("p") ? dumpPlain : dumpRows;
  await show(tool, reader, out, input);
  reader.finish();
}

function hex(byte: number, upper: boolean): string {
  const text = byte.toString(16).padStart(2, "0");
  return upper ? text.toUpperCase() : text;
}

async function dumpPlain(tool: Tool, reader: BlockReader, out: Writer): Promise<void> {
  const upper = tool.given.has("u");
  const width = numberOf(tool, "c") ?? 30;
  const size = width > 0 ? width : 4096;
  let any = false;
  for (let bytes = await reader.read(size); bytes.length > 0; bytes = await reader.read(size)) {
    any = true;
    out.write(Array.from(bytes, (byte) => hex(byte, upper)).join("") + (width > 0 ? "\n" : ""));
    if (out.full) await out.flush();
    await tool.attend();
  }
  if (width <= 0 && any) out.write("\n");
}

async function dumpArray(tool: Tool, reader: BlockReader, out: Writer, input: string): Promise<void> {
  const width = numberOf(tool, "c") ?? 12;
  const given = tool.given.get("n") ?? (input === "-" ? undefined : input);
  let name = given?.replace(/^(\d)/, "__$1").replace(/\W/g, "_");
  if (tool.given.has("C")) name = name?.toUpperCase();
  const upper = tool.given.has("u");
  let count = 0;
  if (name !== undefined) out.write(`unsigned char ${name}[] = {\n`);
  for (let bytes = await reader.read(width); bytes.length > 0; bytes = await reader.read(width)) {
    const row = Array.from(bytes, (byte) => `0${upper ? "X" : "x"}${hex(byte, upper)}`).join(", ");
    out.write(`${count > 0 ? ",\n" : ""}  ${row}`);
    count += bytes.length;
    await tool.attend();
  }
  if (count > 0) out.write("\n");
  if (name !== undefined) {
    out.write(`};\nunsigned int ${name}_${tool.given.has("C") ? "LEN" : "len"} = ${count};\n`);
  }
}

async function dumpRows(tool: Tool, reader: BlockReader, out: Writer): Promise<void> {
  const { given } = tool;
  const bits = given.has("b");
  const little = given.has("e");
  const upper = given.has("u");
  const width = numberOf(tool, "c") || (bits ? 6 : 16);
  if (width > 256) throw new CommandError("invalid number of columns (max. 256).");
  const group = Math.min(numberOf(tool, "g") ?? (bits ? 1 : little ? 4 : 2), width) || width;
  if (little && (group & group - 1) !== 0) {
    throw new CommandError("number of octets per group must be a power of 2 with -e.");
  }
  const cell = bits ? 8 : 2;
  const room = width * cell + Math.ceil(width / group);
  const shift = numberOf(tool, "o") ?? 0;
  let zeros = 0;
  let held = "";
  for (;;) {
    const at = reader.position + shift;
    const bytes = await reader.read(width);
    if (bytes.length === 0) break;
    const cells = Array.from(bytes, (byte) => bits ? byte.toString(2).padStart(8, "0") : hex(byte, upper));
    while (little && cells.length % group > 0) cells.push("  ");
    let row = "";
    for (let i = 0; i < cells.length; i += group) {
      const part = cells.slice(i, i + group);
      row += `${(little ? part.reverse() : part).join("")} `;
    }
    const text = Array.from(bytes, (byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("");
    const address = given.has("d") ? String(at).padStart(8, "0") : at.toString(16).padStart(8, "0");
    const line = `${address}: ${row.padEnd(room)} ${text}\n`;
    if (given.has("a") && bytes.every((byte) => byte === 0)) {
      zeros++;
      held = line;
      if (zeros === 1) out.write(line);
      else if (zeros === 3) out.write("*\n");
    } else {
      if (zeros === 2) out.write(held);
      zeros = 0;
      out.write(line);
    }
    if (out.full) await out.flush();
    await tool.attend();
  }
  if (zeros >= 2) out.write(held);
}

export const commands = [xxd];
