/** shift, unset, alias, unalias. */
import { ArithmeticError } from "../arithmetic/evaluate.ts";
import { quoteReusable } from "../expansion/quote.ts";
import { type Builtin, ExpansionError } from "../interpreter.ts";
import { isName, resolveName, splitElement, unsetReference, unsetVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import { sayUsage } from "./usages.ts";
import { readCount, readFlags } from "./options.ts";

const shift: Builtin = (shell, args) => {
  const { positional, shopt } = shell.state;
  const count = readCount(shell, "shift", args);
  if (count === undefined) return 1;
  if (count < 0 || count > positional.length) {
    if (count < 0 || shopt.has("shift_verbose")) shell.complain(`shift: ${args[0] ?? 1}: shift count out of range`);
    return 1;
  }
  shell.state.positional = positional.slice(count);
  return 0;
};

/** Variables that the shell needs. */
const FIXED = new Set(["BASH_LINENO", "BASH_SOURCE", "BASH_ARGV", "BASH_ARGC"]);

const unset: Builtin = (shell, args) => {
  const given = readFlags(shell, "unset", args, "fvn");
  if (!given) return 2;
  if (given.has("f") && given.has("v")) {
    shell.complain("unset: cannot simultaneously unset a function and a variable");
    return 1;
  }
  const { variables, functions } = shell.state;
  let code = 0;
  for (const word of given.rest) {
    const { name: base, subscript } = splitElement(word, true);
    const either = !given.has("v") && !given.has("n");
    if (given.has("f") || either && (!isName(base) || !variables.find(base) && functions.has(word))) {
      if (functions.get(word)?.readonly) {
        shell.complain(`unset: ${word}: cannot unset: readonly function`);
        code = 1;
      } else functions.delete(word);
      continue;
    }
    if (!isName(base)) {
      shell.complain(`unset: \`${word}': not a valid identifier`);
      code = 1;
      continue;
    }
    if (FIXED.has(base)) {
      shell.complain(`unset: ${base}: cannot unset`);
      code = 1;
      continue;
    }
    try {
      if (given.has("n")) {
        unsetReference(shell, base);
        continue;
      }
      const whole = splitElement(resolveName(shell, base));
      unsetVariable(shell, whole.name, subscript ?? whole.subscript);
    } catch (error) {
      if (!(error instanceof ExpansionError) || error instanceof ArithmeticError) throw error;
      shell.complain(error.message.replace(/^(?!unset)/, "unset: "));
      code = 1;
    }
  }
  return code;
};

const alias: Builtin = function* (shell, args): Task<number> {
  const { aliases } = shell.state;
  const given = readFlags(shell, "alias", args, "p");
  if (!given) return 2;
  let code = 0;
  const show = (name: string) => `alias ${name}=${quoteReusable(aliases.get(name) ?? "")}\n`;
  if (given.rest.length === 0 || given.has("p")) yield* shell.print([...aliases.keys()].sort().map(show).join(""));
  for (const word of given.rest) {
    const at = word.indexOf("=", 1);
    if (at > 0) {
      const name = word.slice(0, at);
      if (/[\s$`\/'"\\|&;()<>]/.test(name)) {
        shell.complain(`alias: \`${name}': invalid alias name`);
        code = 1;
      } else aliases.set(name, word.slice(at + 1));
    } else if (aliases.has(word)) yield* shell.print(show(word));
    else {
      shell.complain(`alias: ${word}: not found`);
      code = 1;
    }
  }
  return code;
};

const unalias: Builtin = (shell, args) => {
  const given = readFlags(shell, "unalias", args, "a");
  if (!given) return 2;
  if (given.has("a")) shell.state.aliases.clear();
  else if (given.rest.length === 0) {
    sayUsage(shell, "unalias");
    return 2;
  }
  let code = 0;
  for (const word of given.rest) {
    if (shell.state.aliases.delete(word)) continue;
    shell.complain(`unalias: ${word}: not found`);
    code = 1;
  }
  return code;
};

export const setBuiltins: Record<string, Builtin> = { shift, unset, alias, unalias };
