/** Input for commands that take all of it at once: how much they need, and which of them can be fed piece by piece. */
import { concatBytes } from "../../../text/bytes.ts";
import { MAX_BYTES } from "./limits.ts";
import { Input } from "../shell/descriptors/input.ts";
import type { OpenStream } from "../shell/descriptors/stream.ts";

/** Bytes of an endless source after which a command that wants all of it fails. */
const ENDLESS_PART = 1 << 20;
/** Input that is longer than this is given in pieces, if that changes nothing. */
const PIECE = 1 << 20;
const CHUNK = 65536;

/** `sed 5q` reads five lines. */
const QUITS = /^(\d+)\s*q$/;
/** `s/a/b/g` and `y/a/b/` look at one line only. */
const SUBSTITUTES = /^(?:s([^\w\s]).*\1.*\1[gI]*|y([^\w\s]).*\2.*\2)$/;
const LINE_TOOLS = new Set(["cut", "rev", "expand", "unexpand", "fold"]);
const GREPS = new Set(["grep", "egrep", "fgrep"]);

/** Commands that ask: an answer per file. */
const ASKING = new Set(["rm", "mv", "cp", "ln"]);
const ANSWERS = 10_000;

/** A command wants all of an input that has no end. */
export class EndlessInput extends Error {
  override readonly name = "EndlessInput";
}

/** Whether each line is treated alone, so that the input can come in pieces of whole lines. */
export function worksByLine(name: string, args: readonly string[]): boolean {
  if (LINE_TOOLS.has(name)) return true;
  if (name === "tr") return !args.some((arg) => /^-[a-zA-Z]*s|^--squeeze/.test(arg));
  if (name === "sed") {
    const words = args.filter((arg) => !/^-[Eru]+$/.test(arg) && arg !== "-e");
    return words.length === 1 && SUBSTITUTES.test(words[0]);
  }
  return GREPS.has(name) && args.filter((arg) => arg.startsWith("-")).every((arg) => /^-[ivEFwxoahse]+$/.test(arg));
}

/** The lines that a command reads at most. */
function linesOf(name: string, args: readonly string[]): number {
  if (ASKING.has(name)) return ANSWERS;
  const words = name === "sed" ? args.filter((arg) => arg !== "-e" && arg !== "-n") : [];
  const [, lines] = words.length === 1 ? QUITS.exec(words[0]) ?? [] : [];
  return lines === undefined ? Infinity : Number(lines);
}

/** What was read, and whether more follows. */
export interface InputPiece {
  bytes: Uint8Array;
  more: boolean;
}

/** Reads what a command needs; by pieces of whole lines where it works by line. */
export async function readPiece(stream: OpenStream, name: string, args: readonly string[]): Promise<InputPiece> {
  const lines = linesOf(name, args);
  if (lines < Infinity) return { bytes: await readLines(stream, lines), more: false };
  const byLine = worksByLine(name, args);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= ENDLESS_PART && stream.endless !== undefined && !byLine) {
      throw new EndlessInput(explainEndless(stream.endless, name));
    }
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes of input`);
    const end = chunk.lastIndexOf(10);
    if (!byLine || size < PIECE || end < 0) continue;
    stream.unread(chunk.subarray(end + 1));
    parts[parts.length - 1] = chunk.subarray(0, end + 1);
    return { bytes: concatBytes(parts), more: true };
  }
  return { bytes: parts.length === 1 ? parts[0] : concatBytes(parts), more: false };
}

/** All that a stream has; of one that has no end the start, with the name of its source. */
export async function readStart(stream: OpenStream): Promise<{ bytes: Uint8Array; endless?: string }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await stream.read(CHUNK); chunk !== undefined; chunk = await stream.read(CHUNK)) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= ENDLESS_PART && stream.endless !== undefined) {
      return { bytes: concatBytes(parts), endless: stream.endless };
    }
    if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes of input`);
  }
  return { bytes: concatBytes(parts) };
}

/** Says why a result would be wrong. */
export function explainEndless(source: string, name: string): string {
  return `${name}: ${source} has no end, and ${name} takes all of its input at once`;
}

async function readLines(stream: OpenStream, count: number): Promise<Uint8Array> {
  const input = new Input(stream);
  const parts: Uint8Array[] = [];
  for (let left = count; left > 0; left--) {
    const line = await input.readLine();
    if (line === undefined) break;
    parts.push(line);
  }
  return concatBytes(parts);
}
