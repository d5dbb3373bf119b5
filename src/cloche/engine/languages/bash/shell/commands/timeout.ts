/** timeout. */
import { defineTool } from "./tool/define.ts";
import { CommandError, UsageError } from "./tool/errors.ts";
import { complain } from "./tool/tool.ts";
import { type CommandContext, Killed } from "../processes/command.ts";
import { nameOf, SIGKILL, signalName, signalNumber, SIGTERM } from "../processes/signals.ts";

const LONG = { signal: "s", "kill-after": "k", foreground: "f", "preserve-status": "p", verbose: "v" };
const UNITS: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86400 };
const MAX_TIMER_MS = 2 ** 31 - 1;
const TIMED_OUT = 124;
/** timeout itself failed. */
const FAILED = 125;

function secondsOf(word: string): number {
  const [, number, unit] = /^(\d+\.?\d*|\.\d+|inf(?:inity)?)([smhd]?)$/.exec(word) ?? [];
  if (number === undefined) throw new UsageError(`invalid time interval '${word}'`);
  return (number.startsWith("inf") ? Infinity : Number(number)) * UNITS[unit];
}

function signalOf(word: string): number {
  const name = signalName(word);
  const number = name === undefined ? undefined : signalNumber(name);
  if (number === undefined) throw new UsageError(`'${word}': invalid signal`);
  return number;
}

function isFolder({ files, cwd }: CommandContext, name: string): boolean {
  try {
    return files.stat(files.resolve(cwd, name)).kind === "directory";
  } catch {
    return false;
  }
}

const USAGE = { letters: "s:k:fpv", long: LONG, strict: true, code: FAILED };

export const timeout = defineTool("timeout", USAGE, async ({ context, given }) => {
  const [duration, ...argv] = given.operands;
  if (duration === undefined || argv.length === 0) {
    complain(context, "Try 'timeout --help' for more information.");
    return FAILED;
  }
  const seconds = secondsOf(duration);
  const kill = given.has("k") ? secondsOf(given.get("k") ?? "") : undefined;
  const signal = given.has("s") ? signalOf(given.get("s") ?? "") : SIGTERM;
  if (argv[0].includes("/") && isFolder(context, argv[0])) {
    throw new CommandError(`failed to run command '${argv[0]}': Permission denied`, 126);
  }
  if (!context.has(argv[0])) {
    throw new CommandError(`failed to run command '${argv[0]}': No such file or directory`, 127);
  }
  const child = context.spawn(argv);
  const timers: ReturnType<typeof setTimeout>[] = [];
  let late = false;
  const send = (number: number) => {
    if (given.has("v")) complain(context, `timeout: sending signal ${nameOf(number)} to command '${argv[0]}'`);
    child.kill(number);
  };
  if (seconds > 0 && seconds < Infinity) {
    timers.push(setTimeout(() => {
      late = true;
      send(signal);
      if (kill !== undefined) timers.push(setTimeout(() => send(SIGKILL), kill * 1000));
    }, Math.min(seconds * 1000, MAX_TIMER_MS)));
  }
  const stop = () => child.kill(context.signal.reason instanceof Killed ? context.signal.reason.signal : SIGTERM);
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    const code = await child.done;
    if (!late || given.has("p")) return code;
    return code === 128 + SIGKILL ? code : TIMED_OUT;
  } finally {
    context.signal.removeEventListener("abort", stop);
    timers.forEach(clearTimeout);
  }
});
