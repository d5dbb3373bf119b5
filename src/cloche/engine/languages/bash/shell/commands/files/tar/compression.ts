/** Compressed archives: gzip by the platform, the others by their programs. */
import type { FileTool } from "../file_tool.ts";
import { CommandError } from "../../tool/errors.ts";
import type { Tool } from "../../tool/tool.ts";
import { makePipe } from "../../../descriptors/pipe.ts";
import type { OpenStream } from "../../../descriptors/stream.ts";

const CHUNK = 65_536;

export type Compressor = { kind: "none" } | { kind: "gzip" } | { kind: "program"; words: string[] };

export const NONE: Compressor = { kind: "none" };
const GZIP: Compressor = { kind: "gzip" };
const ENDINGS: [RegExp, Compressor][] = [
  [/\.(gz|tgz|taz)$/, GZIP],
  [/\.(bz2|tbz2?|tz2)$/, program("bzip2")],
  [/\.(xz|txz)$/, program("xz")],
  [/\.(lzma|tlz)$/, program("lzma")],
  [/\.(zst|tzst)$/, program("zstd")],
  [/\.Z$/, program("compress")],
];
const STARTS: [number[], Compressor][] = [
  [[0x1f, 0x8b], GZIP],
  [[0x42, 0x5a, 0x68], program("bzip2")],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], program("xz")],
  [[0x28, 0xb5, 0x2f, 0xfd], program("zstd")],
];

function program(...words: string[]): Compressor {
  return { kind: "program", words };
}

export function compressorByOption({ given }: FileTool, file: string): Compressor | undefined {
  const last = given.last("z", "j", "J", "Z", "I", "a", "zstd", "lzma");
  switch (last) {
    case "z":
      return GZIP;
    case "j":
      return program("bzip2");
    case "J":
      return program("xz");
    case "Z":
      return program("compress");
    case "zstd":
    case "lzma":
      return program(last);
    case "I":
      return program(...(given.get("I") ?? "").split(/\s+/));
    case "a":
      return ENDINGS.find(([ending]) => ending.test(file))?.[1] ?? NONE;
    default:
      return undefined;
  }
}

/** How an archive begins says what it is compressed with. */
export function compressorByBytes(bytes: Uint8Array): Compressor {
  return STARTS.find(([start]) => start.every((byte, i) => bytes[i] === byte))?.[1] ?? NONE;
}

function checkProgram(tool: Tool, words: string[]): void {
  if (!tool.context.has(words[0])) throw new CommandError(`${words[0]}: Cannot exec: No such file or directory`, 2);
}

/** What a compressed stream holds. */
export async function* decompress(
  tool: Tool,
  compressor: Compressor,
  input: OpenStream,
): AsyncGenerator<Uint8Array> {
  if (compressor.kind === "program") {
    checkProgram(tool, compressor.words);
    const output = makePipe();
    const fds = tool.context.fds.fork();
    const source = makePipe();
    fds.set(0, source.reader);
    fds.set(1, output.writer);
    const child = tool.context.spawn([...compressor.words, "-dc"], { fds });
    const fed = pump(input, source.writer);
    yield* chunksOf(output.reader);
    output.reader.close();
    await fed.catch(() => {});
    if (await child.done !== 0) {
      throw new CommandError("Child returned status 1\nError is not recoverable: exiting now", 2);
    }
    return;
  }
  if (compressor.kind === "none") return yield* chunksOf(input);
  const stream = new DecompressionStream("gzip");
  const writer = stream.writable.getWriter();
  let isOther = false;
  const fed = (async () => {
    let isFirst = true;
    for await (const chunk of chunksOf(input)) {
      isOther ||= isFirst && compressorByBytes(chunk) !== GZIP;
      isFirst = false;
      await writer.write(chunk.slice());
    }
    await writer.close();
  })();
  fed.catch(() => {});
  try {
    for await (const chunk of stream.readable) yield chunk;
    await fed;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    tool.say(`\ngzip: stdin: ${isOther ? "not in gzip format" : "unexpected end of file"}`);
    throw new CommandError("Child returned status 1\nError is not recoverable: exiting now", 2);
  }
}

async function* chunksOf(stream: OpenStream): AsyncGenerator<Uint8Array> {
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) yield chunk;
}

async function pump(from: OpenStream, to: OpenStream): Promise<void> {
  try {
    for await (const chunk of chunksOf(from)) await to.write(chunk);
  } finally {
    to.close();
  }
}

/** Where an archive is written to. */
export interface ArchiveSink {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}

export function compress(tool: FileTool, compressor: Compressor, output: OpenStream): ArchiveSink {
  if (compressor.kind === "none") {
    return { write: async (bytes) => void await output.write(bytes), finish: () => Promise.resolve() };
  }
  if (compressor.kind === "program") return compressBy(tool, compressor.words, output);
  const stream = new CompressionStream("gzip");
  const writer = stream.writable.getWriter();
  const done = (async () => {
    for await (const chunk of stream.readable) await output.write(chunk);
  })();
  done.catch(() => {});
  return {
    write: (bytes) => Promise.race([writer.write(bytes.slice()), done]),
    async finish() {
      await writer.close();
      await done;
    },
  };
}

function compressBy(tool: FileTool, words: string[], output: OpenStream): ArchiveSink {
  checkProgram(tool, words);
  const [input, result] = [makePipe(), makePipe()];
  const fds = tool.context.fds.fork();
  fds.set(0, input.reader);
  fds.set(1, result.writer);
  const child = tool.context.spawn([...words, ...words.length === 1 ? ["-c"] : []], { fds });
  const done = (async () => {
    for await (const chunk of chunksOf(result.reader)) await output.write(chunk);
  })();
  done.catch(() => {});
  return {
    write: async (bytes) => void await input.writer.write(bytes),
    async finish() {
      input.writer.close();
      await done;
      if (await child.done !== 0) {
        throw new CommandError("Child returned status 1\nError is not recoverable: exiting now", 2);
      }
    },
  };
}
