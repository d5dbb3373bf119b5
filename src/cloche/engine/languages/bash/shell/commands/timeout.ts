/** timeout. */
import { CommandError, readOptions } from "../../commands/command.ts";
import { type Command, type CommandContext, Killed } from "../processes/command.ts";
import { nameOf, SIGKILL, signalName, signalNumber, SIGTERM } from "../processes/signals.ts";
import { complain } from "./options.ts";

const LONG = { signal: "s", "kill-after": "k", foreground: "f", "preserve-status": "p", verbose: "v" };
/** A wrong call ends with this. */
const HINT = "\nTry 'timeout --help' for more information.";
const UNITS: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86400 };
const MAX_TIMER_MS = 2 ** 31 - 1;
const TIMED_OUT = 124;
/** timeout itself failed. */
const FAILED = 125;

function secondsOf(word: string): number {
  const [, number, unit] = /^(\d+\.?\d*|\.\d+|inf(?:inity)?)([smhd]?)$/.exec(word) ?? [];
  if (number === undefined) throw new CommandError(`invalid time interval '${word}'${HINT}`, FAILED);
  return (number.startsWith("inf") ? Infinity : Number(number)) * UNITS[unit];
}

function signalOf(word: string): number {
  const name = signalName(word);
  const number = name === undefined ? undefined : signalNumber(name);
  if (number === undefined) throw new CommandError(`'${word}': invalid signal${HINT}`, FAILED);
  return number;
}

export const timeout: Command = {
  name: "timeout",
  async run(context) {
    try {
      return await runLimited(context);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (error.code === 2) error.message += HINT;
      complain(context, `timeout: ${error.message}`);
      return error.code === 2 ? FAILED : error.code;
    }
  },
};

async function runLimited(context: CommandContext): Promise<number> {
  const given = readOptions(context.argv.slice(1), "s:k:fpv", LONG, true);
  const [duration, ...argv] = given.rest;
  if (duration === undefined || argv.length === 0) {
    complain(context, HINT.trim());
    return FAILED;
  }
  const seconds = secondsOf(duration);
  const kill = given.has("k") ? secondsOf(given.get("k") ?? "") : undefined;
  const signal = given.has("s") ? signalOf(given.get("s") ?? "") : SIGTERM;
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
}
