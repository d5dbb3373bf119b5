/** file: says what a file is by its contents. */
import { isFifo } from "../modes.ts";
import type { Stat } from "../../../../../../fs/files.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { concatBytes } from "../../../../../../text/bytes.ts";
import type { OpenStream } from "../../../descriptors/stream.ts";
import { defineFileTool, type FileTool } from "../file_tool.ts";
import { attempt, codeOf, decodeBytes } from "../paths.ts";
import { describeMagic } from "./magic.ts";
import { describeText } from "./text.ts";

const GRAMMAR = {
  letters: "bdEf:F:hiIkLm:nNpP:rsz0",
  long: {
    brief: "b",
    "files-from=": "f",
    "separator=": "F",
    "no-dereference": "h",
    mime: "i",
    "mime-type": "mime-type",
    "mime-encoding": "mime-encoding",
    "keep-going": "k",
    dereference: "L",
    "no-buffer": "n",
    "no-pad": "N",
    "preserve-date": "p",
    raw: "r",
    "special-files": "s",
    print0: "0",
    extension: "extension",
  },
  synopsis: "[OPTION...] [FILE...]",
};
/** As much of a file as is looked at. */
const HEAD = 1 << 20;

interface Found {
  text: string;
  mime: string;
  charset: string;
}

export const file = defineFileTool("file", GRAMMAR, async (tool) => {
  const { given } = tool;
  const listed = given.all("f").flatMap((name) =>
    decodeBytes(tool.files.readFile(tool.path(name))).split("\n").filter((line) => line !== "")
  );
  const names = [...listed, ...tool.operands];
  if (names.length === 0) {
    tool.say("Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]");
    tool.say("            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]");
    tool.say("            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]");
    tool.say("            <file> ...");
    return 1;
  }
  const shown = names.map((name) => name === "-" ? "/dev/stdin" : name);
  const width = Math.max(...shown.map((name) => name.length));
  for (const [i, name] of names.entries()) {
    await tool.attend();
    const description = choose(tool, await describe(tool, name));
    const separator = given.get("F") ?? ":";
    const pad = given.has("N") ? "" : " ".repeat(width - shown[i].length);
    const lead = given.has("b")
      ? ""
      : given.has("0")
      ? `${shown[i]}\0${separator}${pad} `
      : `${shown[i]}${separator}${pad} `;
    tool.print(`${lead}${description}\n`);
  }
});

function choose({ given }: FileTool, { text, mime, charset }: Found): string {
  if (mime === "") return text;
  if (given.has("i")) return `${mime}; charset=${charset}`;
  if (given.has("mime-type")) return mime;
  return given.has("mime-encoding") ? charset : text;
}

/** Numbers of devices, as Linux has them. */
const DEVICES: Record<string, string> = {
  "/dev/null": "1/3",
  "/dev/zero": "1/5",
  "/dev/full": "1/7",
  "/dev/random": "1/8",
  "/dev/urandom": "1/9",
  "/dev/tty": "5/0",
};

/** What the beginning of an input says, which may have no end. */
async function describeInput(stream: OpenStream): Promise<Found> {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD) {
    const chunk = await stream.read(HEAD - size);
    if (chunk === undefined) break;
    parts.push(chunk);
    size += chunk.length;
  }
  return describeBytes(concatBytes(parts), size < HEAD);
}

function special(text: string, mime: string): Found {
  return { text, mime, charset: "binary" };
}

async function describe(tool: FileTool, name: string): Promise<Found> {
  if (name === "-") return await describeInput(tool.context.fds.get(0));
  let stat: Stat;
  try {
    stat = tool.lstat(name);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return special(`cannot open \`${name}' (${reasonOf(error)})`, "");
  }
  if (stat.kind === "link") {
    const target = tool.files.readLink(tool.path(name));
    const reached = attempt(() => tool.stat(name));
    if (!reached) return special(`broken symbolic link to ${target}`, "inode/symlink");
    const follow = tool.given.last("L", "h") === "L";
    if (!follow) return special(`symbolic link to ${target}`, "inode/symlink");
    stat = reached;
  }
  if (stat.kind === "directory") return special("directory", "inode/directory");
  if (isFifo(stat)) return special("fifo (named pipe)", "inode/fifo");
  if (stat.kind === "other") {
    return special(`character special (${DEVICES[tool.files.realPath(tool.path(name))] ?? "1/3"})`, "inode/chardevice");
  }
  if (stat.size === 0) return special("empty", "inode/x-empty");
  const found = await readHead(tool, name, stat.size);
  return typeof found === "string" ? special(found, "") : found;
}

async function readHead(tool: FileTool, name: string, size: number): Promise<Found | string> {
  try {
    const stream = tool.files.open(tool.path(name), { read: true, write: false });
    try {
      const head = await stream.read(HEAD) ?? new Uint8Array();
      const found = describeBytes(head, size <= HEAD);
      if (!found.text.startsWith("gzip compressed data")) return found;
      stream.seek(-4, "end");
      const tail = await stream.read(4);
      if (tail?.length !== 4) return found;
      const original = new DataView(tail.buffer, tail.byteOffset, 4).getUint32(0, true);
      return { ...found, text: `${found.text}, original size modulo 2^32 ${original}` };
    } finally {
      stream.close();
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return `regular file, no read permission`;
  }
}

function describeBytes(bytes: Uint8Array, whole: boolean): Found {
  if (bytes.length === 0) return special("empty", "inode/x-empty");
  if (bytes.length === 1) return special("very short file (no magic)", "application/octet-stream");
  const magic = describeMagic(bytes);
  if (magic) return { ...magic, charset: "binary" };
  return describeText(bytes, whole) ?? special("data", "application/octet-stream");
}
