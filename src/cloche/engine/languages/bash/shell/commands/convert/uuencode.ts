/** uuencode and uudecode: files as lines of text that mails carry. */
import { fromArray, toArray } from "../../../text/byte_strings.ts";
import { BASE64, decode, encode } from "../hash/basenc.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { BYTES } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

/** Bytes in a line of either form. */
const LINE = 45;
const PERMISSIONS = 0o777;
const BAD_CALL = 64;
const SHORT = 2;

/** A line without its end: its length, then four letters for three bytes. */
function encodeLine(bytes: Uint8Array): string {
  const letter = (bits: number) => bits === 0 ? "`" : String.fromCharCode(32 + bits);
  let line = letter(bytes.length);
  for (let at = 0; at < bytes.length; at += 3) {
    const value = bytes[at] << 16 | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) line += letter(value >> shift & 63);
  }
  return line;
}

/** Blanks at the end of a line may have been lost on the way: they are zeros. */
function decodeLine(line: string): number[] {
  const bits = (at: number) => (line.charCodeAt(at) || 32) - 32 & 63;
  const length = bits(0);
  const bytes: number[] = [];
  for (let at = 1; bytes.length < length; at += 4) {
    const value = bits(at) << 18 | bits(at + 1) << 12 | bits(at + 2) << 6 | bits(at + 3);
    bytes.push(value >> 16, value >> 8 & 255, value & 255);
  }
  return bytes.slice(0, length);
}

function modeOf(tool: Tool, name: string | undefined): number {
  const { files, cwd, umask } = tool.context;
  return name === undefined ? 0o666 & ~umask : files.stat(files.resolve(cwd, name)).mode & PERMISSIONS;
}

const uuencode = defineTool("uuencode", {
  letters: "me",
  long: { base64: "m", "encode-file-name": "e" },
  synopsis: "[OPTION]... [IN-FILE] OUTPUT-NAME",
  code: BAD_CALL,
}, async (tool) => {
  const { given } = tool;
  const [first, second, more] = given.operands;
  if (first === undefined || more !== undefined) throw new UsageError("one or two operands are needed");
  const [input, name] = second === undefined ? [undefined, first] : [first, second];
  tool.out.coding = BYTES;
  const mode = modeOf(tool, input).toString(8).padStart(3, "0");
  const data = await tool.readFile(input ?? "-");
  const base64 = given.has("m");
  const encoded = given.has("e");
  const shown = encoded ? encode(toArray(name), BASE64) : name;
  tool.print(`begin${base64 ? "-base64" : ""}${encoded ? "-encoded" : ""} ${mode} ${shown}\n`);
  for (let at = 0; at < data.length; at += LINE) {
    const part = data.subarray(at, at + LINE);
    tool.print(`${base64 ? encode(part, BASE64) : encodeLine(part)}\n`);
  }
  tool.print(base64 ? "====\n" : "`\nend\n");
});

interface Encoded {
  mode: number;
  name: string;
  data: Uint8Array;
}

const BEGIN = /^begin(-base64)?(-encoded)? ([0-7]+) (.+)$/;

/** The first file in a text. */
function readEncoded(text: string, source: string): Encoded {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => BEGIN.test(line));
  const [, base64, encoded, mode, shown] = BEGIN.exec(lines[start] ?? "") ?? [];
  if (mode === undefined) throw new CommandError(`${source}: Invalid or missing 'begin' line`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => base64 ? line.startsWith("====") : line === "end");
  if (end < 0) throw new CommandError(`${source}: Short file`, SHORT);
  const body = rest.slice(0, end);
  const name = encoded ? fromArray(decode(shown, BASE64).bytes) : shown;
  if (!base64) return { mode: parseInt(mode, 8), name, data: Uint8Array.from(body.flatMap(decodeLine)) };
  const { bytes, good } = decode(body.join("").replace(/\s/g, ""), BASE64);
  if (!good) throw new CommandError(`${source}: invalid input`);
  return { mode: parseInt(mode, 8), name, data: bytes };
}

const uudecode = defineTool("uudecode", {
  letters: "o:c",
  long: { "output-file": "o", "ignore-chmod": "c" },
}, async (tool) => {
  const { context, given } = tool;
  tool.out.coding = BYTES;
  for (const input of tool.inputs) {
    const found = readEncoded(fromArray(await tool.readFile(input)), input === "-" ? "standard input" : input);
    const name = given.get("o") ?? found.name;
    if (name === "-" || name === "/dev/stdout") {
      tool.print(fromArray(found.data));
      continue;
    }
    const out = tool.create(name);
    await out.write(found.data);
    out.close();
    if (!given.has("c")) context.files.chmod(context.files.resolve(context.cwd, name), found.mode & PERMISSIONS);
  }
});

export const commands = [uuencode, uudecode];
