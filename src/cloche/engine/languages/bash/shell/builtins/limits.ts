/** umask, ulimit, times. */
import { MOST_DESCRIPTORS } from "../descriptors/table.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import type { Task } from "../task.ts";
import { readFlags } from "./options.ts";
import { sayUsage } from "./usages.ts";

const CLASSES = ["u", "g", "o"];

function symbolic(mask: number): string {
  return CLASSES.map((who, i) => {
    const bits = ~mask >> (6 - i * 3) & 7;
    return `${who}=${bits & 4 ? "r" : ""}${bits & 2 ? "w" : ""}${bits & 1 ? "x" : ""}`;
  }).join(",");
}

/** The mask that `u=rwx,g-w` makes of one; undefined if it is no mode. */
function parseMode(word: string, mask: number): number | undefined {
  let allowed = ~mask & 0o777;
  for (const clause of word.split(",")) {
    const [, who, operator, letters] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause) ?? [];
    if (operator === undefined) return undefined;
    const shifts = CLASSES.map((each, i) => who === "" || who.includes("a") || who.includes(each) ? 6 - i * 3 : -1)
      .filter((each) => each >= 0);
    const bits = (letters.includes("r") ? 4 : 0) | (letters.includes("w") ? 2 : 0) | (letters.includes("x") ? 1 : 0);
    for (const shift of shifts) {
      if (operator === "=") allowed = allowed & ~(7 << shift) | bits << shift;
      else if (operator === "+") allowed |= bits << shift;
      else allowed &= ~(bits << shift);
    }
  }
  return ~allowed & 0o777;
}

const umask: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "umask", args, "pS");
  if (!given) return 2;
  const flags = (given.has("p") ? "p" : "") + (given.has("S") ? "S" : "");
  const [word] = given.rest;
  const { state } = shell;
  if (word === undefined) {
    const text = flags.includes("S") ? symbolic(state.umask) : state.umask.toString(8).padStart(4, "0");
    yield* shell.print(`${flags.includes("p") ? `umask ${flags.includes("S") ? "-S " : ""}` : ""}${text}\n`);
    return 0;
  }
  if (/^\d+$/.test(word) && !/^[0-7]{1,4}$/.test(word)) {
    shell.complain(`umask: ${word}: octal number out of range`);
    return 1;
  }
  const mask = /^\d/.test(word) ? parseInt(word, 8) : parseMode(word, state.umask);
  if (mask === undefined) {
    const [, operator, bad] = /^[ugoa]*([-+=]?)[rwx]*(.?)/.exec(
      word.split(",").find((each) => !/^[ugoa]*[-+=][rwx]*$/.test(each)) ?? "",
    ) ?? [];
    shell.complain(`umask: \`${bad}': invalid symbolic mode ${operator === "" ? "operator" : "character"}`);
    return 1;
  }
  state.umask = mask & 0o777;
  if (flags.includes("S")) yield* shell.print(`${symbolic(state.umask)}\n`);
  return 0;
};

interface Limit {
  letter: string;
  text: string;
  unit: string;
  value: string;
  /** What it may be set to, if that is more. */
  hard?: string;
}

const LIMITS: Limit[] = [
  { letter: "R", text: "real-time non-blocking time", unit: "microseconds, ", value: "unlimited" },
  { letter: "c", text: "core file size", unit: "blocks, ", value: "0", hard: "unlimited" },
  { letter: "d", text: "data seg size", unit: "kbytes, ", value: "unlimited" },
  { letter: "e", text: "scheduling priority", unit: "", value: "0" },
  { letter: "f", text: "file size", unit: "blocks, ", value: "unlimited" },
  { letter: "i", text: "pending signals", unit: "", value: "127235" },
  { letter: "l", text: "max locked memory", unit: "kbytes, ", value: "8192" },
  { letter: "m", text: "max memory size", unit: "kbytes, ", value: "unlimited" },
  { letter: "n", text: "open files", unit: "", value: String(MOST_DESCRIPTORS), hard: "1048576" },
  { letter: "p", text: "pipe size", unit: "512 bytes, ", value: "8" },
  { letter: "q", text: "POSIX message queues", unit: "bytes, ", value: "819200" },
  { letter: "r", text: "real-time priority", unit: "", value: "0" },
  { letter: "s", text: "stack size", unit: "kbytes, ", value: "8192", hard: "unlimited" },
  { letter: "t", text: "cpu time", unit: "seconds, ", value: "unlimited" },
  { letter: "u", text: "max user processes", unit: "", value: "127235" },
  { letter: "v", text: "virtual memory", unit: "kbytes, ", value: "unlimited" },
  { letter: "x", text: "file locks", unit: "", value: "unlimited" },
];

function limitOf(shell: Interpreter, letter: string, hard: boolean): string {
  const set = shell.state.limits.get(letter);
  const limit = LIMITS.find((each) => each.letter === letter);
  return (hard ? set?.hard ?? limit?.hard : set?.soft) ?? limit?.value ?? "unlimited";
}

/** Limits are remembered and shown; the sandbox has its own. */
const ulimit: Builtin = function* (shell, args): Task<number> {
  let kinds = "";
  const chosen: string[] = [];
  let value: string | undefined;
  const dashes = args.indexOf("--");
  for (const [i, word] of args.entries()) {
    if (i === dashes) continue;
    if (!/^-./.test(word) || dashes >= 0 && i > dashes) {
      value = word;
      continue;
    }
    for (const letter of word.slice(1)) {
      if (letter === "H" || letter === "S") kinds += letter;
      else if (letter === "a") chosen.push(...LIMITS.map((each) => each.letter));
      else if (LIMITS.some((each) => each.letter === letter)) chosen.push(letter);
      else {
        shell.complain(`ulimit: -${letter}: invalid option`);
        sayUsage(shell, "ulimit");
        return 2;
      }
    }
  }
  const letters = chosen.length > 0 ? chosen : ["f"];
  if (value === undefined) {
    for (const letter of letters) {
      const limit = LIMITS.find((each) => each.letter === letter);
      const text = limitOf(shell, letter, kinds.includes("H"));
      const label = `(${limit?.unit}-${letter})`;
      yield* shell.print(
        letters.length === 1 ? `${text}\n` : `${limit?.text.padEnd(40 - label.length)}${label} ${text}\n`,
      );
    }
    return 0;
  }
  for (const letter of letters) {
    const wanted = value === "hard"
      ? limitOf(shell, letter, true)
      : value === "soft"
      ? limitOf(shell, letter, false)
      : value;
    if (wanted !== "unlimited" && !/^\d+$/.test(wanted)) {
      shell.complain(`ulimit: ${value}: invalid number`);
      return 1;
    }
    const most = limitOf(shell, letter, true);
    if (most !== "unlimited" && (wanted === "unlimited" || Number(wanted) > Number(most))) {
      const name = LIMITS.find((each) => each.letter === letter)?.text;
      shell.complain(`ulimit: ${name}: cannot modify limit: Operation not permitted`);
      return 1;
    }
    const both = kinds === "" || kinds.includes("H") && kinds.includes("S");
    const soft = both || kinds.includes("S") ? wanted : limitOf(shell, letter, false);
    const hard = both || kinds.includes("H") ? wanted : limitOf(shell, letter, true);
    shell.state.limits.set(letter, { soft, hard });
  }
  return 0;
};

const times: Builtin = function* (shell) {
  const seconds = performance.now() / 1000;
  const text = `${Math.floor(seconds / 60)}m${(seconds % 60).toFixed(3)}s`;
  yield* shell.print(`${text} 0m0.000s\n0m0.000s 0m0.000s\n`);
  return 0;
};

export const limitBuiltins: Record<string, Builtin> = { umask, ulimit, times };
