/** dd. */
import { FileError } from "../../../../../fs/files.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { complain } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { convertBlock } from "./dd_convert.ts";

const NUMBERS = ["bs", "ibs", "obs", "cbs", "count", "skip", "iseek", "seek", "oseek"];
const CONVERSIONS =
  "notrunc sync ucase lcase swab noerror nocreat excl fsync fdatasync block unblock sparse ascii ebcdic ibm".split(" ");
const FLAGS =
  "append direct directory dsync sync fullblock nonblock noatime nocache noctty nofollow count_bytes skip_bytes seek_bytes"
    .split(" ");
const UNITS: Record<string, number> = { "": 1, c: 1, w: 2, b: 512, kB: 1000, K: 1024, k: 1024, KiB: 1024 };
["M", "G", "T", "P"].forEach((letter, i) => {
  UNITS[letter] = UNITS[`${letter}iB`] = 1024 ** (i + 2);
  UNITS[`${letter}B`] = 1000 ** (i + 2);
});
const LARGEST = 2 ** 30;

interface Plan {
  words: Record<string, string>;
  conv: Set<string>;
  iflag: Set<string>;
  oflag: Set<string>;
  ibs: number;
  obs: number;
  status: string;
}

interface Counts {
  full: number;
  part: number;
  outFull: number;
  outPart: number;
  bytes: number;
}

/** 10, 4k, 2x512. */
function numberOf(text: string): number {
  const value = text.trimStart().split("x").reduce((product, part) => {
    const [, digits, unit] = /^(\d+)(\w*?)B?$/.exec(part) ?? [];
    const [, whole] = /^\d+(\w*)$/.exec(part) ?? [];
    const factor = UNITS[whole ?? "?"] ?? (unit === undefined ? undefined : UNITS[unit]);
    if (digits === undefined || factor === undefined) throw new CommandError(`invalid number: '${text}'`);
    return product * Number(digits) * factor;
  }, 1);
  if (!Number.isSafeInteger(value)) {
    throw new CommandError(`invalid number: '${text}': Value too large for defined data type`);
  }
  return value;
}

function listOf(text: string | undefined, known: string[], what: string): Set<string> {
  const words = (text ?? "").split(",").filter((word) => word !== "");
  const wrong = words.find((word) => !known.includes(word));
  if (wrong !== undefined) throw new UsageError(`invalid ${what}: '${wrong}'`, 1);
  return new Set(words);
}

function parsePlan(args: readonly string[]): Plan {
  const words: Record<string, string> = {};
  for (const arg of args) {
    const at = arg.indexOf("=");
    const name = arg.slice(0, at);
    const known = [...NUMBERS, "if", "of", "conv", "iflag", "oflag", "status"].includes(name);
    if (at < 0 || !known) throw new UsageError(`unrecognized operand '${arg}'`, 1);
    const joins = ["conv", "iflag", "oflag"].includes(name) && words[name] !== undefined;
    words[name] = joins ? `${words[name]},${arg.slice(at + 1)}` : arg.slice(at + 1);
  }
  words.skip ??= words.iseek;
  words.seek ??= words.oseek;
  for (const name of NUMBERS) {
    if (words[name] === undefined || name === "iseek" || name === "oseek") continue;
    const size = numberOf(words[name]);
    if (/bs$/.test(name) && (size === 0 || size > LARGEST)) throw new CommandError(`invalid number: '${words[name]}'`);
  }
  const status = words.status ?? "";
  if (!["", "none", "noxfer", "progress"].includes(status)) {
    throw new UsageError(`invalid status level: '${status}'`, 1);
  }
  const conv = listOf(words.conv, CONVERSIONS, "conversion");
  for (const name of ["ascii", "ebcdic", "ibm"]) {
    if (conv.has(name)) throw new CommandError(`conv=${name} is not available`);
  }
  if (conv.has("ucase") && conv.has("lcase")) throw new CommandError("cannot combine lcase and ucase");
  return {
    words,
    conv,
    iflag: listOf(words.iflag, FLAGS, "input flag"),
    oflag: listOf(words.oflag, FLAGS, "output flag"),
    ibs: numberOf(words.bs ?? words.ibs ?? "512"),
    obs: numberOf(words.bs ?? words.obs ?? "512"),
    status,
  };
}

export const dd: Command = {
  name: "dd",
  async run(context) {
    try {
      return await copy(context, parsePlan(context.argv.slice(1)));
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof FileError)) throw error;
      complain(context, `dd: ${error instanceof CommandError ? error.message : reasonOf(error)}`);
      return 1;
    }
  },
};

function openInput(context: CommandContext, plan: Plan): OpenStream {
  const path = plan.words.if;
  if (path === undefined) return context.fds.get(0);
  try {
    return context.open(path, { read: true, write: false });
  } catch (error) {
    throw new CommandError(`failed to open '${path}': ${reasonOf(error)}`);
  }
}

function openOutput(context: CommandContext, plan: Plan, seek: number): OpenStream {
  const path = plan.words.of;
  const { conv } = plan;
  if (path === undefined) return context.fds.get(1);
  try {
    const append = plan.oflag.has("append");
    const exclusive = conv.has("excl");
    // With seek=, the blocks before it stay.
    const truncate = !conv.has("notrunc") && seek < plan.obs;
    const flags = { read: false, write: true, create: !conv.has("nocreat"), truncate, append, exclusive };
    const stream = context.open(path, flags);
    if (!conv.has("notrunc") && seek >= plan.obs && stream.kind === "file") stream.truncate(seek);
    return stream;
  } catch (error) {
    throw new CommandError(`failed to open '${path}': ${reasonOf(error)}`);
  }
}

async function skipInput(input: OpenStream, bytes: number): Promise<void> {
  if (bytes === 0) return;
  if (input.kind === "file") {
    try {
      input.seek(bytes, "current");
      return;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }
  for (let left = bytes; left > 0;) {
    const chunk = await input.read(Math.min(left, 65536));
    if (chunk === undefined) return;
    left -= chunk.length;
  }
}

/** One read of the input, which a pipe may cut short; with `whole`, as many as it takes. */
async function readBlock(input: OpenStream, size: number, whole: boolean): Promise<Uint8Array | undefined> {
  const first = await input.read(size);
  if (first === undefined || first.length === size || !whole) return first;
  const block = new Uint8Array(size);
  block.set(first);
  let filled = first.length;
  while (filled < size) {
    const more = await input.read(size - filled);
    if (more === undefined) break;
    block.set(more, filled);
    filled += more.length;
  }
  return block.subarray(0, filled);
}

async function copy(context: CommandContext, plan: Plan): Promise<number> {
  const { words, ibs, obs, iflag, oflag, conv } = plan;
  const seek = numberOf(words.seek ?? "0") * (oflag.has("seek_bytes") || /B$/.test(words.seek ?? "") ? 1 : obs);
  const input = openInput(context, plan);
  const output = openOutput(context, plan, seek);
  const started = performance.now();
  const counts: Counts = { full: 0, part: 0, outFull: 0, outPart: 0, bytes: 0 };
  try {
    const inBytes = (name: string, flag: string) => iflag.has(flag) || /B$/.test(words[name] ?? "");
    await skipInput(input, numberOf(words.skip ?? "0") * (inBytes("skip", "skip_bytes") ? 1 : ibs));
    if (seek > 0) seekOutput(output, seek, words.of);
    const limit = words.count === undefined ? Infinity : numberOf(words.count);
    await copyBlocks(context, plan, input, output, counts, inBytes("count", "count_bytes") ? limit : limit * ibs);
    if (conv.has("fsync")) output.stat();
  } finally {
    if (words.if !== undefined) input.close();
    if (words.of !== undefined) output.close();
  }
  report(context, plan, counts, (performance.now() - started) / 1000);
  return 0;
}

function seekOutput(output: OpenStream, seek: number, path: string | undefined): void {
  try {
    output.seek(seek, path === undefined ? "current" : "start");
  } catch (error) {
    throw new CommandError(`'${path ?? "standard output"}': cannot seek: ${reasonOf(error)}`);
  }
}

async function copyBlocks(
  context: CommandContext,
  plan: Plan,
  input: OpenStream,
  output: OpenStream,
  counts: Counts,
  most: number,
): Promise<void> {
  const { ibs, obs, conv, iflag } = plan;
  const byBlocks = plan.words.count !== undefined && !iflag.has("count_bytes");
  const blocks = byBlocks ? most / ibs : Infinity;
  const direct = plan.words.bs !== undefined || ibs === obs;
  const whole = iflag.has("fullblock") || input.kind === "file" || input.kind === "device";
  let pending = new Uint8Array();
  let breathed = performance.now();
  const write = async (data: Uint8Array) => {
    await output.write(data.slice());
    counts.bytes += data.length;
    if (data.length === obs) counts.outFull++;
    else counts.outPart++;
  };
  for (let done = 0, read = 0; done < blocks && read < most; done++) {
    if (performance.now() - breathed > 16) {
      await new Promise((resolve) => setTimeout(resolve));
      breathed = performance.now();
    }
    context.signal.throwIfAborted();
    const block = await readBlock(input, Math.min(ibs, most - read), whole);
    if (block === undefined) break;
    read += block.length;
    if (block.length === ibs) counts.full++;
    else counts.part++;
    const converted = convertBlock(block, ibs, conv, Number(plan.words.cbs ?? 0));
    if (direct) {
      await write(converted);
      continue;
    }
    const joined: Uint8Array<ArrayBuffer> = new Uint8Array(pending.length + converted.length);
    joined.set(pending);
    joined.set(converted, pending.length);
    pending = joined;
    while (pending.length >= obs) {
      await write(pending.subarray(0, obs));
      pending = pending.subarray(obs);
    }
  }
  if (pending.length > 0) await write(pending);
}

function report(context: CommandContext, { status }: Plan, counts: Counts, seconds: number): void {
  if (status === "none") return;
  const { full, part, outFull, outPart, bytes } = counts;
  const lines = [`${full}+${part} records in`, `${outFull}+${outPart} records out`];
  if (status !== "noxfer") lines.push(transfer(bytes, Math.max(seconds, 1e-6)));
  complain(context, lines.join("\n"));
}

function scaled(value: number, base: number, names: string[]): string {
  let [rest, step] = [value, 0];
  while (rest >= base && step < names.length - 1) {
    rest /= base;
    step++;
  }
  const digits = step === 0 ? 0 : rest < 9.95 ? 1 : 0;
  return `${rest.toFixed(digits)} ${names[step]}`;
}

function transfer(bytes: number, seconds: number): string {
  const decimal = scaled(bytes, 1000, ["B", "kB", "MB", "GB", "TB"]);
  const binary = scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
  const sizes = bytes < 1000 ? "" : bytes < 1024 ? ` (${decimal})` : ` (${decimal}, ${binary})`;
  const speed = scaled(bytes / seconds, 1000, ["B", "kB", "MB", "GB", "TB"]);
  return `${bytes} byte${bytes === 1 ? "" : "s"}${sizes} copied, ${Number(seconds.toPrecision(6))} s, ${speed}/s`;
}
