/** What xz, bzip2 and zstd share: their options, their files and their messages. */
import { FileError } from "../../../../../fs/files.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { complain } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { Input } from "../../descriptors/input.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { BadData, type Breathe } from "./bits.ts";

export interface Format {
  /** The suffix that it adds, and those that it takes away, with what comes in their place. */
  suffix: string;
  suffixes: Record<string, string>;
  letters: string;
  long: Record<string, string>;
  /** Whether the original stays unless --rm is given. */
  keeps: boolean;
  encode(data: Uint8Array, level: number, breathe: Breathe): Promise<Uint8Array>;
  decode(data: Uint8Array, breathe: Breathe): Promise<Uint8Array>;
  level: number;
  /** The exit code for data that cannot be read. */
  badCode: number;
  /** Messages, with the name of the tool before them. */
  says: {
    unknownSuffix(file: string): string;
    exists(file: string): string;
    bad(file: string, reason: string): string;
    absent(file: string, reason: string): string;
    terminal?: string;
  };
}

interface Job {
  context: CommandContext;
  tool: string;
  format: Format;
  given: Given;
  decode: boolean;
  breathe: Breathe;
}

const BREATH_MS = 16;

/** Lets others run every few milliseconds. */
export function makeBreathe(signal: AbortSignal): Breathe {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < BREATH_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    last = performance.now();
    signal.throwIfAborted();
  };
}

/** A tool under one of its names; `flags` are those that the name stands for. */
export function compressionTool(name: string, flags: string[], format: Format): Command {
  const usage = { letters: format.letters, long: format.long };
  return defineTool(
    name,
    usage,
    ({ context, given }) => runTool(context, name, format, given),
    (args) => [...flags, ...args],
  );
}

async function runTool(context: CommandContext, tool: string, format: Format, given: Given): Promise<number> {
  const decode = (given.has("d") || given.has("t")) && !given.has("z");
  const job: Job = { context, tool, format, given, decode, breathe: makeBreathe(context.signal) };
  const names = given.operands.length > 0 ? given.operands : ["-"];
  let code = 0;
  for (const name of names) {
    context.signal.throwIfAborted();
    code = Math.max(code, await runOne(job, name));
  }
  return code;
}

async function runOne(job: Job, name: string): Promise<number> {
  const { context, tool, format } = job;
  const fail = (text: string, code = 1) => {
    if (!job.given.has("q") || code === 1) complain(context, `${tool}: ${text}`);
    return code;
  };
  const shown = name === "-" ? "(stdin)" : name;
  try {
    if (name === "-") return await copyStream(job);
    return await convertFile(job, name, fail);
  } catch (error) {
    if (error instanceof BadData) {
      complain(context, `${tool}: ${format.says.bad(shown, error.message)}`);
      return format.badCode;
    }
    if (error instanceof FileError) return fail(format.says.absent(shown, reasonOf(error)));
    throw error;
  }
}

async function convert(job: Job, data: Uint8Array): Promise<Uint8Array> {
  const { format, given, breathe } = job;
  if (job.decode) return await format.decode(data, breathe);
  const level = [..."0123456789"].findLast((digit) => given.has(digit));
  return await format.encode(data, level === undefined ? format.level : Number(level), breathe);
}

async function copyStream(job: Job): Promise<number> {
  const { context, given, format } = job;
  if (!job.decode && context.fds.get(1).kind === "terminal" && !given.has("f") && format.says.terminal !== undefined) {
    throw new CommandError(format.says.terminal);
  }
  const result = await convert(job, await new Input(context.fds.get(0)).readAll());
  const target = given.get("o");
  if (target !== undefined && target !== "-") writeFile(job, target, result, 0o666 & ~context.umask);
  else if (!given.has("t")) await context.fds.get(1).write(result);
  return 0;
}

async function convertFile(job: Job, name: string, fail: (text: string, code?: number) => number): Promise<number> {
  const { context, given, format } = job;
  const { files } = context;
  const path = context.files.resolve(context.cwd, name);
  const { kind, mode, mtime, atime, size } = files.stat(path);
  if (kind === "directory") return fail(`${name}: Is a directory${job.format.suffix === ".xz" ? ", skipping" : "."}`);
  const direct = given.has("c") || given.has("t");
  const target = direct ? undefined : given.get("o") ?? nameFor(job, name);
  if (!direct && target === undefined) return fail(format.says.unknownSuffix(name));
  if (
    !direct && !job.decode && !given.has("o") && format.suffixes[name.slice(name.lastIndexOf("."))] !== undefined &&
    format.suffix !== ".zst"
  ) {
    return fail(`${name}: File already has \`${format.suffix}' suffix, skipping`, 2);
  }
  if (target !== undefined && !given.has("f") && files.exists(context.files.resolve(context.cwd, target))) {
    return fail(format.says.exists(target));
  }
  const result = await convert(job, files.readFile(path));
  if (given.has("c")) await context.fds.get(1).write(result);
  if (target === undefined) return 0;
  writeFile(job, target, result, mode & 0o777);
  files.setTimes(context.files.resolve(context.cwd, target), atime, mtime);
  const removes = format.keeps ? given.has("R") : !given.has("k");
  if (removes) files.removeFile(path);
  if (given.has("v")) complain(context, describe(name, target, size, result.length));
  return 0;
}

function describe(name: string, target: string, before: number, after: number): string {
  return `${name}: ${before} bytes to ${after} bytes, ${target}`;
}

function nameFor(job: Job, name: string): string | undefined {
  const { format, given } = job;
  const suffix = given.get("S") ?? format.suffix;
  if (!job.decode) return name + suffix;
  if (given.has("S") && name.endsWith(suffix)) return name.slice(0, -suffix.length);
  for (const [end, instead] of Object.entries(format.suffixes)) {
    if (name.endsWith(end) && name.length > end.length) return name.slice(0, -end.length) + instead;
  }
  return undefined;
}

function writeFile(job: Job, name: string, data: Uint8Array, mode: number): void {
  const { context } = job;
  const path = context.files.resolve(context.cwd, name);
  const flags = { read: false, write: true, create: true, truncate: true };
  const file = context.files.open(path, flags, mode);
  try {
    file.write(data);
  } finally {
    file.close();
  }
  context.files.chmod(path, mode);
}
