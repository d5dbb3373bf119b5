/** Dates, in UTC: the sandbox has no other time zone. */
import { strftime } from "../../../../text/strftime.ts";
import type { Builtins } from "./builtin.ts";

const DEFAULT_FORMAT = "%a %b %e %H:%M:%S %Z %Y";

/** The seconds of "2024 1 31 12 0 0", or -1. */
function secondsOf(text: string): number {
  const parts = text.trim().split(/\s+/).map(Number);
  if (parts.length < 6 || parts.some((part) => !Number.isFinite(part))) return -1;
  const [year, month, day, hour, minute, second] = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

export const times: Builtins = {
  systime: {
    kind: "number",
    compile: () => () => Math.floor(Date.now() / 1000),
  },
  strftime: {
    kind: "text",
    compile([formatExpr, secondsExpr], compiler) {
      const { state } = compiler.machine;
      const format = formatExpr ? compiler.text(formatExpr) : () => {
        const { map } = state.array("PROCINFO");
        return state.textOf(map.get("strftime") ?? DEFAULT_FORMAT);
      };
      const seconds = secondsExpr ? compiler.number(secondsExpr) : () => Date.now() / 1000;
      return () => strftime(format(), new Date(Math.trunc(seconds()) * 1000));
    },
  },
  mktime: {
    kind: "number",
    compile([arg], compiler) {
      const text = compiler.text(arg);
      return () => secondsOf(text());
    },
  },
};
