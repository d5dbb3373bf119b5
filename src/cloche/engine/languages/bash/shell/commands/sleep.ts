/** sleep: wakes when it is to end. */
import { type Command, Killed } from "../processes/command.ts";
import { encodeText, toArray } from "../../text/byte_strings.ts";

const UNITS: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86400 };
const MAX_TIMER_MS = 2 ** 31 - 1;

export const sleep: Command = {
  name: "sleep",
  run({ argv, fds, signal }) {
    let seconds = 0;
    const fail = (text: string) => {
      fds.find(2)?.write(toArray(encodeText(`sleep: ${text}\n`)));
      return 1;
    };
    const words = argv.slice(argv[1] === "--" ? 2 : 1);
    if (words.length === 0) return fail("missing operand");
    for (const word of words) {
      const [, number, unit] = /^\+?(\d+\.?\d*|\.\d+|inf(?:inity)?)([smhd]?)$/.exec(word) ?? [];
      if (number === undefined) return fail(`invalid time interval '${word}'`);
      seconds += (number.startsWith("inf") ? Infinity : Number(number)) * UNITS[unit];
    }
    return pause(seconds * 1000, signal);
  },
};

async function pause(ms: number, signal: AbortSignal): Promise<number> {
  for (let left = ms; left > 0 && !signal.aborted; left -= MAX_TIMER_MS) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(left, MAX_TIMER_MS));
      signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
  if (signal.aborted) throw signal.reason instanceof Killed ? signal.reason : new Killed(15);
  return 0;
}
