/** trap and kill. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import { listSignals, nameOf, signalName, signalNumber } from "../processes/signals.ts";
import { sayUsage } from "./usages.ts";
import { readFlags } from "./options.ts";
import type { Task } from "../task.ts";

function quotePlain(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const trap: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  const { traps } = state;
  if (args[0] === "-" || /^\d+$/.test(args[0] ?? "")) return setTraps(shell, args);
  const given = readFlags(shell, "trap", args, "lp");
  if (!given) return 2;
  if (given.has("l")) return yield* listAll(shell);
  const words = given.rest;
  if (words.length > 0 && !given.has("p")) return setTraps(shell, words);
  const label = (name: string) => signalNumber(name) ? `SIG${name}` : name;
  const listed = state.listedTraps ?? traps;
  let code = 0;
  const wanted = words.map((word) => {
    const name = signalName(word);
    if (name === undefined) {
      shell.complain(`trap: ${word}: invalid signal specification`);
      code = 1;
    }
    return name;
  });
  const order = [...listed.keys()].sort((a, b) => (signalNumber(a) ?? 99) - (signalNumber(b) ?? 99));
  for (const name of words.length > 0 ? wanted : order) {
    const action = name === undefined ? undefined : listed.get(name);
    if (name !== undefined && action !== undefined) {
      yield* shell.print(`trap -- ${quotePlain(action)} ${label(name)}\n`);
    }
  }
  return code;
};

/** Sets or resets what is done on signals. */
function setTraps(shell: Interpreter, words: string[]): number {
  const { state } = shell;
  const { traps } = state;
  const reset = words[0] === "-" || words.length === 1 || /^\d+$/.test(words[0]) && signalName(words[0]) !== undefined;
  const names = reset && words[0] !== "-" ? words : words.slice(1);
  let code = 0;
  state.listedTraps = undefined;
  for (const word of names) {
    const name = signalName(word);
    if (name === undefined) {
      shell.complain(`trap: ${word}: invalid signal specification`);
      code = 1;
    } else if (reset) traps.delete(name);
    else traps.set(name, words[0]);
  }
  return code;
}

/** All signals, as `kill -l` shows them. */
function* listAll(shell: Interpreter): Task<number> {
  const items = listSignals().map(([number, name]) => `${String(number).padStart(2)}) SIG${name}`);
  const rows: string[] = [];
  for (let i = 0; i < items.length; i += 5) rows.push(items.slice(i, i + 5).join("\t"));
  yield* shell.print(`${rows.join("\n")}\n`);
  return 0;
}

function* listSome(shell: Interpreter, words: string[]): Task<number> {
  let code = 0;
  for (const word of words) {
    const number = Number(word);
    const text = /^\d+$/.test(word)
      ? word === "0" ? "EXIT" : nameOf(number > 128 ? number - 128 : number)
      : signalNumber(signalName(word) ?? "");
    if (text === undefined) {
      shell.complain(`kill: ${word}: invalid signal specification`);
      code = 1;
    } else yield* shell.print(`${text}\n`);
  }
  return code;
}

const kill: Builtin = function* (shell, args): Task<number> {
  let signal = 15;
  let at = 0;
  const first = args[0] ?? "";
  if (first === "-l" || first === "-L") {
    return args.length === 1 ? yield* listAll(shell) : yield* listSome(shell, args.slice(1));
  }
  if (/^-./.test(first) && first !== "--") {
    const named = first === "-s" || first === "-n";
    if (named && args[1] === undefined) {
      shell.complain(`kill: ${first}: option requires an argument`);
      return 1;
    }
    const word = named ? args[++at] : first.slice(1);
    const number = /^\d+$/.test(word)
      ? word === "0" || nameOf(Number(word)) ? Number(word) : undefined
      : signalNumber(signalName(word) ?? "");
    if (number === undefined) {
      shell.complain(`kill: ${word}: invalid signal specification`);
      return 1;
    }
    signal = number;
    at++;
  }
  if (args[at] === "--") at++;
  if (at >= args.length) {
    sayUsage(shell, "kill");
    return 2;
  }
  let code = 0;
  for (const target of args.slice(at)) {
    const job = shell.kernel.jobs.find(shell.process, target);
    const number = Number(target.replace(/^-/, ""));
    const process = job?.process ??
      (number === shell.state.shellPid && shell.state.subshell === 0
        ? shell.process
        : shell.kernel.processes.get(number));
    if (target.startsWith("%") && !job) shell.complain(`kill: ${target}: no such job`);
    else if (target === "") shell.complain("kill: `': not a pid or valid job spec");
    else if (!/^-?\d+$/.test(target) && !job) shell.complain(`kill: ${target}: arguments must be process or job IDs`);
    else if (process?.kill(signal)) {
      if (process === shell.process) yield* shell.attend();
      continue;
    } else shell.complain(`kill: (${target}) - No such process`);
    code = 1;
  }
  return code;
};

export const trapBuiltins: Record<string, Builtin> = { trap, kill };
