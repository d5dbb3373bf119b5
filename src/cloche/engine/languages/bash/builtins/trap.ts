/** trap: EXIT, ERR, INT and, for jobs that are killed, TERM. Others are accepted and never fire. */
import { emptyResult, failure } from "../interpreter/just_bash_types.ts";
import type { Builtin } from "../interpreter/process.ts";
import { quoteWord } from "../programs/quote.ts";
import { signalName, type Traps } from "../interpreter/traps.ts";

const SIGNALS = "EXIT HUP INT QUIT TERM";

/** The shell's `trap`. */
export const trapBuiltin: Builtin = (shell, args) => {
  const { traps } = shell.process;
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words[0] === "-l") return { ...emptyResult(0), stdout: SIGNALS + "\n" };
  if (words.length === 0 || words[0] === "-p") return { ...emptyResult(0), stdout: listing(traps, words.slice(1)) };
  const resets = words.length === 1 || /^\d+$/.test(words[0]);
  const [action, names] = resets ? ["-", words] : [words[0], words.slice(1)];
  for (const word of names) {
    const name = signalName(word);
    if (!name) return failure(`bash: trap: ${word}: invalid signal specification`);
    if (action === "-") traps.clear(name);
    else traps.set(name, action);
  }
  return emptyResult(0);
};

function listing(traps: Traps, words: string[]): string {
  const wanted = new Set(words.map(signalName));
  return traps.list()
    .filter(([name]) => words.length === 0 || wanted.has(name))
    .map(([name, action]) =>
      `trap -- ${forced(action)} ${/^(EXIT|ERR|DEBUG|RETURN)$/.test(name) ? "" : "SIG"}${name}\n`
    )
    .join("");
}

function forced(text: string): string {
  return quoteWord(text + " ").replace(/ '$/, "'");
}
