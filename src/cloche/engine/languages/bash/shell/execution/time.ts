/** What `time` says. */
import { readVariable } from "../state/assign.ts";
import type { ShellInterpreter } from "./execute.ts";

const DEFAULT = "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
const POSIX = "real %2R\nuser %2U\nsys %2S";

/** Writes the time that a pipeline took; all of it counts as the user's. */
export function reportTime(shell: ShellInterpreter, ms: number, posix: boolean): void {
  const format = posix ? POSIX : readVariable(shell, "TIMEFORMAT") ?? DEFAULT;
  if (format === "") return;
  const text = format.replace(/%(?:%|P|([0-3]?)(l?)([RUS]))/g, (all, digits: string, long: string, kind: string) => {
    if (all === "%%") return "%";
    if (all === "%P") return "100.00";
    return formatSeconds(kind === "S" ? 0 : ms / 1000, digits === "" ? 3 : Number(digits), long !== "");
  });
  shell.complainAs(text, shell.fds);
}

function formatSeconds(seconds: number, digits: number, long: boolean): string {
  if (!long) return seconds.toFixed(digits);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}m${(seconds - minutes * 60).toFixed(digits)}s`;
}
