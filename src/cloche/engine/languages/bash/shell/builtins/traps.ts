/** trap and kill. */
import { quoteReusable } from "../expansion/quote.ts";
import type { Builtin } from "../interpreter.ts";
import { nameOf, signalName, signalNumber } from "../processes/signals.ts";

const trap: Builtin = function* (shell, args) {
  const { traps } = shell.state;
  const words = args[0] === "--" ? args.slice(1) : args;
  const label = (name: string) => signalNumber(name) ? `SIG${name}` : name;
  if (words.length === 0 || words[0] === "-p") {
    const wanted = words.slice(1).map((word) => signalName(word));
    const order = [...traps.keys()].sort((a, b) => (signalNumber(a) ?? 99) - (signalNumber(b) ?? 99));
    for (const name of order) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      yield* shell.print(`trap -- ${quoteReusable(traps.get(name) ?? "")} ${label(name)}\n`);
    }
    return 0;
  }
  const reset = words[0] === "-" || words.length === 1 || /^\d+$/.test(words[0]) && signalName(words[0]) !== undefined;
  const names = reset && words[0] !== "-" ? words : words.slice(1);
  let code = 0;
  for (const word of names) {
    const name = signalName(word);
    if (name === undefined) {
      shell.complain(`trap: ${word}: invalid signal specification`);
      code = 1;
    } else if (reset) traps.delete(name);
    else traps.set(name, words[0]);
  }
  return code;
};

const kill: Builtin = function* (shell, args) {
  let signal = 15;
  let at = 0;
  const first = args[0] ?? "";
  if (first === "-l" || first === "-L") {
    const [word] = args.slice(1);
    const text = word === undefined ? "" : /^\d+$/.test(word) ? nameOf(Number(word) > 128 ? Number(word) - 128 : Number(word)) : signalNumber(signalName(word) ?? "");
    yield* shell.print(`${text ?? ""}\n`);
    return 0;
  }
  if (/^-./.test(first) && first !== "--") {
    const word = first === "-s" || first === "-n" ? args[++at] ?? "" : first.slice(1);
    const number = /^\d+$/.test(word) ? Number(word) : signalNumber(signalName(word) ?? "");
    if (number === undefined) {
      shell.complain(`kill: ${word}: invalid signal specification`);
      return 1;
    }
    signal = number;
    at++;
  }
  if (args[at] === "--") at++;
  let code = 0;
  for (const target of args.slice(at)) {
    const job = shell.kernel.jobs.find(shell.process, target);
    const number = Number(target.replace(/^-/, ""));
    const process = job?.process ?? (number === shell.state.shellPid && shell.state.subshell === 0 ? shell.process : shell.kernel.processes.get(number));
    if (target.startsWith("%") && !job) shell.complain(`kill: ${target}: no such job`);
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
