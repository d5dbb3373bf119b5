/** sleep: wakes when interrupted. */
import type { Command } from "just-bash";
import { emptyResult, failure } from "../interpreter/just_bash_types.ts";

const UNITS: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86400 };
const MAX_TIMER_MS = 2 ** 31 - 1;

const sleep: Command = {
  name: "sleep",
  async execute(args, ctx) {
    if (args.length === 0) return failure("sleep: missing operand");
    let seconds = 0;
    for (const arg of args) {
      const match = arg.match(/^(\d+\.?\d*|\.\d+|inf(?:inity)?)([smhd]?)$/);
      if (!match) return failure(`sleep: invalid time interval '${arg}'`);
      seconds += (match[1].startsWith("inf") ? Infinity : Number(match[1])) * UNITS[match[2]];
    }
    await pause(seconds * 1000, ctx.signal);
    return emptyResult(0);
  },
};

/** Waits, at most until the signal fires. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = ms; left > 0 && !signal?.aborted; left -= MAX_TIMER_MS) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(left, MAX_TIMER_MS));
      signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
}

export const commands = [sleep];
