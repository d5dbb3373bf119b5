/** head. */
import { defineTool } from "./tool/define.ts";
import { readCount } from "./tool/counts.ts";
import { complain } from "./tool/tool.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { concatBytes } from "../../../../text/bytes.ts";
import { encodeText, toArray } from "../../text/byte_strings.ts";
import { Input } from "../descriptors/input.ts";
import type { OpenStream } from "../descriptors/stream.ts";

const LONG = { lines: "n", bytes: "c", quiet: "q", silent: "q", verbose: "v", "zero-terminated": "z" };

interface Wanted {
  count: number;
  bytes: boolean;
  /** Everything but the last. */
  butLast: boolean;
  end: number;
}

const USAGE = { letters: "n:c:qvz", long: LONG };

export const head = defineTool("head", USAGE, async ({ context, given, inputs: names }) => {
  const bytes = given.last("n", "c") === "c";
  const word = given.get(bytes ? "c" : "n") ?? "10";
  const wanted: Wanted = {
    count: countOf(word, bytes),
    bytes,
    butLast: word.startsWith("-"),
    end: given.has("z") ? 0 : 10,
  };
  const titled = given.has("v") || names.length > 1 && !given.has("q");
  const out = context.fds.get(1);
  let code = 0;
  let first = true;
  for (const name of names) {
    let stream: OpenStream;
    try {
      stream = name === "-" ? context.fds.get(0) : context.open(name, { read: true, write: false });
    } catch (error) {
      complain(context, `head: cannot open '${name}' for reading: ${reasonOf(error)}`);
      code = 1;
      continue;
    }
    try {
      if (titled) {
        await out.write(toArray(encodeText(`${first ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n`)));
      }
      first = false;
      await (wanted.butLast
        ? copyButLast(stream, out, wanted)
        : wanted.bytes
        ? copyBytes(stream, out, wanted.count)
        : copyLines(stream, out, wanted));
    } finally {
      if (name !== "-") stream.close();
    }
  }
  return code;
}, nameCount);

/** `head -5` is `head -n 5`. */
function nameCount([first, ...rest]: string[]): string[] {
  const [, digits, flags] = /^-(\d+)([qvz]*)$/.exec(first ?? "") ?? [];
  if (digits === undefined) return first === undefined ? [] : [first, ...rest];
  return ["-n", digits, ...flags === "" ? [] : [`-${flags}`], ...rest];
}

function countOf(word: string, bytes: boolean): number {
  return readCount(word.replace(/^[-+]/, ""), `invalid number of ${bytes ? "bytes" : "lines"}`);
}

async function copyLines(from: OpenStream, to: OpenStream, { count, end }: Wanted): Promise<void> {
  for (let left = count; left > 0;) {
    const chunk = await from.read(65536);
    if (chunk === undefined) return;
    let at = 0;
    while (left > 0) {
      const next = chunk.indexOf(end, at);
      if (next < 0) break;
      at = next + 1;
      left--;
    }
    if (left > 0) await to.write(chunk);
    else {
      from.unread(chunk.subarray(at));
      await to.write(chunk.subarray(0, at));
    }
  }
}

async function copyBytes(from: OpenStream, to: OpenStream, count: number): Promise<void> {
  for (let left = count; left > 0;) {
    const chunk = await from.read(Math.min(left, 65536));
    if (chunk === undefined) return;
    left -= chunk.length;
    await to.write(chunk);
  }
}

async function copyButLast(from: OpenStream, to: OpenStream, { count, bytes, end }: Wanted): Promise<void> {
  if (bytes) {
    const all = await new Input(from).readAll();
    return void await to.write(all.subarray(0, Math.max(0, all.length - count)));
  }
  const kept: Uint8Array[] = [];
  const input = new Input(from);
  for (let line = await input.readLine(end); line !== undefined; line = await input.readLine(end)) {
    kept.push(line);
    if (kept.length > count) await to.write(kept.shift() ?? new Uint8Array());
  }
  if (count === 0) await to.write(concatBytes(kept));
}
