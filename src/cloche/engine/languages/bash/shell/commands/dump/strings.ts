/** strings: text within other data. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText } from "../../../text/byte_strings.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "adfn:ot:e:ws:U:",
  long: {
    all: "a",
    data: "d",
    "print-file-name": "f",
    "bytes=": "n",
    "radix=": "t",
    "encoding=": "e",
    "include-all-whitespace": "w",
    "output-separator=": "s",
  },
  synopsis: "[option(s)] [file(s)]",
};

/** Bytes of a character, and whether the low one comes first. */
const ENCODINGS: Record<string, { size: number; little: boolean; high: boolean }> = {
  s: { size: 1, little: true, high: false },
  S: { size: 1, little: true, high: true },
  b: { size: 2, little: false, high: false },
  l: { size: 2, little: true, high: false },
  B: { size: 4, little: false, high: false },
  L: { size: 4, little: true, high: false },
};
const BASES: Record<string, number> = { o: 8, d: 10, x: 16 };

const strings = defineTool("strings", USAGE, async (tool) => {
  const { given } = tool;
  const least = Number(given.get("n") ?? 4);
  if (!Number.isInteger(least)) throw new CommandError(`invalid integer argument ${given.get("n")}`);
  if (least < 1) throw new CommandError(`invalid minimum string length ${least}`);
  if (given.has("U")) throw new CommandError("-U is not available; text in UTF-8 is found with -e S");
  const radix = given.has("o") ? "o" : given.get("t");
  if (radix !== undefined && !BASES[radix]) throw new CommandError(`invalid radix: ${radix}`);
  const encoding = ENCODINGS[given.get("e") ?? "s"];
  if (!encoding) throw new CommandError(`invalid encoding: ${given.get("e")}`);
  for (const name of tool.inputs) {
    try {
      await scan(tool, name, { least, base: radix === undefined ? undefined : BASES[radix], ...encoding });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      tool.report(error.code === "ENOENT" ? `'${name}': No such file` : `${name}: ${reasonOf(error)}`);
    }
  }
}, (args) => args.map((arg) => /^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg));

interface Scan {
  least: number;
  base: number | undefined;
  size: number;
  little: boolean;
  high: boolean;
}

async function scan(tool: Tool, name: string, { least, base, size, little, high }: Scan): Promise<void> {
  const bytes = await tool.readFile(name);
  const wide = tool.given.has("w");
  const end = tool.given.get("s") ?? "\n";
  const head = tool.given.has("f") ? `${name === "-" ? "{standard input}" : name}: ` : "";
  let text = "";
  let start = 0;
  const finish = () => {
    if (text.length >= least) {
      const address = base === undefined ? "" : `${start.toString(base).padStart(7)} `;
      tool.print(`${head}${address}${high ? decodeText(text) : text}${end}`);
    }
    text = "";
  };
  for (let at = 0; at + size <= bytes.length;) {
    if (at % 65536 === 0) await tool.attend();
    const code = codeAt(bytes, at, size, little);
    if (code >= 32 && code < 127 || code === 9 || high && code >= 128 && code < 256 || wide && isSpace(code)) {
      if (text === "") start = at;
      text += String.fromCharCode(code);
      at += size;
      continue;
    }
    finish();
    // A wide character may begin at any byte.
    at += 1;
  }
  finish();
}

function isSpace(code: number): boolean {
  return code >= 10 && code <= 13;
}

function codeAt(bytes: Uint8Array, at: number, size: number, little: boolean): number {
  let code = 0;
  for (let i = 0; i < size; i++) code = code * 256 + bytes[at + (little ? size - 1 - i : i)];
  return code;
}

export const commands = [strings];
