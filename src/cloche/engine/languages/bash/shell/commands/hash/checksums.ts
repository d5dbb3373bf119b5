/** md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { blake2b, md5, sha224 } from "./digests.ts";

type Digest = (data: Uint8Array<ArrayBuffer>, bits: number) => Uint8Array | Promise<ArrayBuffer>;

const USAGE = {
  letters: "bctwz",
  long: {
    binary: "b",
    check: "c",
    text: "t",
    warn: "w",
    zero: "z",
    tag: "tag",
    quiet: "quiet",
    status: "status",
    strict: "strict",
    "ignore-missing": "missing",
  },
};

function define(name: string, tag: string, bits: number, digest: Digest) {
  const withLength = name === "b2sum";
  const usage = withLength ? { letters: `${USAGE.letters}l:`, long: { ...USAGE.long, "length=": "l" } } : USAGE;
  return defineTool(name, usage, async (tool) => {
    const { given } = tool;
    const length = Number(given.get("l") ?? bits) || bits;
    if (length % 8 !== 0) {
      throw new CommandError(`invalid length: '${given.get("l")}'\n${name}: length is not a multiple of 8`);
    }
    if (length > bits) {
      throw new CommandError(
        `invalid length: '${given.get("l")}'\n${name}: maximum digest length for 'BLAKE2b' is 512 bits`,
      );
    }
    const check = given.has("c");
    for (const key of ["quiet", "status", "strict", "w", "missing"]) {
      const label = key === "w" ? "warn" : key === "missing" ? "ignore-missing" : key;
      if (given.has(key) && !check) {
        throw new UsageError(`the --${label} option is meaningful only when verifying checksums`);
      }
    }
    const sum = async (path: string, size: number) =>
      toHex(await digest(Uint8Array.from(await tool.readFile(path)), size));
    if (check) {
      for (const list of tool.inputs) await verify(tool, list, tag, { bits, withLength }, sum);
      return tool.code;
    }
    const end = given.has("z") ? "\0" : "\n";
    await tool.eachFile(tool.inputs, async (_, path) => {
      const hex = await sum(path, length);
      const [mark, shown] = given.has("z") ? ["", path] : escapeName(path);
      if (given.has("tag")) {
        const label = withLength && length < bits ? `${tag}-${length}` : tag;
        tool.out.write(`${mark}${label} (${shown}) = ${hex}${end}`);
      } else tool.out.write(`${mark}${hex} ${given.last("b", "t") === "b" ? "*" : " "}${shown}${end}`);
      await tool.attend();
    });
  });
}

export function toHex(hash: Uint8Array | ArrayBuffer): string {
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function escapeName(name: string): [mark: string, shown: string] {
  if (!/[\\\n\r]/.test(name)) return ["", name];
  return ["\\", name.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/\r/g, "\\r")];
}

/** Compares files with the sums in a list. */
export async function verify(
  tool: Tool,
  list: string,
  tag: string,
  { bits, withLength }: { bits: number; withLength: boolean },
  sum: (path: string, size: number) => Promise<string>,
): Promise<void> {
  const { given } = tool;
  const status = given.has("status");
  let [failed, unreadable, wrong, right, matched] = [0, 0, 0, 0, 0];
  const shownList = list === "-" ? "'standard input'" : list;
  const lines = (await tool.readText(list)).replace(/\n$/, "").split("\n");
  for (const [i, line] of lines.entries()) {
    if (line === "" || line.startsWith("#")) continue;
    const entry = readEntry(line, tag, bits, withLength);
    if (!entry) {
      wrong++;
      if (given.has("w")) tool.complain(`${list}: ${i + 1}: improperly formatted ${tag} checksum line`);
      continue;
    }
    right++;
    const [mark, shown] = escapeName(entry.path);
    try {
      const good = await sum(entry.path, entry.hex.length * 4) === entry.hex;
      if (good) matched++;
      else failed++;
      if (!status && !(good && given.has("quiet"))) tool.out.write(`${mark}${shown}: ${good ? "OK" : "FAILED"}\n`);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (given.has("missing") && error.code === "ENOENT") continue;
      unreadable++;
      tool.complain(`${entry.path}: ${reasonOf(error)}`);
      if (!status) tool.out.write(`${mark}${shown}: FAILED open or read\n`);
    }
  }
  const warn = (count: number, one: string, many: string) => {
    if (count > 0 && !status) tool.complain(`WARNING: ${count} ${count === 1 ? one : many}`);
  };
  await tool.out.flush();
  if (right === 0) {
    tool.report(`${shownList}: no properly formatted checksum lines found`);
    return;
  }
  warn(wrong, "line is improperly formatted", "lines are improperly formatted");
  warn(unreadable, "listed file could not be read", "listed files could not be read");
  warn(failed, "computed checksum did NOT match", "computed checksums did NOT match");
  const unverified = given.has("missing") && matched === 0;
  if (unverified && !status) tool.complain(`${shownList}: no file was verified`);
  if (unverified || failed > 0 || unreadable > 0 || wrong > 0 && given.has("strict")) tool.code = 1;
}

function readEntry(
  line: string,
  tag: string,
  bits: number,
  withLength: boolean,
): { hex: string; path: string } | undefined {
  const escaped = line.startsWith("\\");
  const text = escaped ? line.slice(1) : line;
  const tagged = /^(\S+) \((.*)\) = ([0-9a-fA-F]+)$/.exec(text);
  const plain = /^([0-9a-fA-F]+) [ *]?(.+)$/.exec(text);
  const [hex, path] = tagged && tagged[1].replace(/-\d+$/, "") === tag
    ? [tagged[3], tagged[2]]
    : plain
    ? [plain[1], plain[2]]
    : ["", ""];
  if (hex === "" || (withLength ? hex.length * 4 > bits || hex.length % 2 !== 0 : hex.length * 4 !== bits)) {
    return undefined;
  }
  const unescape = (name: string) => name.replace(/\\([\\nr])/g, (_, c) => c === "n" ? "\n" : c === "r" ? "\r" : "\\");
  return { hex: hex.toLowerCase(), path: escaped ? unescape(path) : path };
}

const native = (algorithm: string): Digest => (data) => crypto.subtle.digest(algorithm, data);

/** The algorithms of SHA by their number. */
export const SHA: Record<string, Digest> = {
  "1": native("SHA-1"),
  "224": sha224,
  "256": native("SHA-256"),
  "384": native("SHA-384"),
  "512": native("SHA-512"),
};

export const commands = [
  define("md5sum", "MD5", 128, md5),
  define("sha1sum", "SHA1", 160, SHA["1"]),
  define("sha224sum", "SHA224", 224, SHA["224"]),
  define("sha256sum", "SHA256", 256, SHA["256"]),
  define("sha384sum", "SHA384", 384, SHA["384"]),
  define("sha512sum", "SHA512", 512, SHA["512"]),
  define("b2sum", "BLAKE2b", 512, (data, bits) => blake2b(data, bits / 8)),
];
