/** wc. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { BYTES, CHUNK } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { widthOf } from "../layout/width.ts";

const USAGE = {
  letters: "clmwL",
  long: {
    bytes: "c",
    chars: "m",
    lines: "l",
    words: "w",
    "max-line-length": "L",
    "files0-from=": "files0",
    "total=": "total",
  },
};

interface Counts {
  l: number;
  w: number;
  m: number;
  c: number;
  L: number;
}

const ORDER = ["l", "w", "m", "c", "L"] as const;

const wc = defineTool("wc", USAGE, async (tool) => {
  const { given } = tool;
  const chosen = ORDER.filter((key) => given.has(key));
  const columns = chosen.length > 0 ? chosen : (["l", "w", "c"] as const).slice();
  const names = await namesOf(tool);
  const rows: { counts: Counts; name: string | undefined }[] = [];
  let piped = false;
  for (const name of names) {
    let stream: OpenStream | undefined;
    try {
      stream = tool.open(name ?? "-");
      // Of text in memory too it is not known beforehand how long it is.
      piped ||= stream.kind !== "file" || stream.path === undefined;
      rows.push({ counts: await count(tool, stream, columns), name });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      tool.report(`${name}: ${reasonOf(error)}`);
      if (error.code === "EISDIR") rows.push({ counts: { l: 0, w: 0, m: 0, c: 0, L: 0 }, name });
    } finally {
      if (name !== undefined && name !== "-") stream?.close();
    }
  }
  const total: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
  for (const { counts } of rows) {
    for (const key of ORDER) total[key] = key === "L" ? Math.max(total.L, counts.L) : total[key] + counts[key];
  }
  const when = given.get("total") ?? "auto";
  if (!["auto", "always", "only", "never"].includes(when)) {
    throw new CommandError(`invalid argument '${when}' for '--total'`);
  }
  const lone = columns.length === 1 && names.length === 1;
  const width = when === "only" || lone ? 1 : piped ? 7 : String(total.c).length;
  const write = (counts: Counts, name: string | undefined) => {
    const cells = columns.map((key) => String(counts[key]).padStart(width)).join(" ");
    tool.out.write(`${cells}${name === undefined ? "" : ` ${name}`}\n`);
  };
  if (when !== "only") { for (const { counts, name } of rows) write(counts, name); }
  if (when === "only") write(total, undefined);
  else if (when === "always" || when === "auto" && names.length > 1) write(total, "total");
});

async function namesOf(tool: Tool): Promise<(string | undefined)[]> {
  const list = tool.given.get("files0");
  if (list !== undefined) return (await tool.readText(list)).replace(/\0$/, "").split("\0");
  return tool.given.operands.length > 0 ? tool.given.operands : [undefined];
}

async function count(tool: Tool, stream: OpenStream, columns: readonly string[]): Promise<Counts> {
  const counts: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
  const asBytes = tool.coding === BYTES;
  const reads = columns.some((key) => "wL".includes(key));
  let inWord = false;
  let rest = new Uint8Array();
  let column = 0;
  for (;;) {
    const read = stream.read(CHUNK);
    const chunk = read instanceof Promise ? await read : read;
    if (chunk === undefined) break;
    const turn = tool.attend();
    if (turn instanceof Promise) await turn;
    counts.c += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) counts.l++;
    if (asBytes) counts.m += chunk.length;
    else for (const byte of chunk) if ((byte & 0xc0) !== 0x80) counts.m++;
    if (!reads) continue;
    // A character may be cut by the end of a piece; whole ones end before a byte that begins one.
    let end = chunk.length;
    while (end > 0 && end > chunk.length - 4 && chunk[end - 1] >= 0x80) end--;
    const bytes = new Uint8Array(rest.length + end);
    bytes.set(rest);
    bytes.set(chunk.subarray(0, end), rest.length);
    rest = chunk.slice(end);
    ({ inWord, column } = countWords(tool.coding.decode(bytes), counts, inWord, column));
  }
  if (reads) ({ column } = countWords(tool.coding.decode(rest), counts, inWord, column));
  counts.L = Math.max(counts.L, column);
  return counts;
}

function countWords(text: string, counts: Counts, inWord: boolean, column: number) {
  for (const char of text) {
    const code = char.charCodeAt(0);
    if (code === 10 || code === 13 || code === 12) {
      counts.L = Math.max(counts.L, column);
      column = 0;
      inWord = false;
    } else if (code === 32) {
      column++;
      inWord = false;
    } else if (code === 9) {
      column += 8 - column % 8;
      inWord = false;
    } else if (code === 11) inWord = false;
    else {
      const width = widthOf(char);
      column += width;
      if (!inWord && (width > 0 || code > 127)) {
        counts.w++;
        inWord = true;
      }
    }
  }
  return { inWord, column };
}

export const commands = [wc];
