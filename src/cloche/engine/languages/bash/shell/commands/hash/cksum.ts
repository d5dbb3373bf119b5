/** cksum and sum. */
import { fromArray } from "../../../text/byte_strings.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { CHUNK } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n << 24;
  for (let k = 0; k < 8; k++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

/** Takes in bytes; the text for the sum and for the size comes at the end. */
interface Sum {
  add(bytes: Uint8Array): void;
  show(size: number): string;
}

function makeCrc(): Sum {
  let crc = 0;
  const add = (byte: number) => crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ byte];
  return {
    add: (bytes) => bytes.forEach(add),
    show(size) {
      for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) add(rest & 255);
      return `${~crc >>> 0} ${size}`;
    },
  };
}

function makeBsd(): Sum {
  let value = 0;
  return {
    add(bytes) {
      for (const byte of bytes) value = ((value >> 1) + ((value & 1) << 15) + byte) & 0xffff;
    },
    show: (size) => `${String(value).padStart(5, "0")} ${String(Math.ceil(size / 1024)).padStart(5)}`,
  };
}

function makeSysv(): Sum {
  let value = 0;
  return {
    add(bytes) {
      for (const byte of bytes) value = (value + byte) % 0x1_0000_0000;
    },
    show(size) {
      const folded = (value & 0xffff) + (value >>> 16);
      return `${(folded & 0xffff) + (folded >>> 16)} ${Math.ceil(size / 512)}`;
    },
  };
}

const SUMS: Record<string, () => Sum> = { crc: makeCrc, bsd: makeBsd, sysv: makeSysv };
/** Algorithms that have a program of their own. */
const PROGRAMS: Record<string, string> = {
  md5: "md5sum",
  sha1: "sha1sum",
  sha224: "sha224sum",
  sha256: "sha256sum",
  sha384: "sha384sum",
  sha512: "sha512sum",
  blake2b: "b2sum",
};

async function sumFiles(tool: Tool, kind: string): Promise<void> {
  const end = tool.given.has("z") ? "\0" : "\n";
  await tool.eachFile(tool.inputs, async (stream, name) => {
    const text = await sumStream(tool, stream, SUMS[kind]());
    tool.print(`${text}${tool.operands.length > 0 ? ` ${name}` : ""}${end}`);
  });
}

async function sumStream(tool: Tool, stream: OpenStream, sum: Sum): Promise<string> {
  let size = 0;
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    sum.add(chunk);
    size += chunk.length;
    await tool.attend();
  }
  return sum.show(size);
}

const CKSUM = {
  letters: "a:cl:zw",
  long: {
    "algorithm=": "a",
    check: "c",
    "length=": "l",
    tag: "tag",
    untagged: "untagged",
    zero: "z",
    warn: "w",
    quiet: "quiet",
    status: "status",
    strict: "strict",
    "ignore-missing": "ignore-missing",
  },
};
const PASSED = ["quiet", "status", "strict", "ignore-missing"];

const cksum = defineTool("cksum", CKSUM, async (tool) => {
  const { given } = tool;
  const kind = given.get("a") ?? (given.has("c") ? await detect(tool) : "crc");
  if (SUMS[kind]) {
    if (given.has("c")) throw new CommandError(`--check is not supported with --algorithm={bsd,sysv,crc}`);
    return await sumFiles(tool, kind);
  }
  const program = PROGRAMS[kind];
  if (program === undefined) {
    throw new UsageError(
      `invalid argument '${kind}' for '--algorithm'\nValid arguments are:\n${
        [...Object.keys(SUMS), ...Object.keys(PROGRAMS)].map((name) => `  - '${name}'`).join("\n")
      }`,
    );
  }
  const flags = PASSED.filter((name) => given.has(name)).map((name) => `--${name}`);
  if (given.has("l")) flags.push("-l", given.get("l") ?? "");
  if (given.has("c")) flags.push("-c", ...given.has("w") ? ["-w"] : []);
  else if (!given.has("untagged")) flags.push("--tag");
  if (given.has("z")) flags.push("-z");
  return await tool.context.spawn([program, ...flags, "--", ...tool.operands]).done;
});

/** The algorithm that a list of tagged sums names. */
async function detect(tool: Tool): Promise<string> {
  const [name] = tool.inputs;
  const text = name === "-" ? "" : fromArray(await tool.readFile(name));
  const tag = /^\\?([A-Za-z0-9]+)(?:-\d+)? \(/m.exec(text)?.[1].toLowerCase() ?? "";
  if (PROGRAMS[tag]) return tag;
  throw new CommandError(`${name}: no properly formatted checksum lines found`);
}

const sum = defineTool("sum", { letters: "rs", long: { sysv: "s" } }, async (tool) => {
  await sumFiles(tool, tool.given.last("r", "s") === "s" ? "sysv" : "bsd");
});

export const commands = [cksum, sum];
