/** shift, unset, alias, unalias. */
import { quoteReusable } from "../expansion/quote.ts";
import { type Builtin, ExpansionError } from "../interpreter.ts";
import { isName, resolveName, splitElement, unsetReference, unsetVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import { readFlags } from "./options.ts";

const shift: Builtin = (shell, args) => {
  const words = args[0] === "--" ? args.slice(1) : args;
  const { positional } = shell.state;
  if (words.length > 1) {
    shell.complain("shift: too many arguments");
    return 1;
  }
  const [word = "1"] = words;
  if (!/^\s*[-+]?\d+\s*$/.test(word)) {
    shell.complain(`shift: ${word}: numeric argument required`);
    return 1;
  }
  const count = Number(word);
  if (count < 0) {
    shell.complain(`shift: ${word}: shift count out of range`);
    return 1;
  }
  if (count > positional.length) {
    if (shell.state.shopt.has("shift_verbose")) shell.complain(`shift: ${word}: shift count out of range`);
    return 1;
  }
  shell.state.positional = positional.slice(count);
  return 0;
};

const unset: Builtin = (shell, args) => {
  const given = readFlags(shell, "unset", args, "fvn", "unset [-f] [-v] [-n] [name ...]");
  if (!given) return 2;
  if (given.has("f") && given.has("v")) {
    shell.complain("unset: cannot simultaneously unset a function and a variable");
    return 1;
  }
  const { variables, functions } = shell.state;
  let code = 0;
  for (const word of given.rest) {
    const { name: base, subscript } = splitElement(word);
    if (given.has("f") || !given.has("v") && !given.has("n") && !variables.find(base) && functions.has(word)) {
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
    try {
      if (given.has("n")) {
        unsetReference(shell, base);
        continue;
      }
      const whole = splitElement(resolveName(shell, base));
      unsetVariable(shell, whole.name, subscript ?? whole.subscript);
    } catch (error) {
      if (!(error instanceof ExpansionError)) throw error;
      shell.complain(error.message.replace(/^(?!unset)/, "unset: "));
      code = 1;
    }
  }
  return code;
};

const alias: Builtin = function* (shell, args): Task<number> {
  const { aliases } = shell.state;
  const given = readFlags(shell, "alias", args, "p", "alias [-p] [name[=value] ... ]");
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
  const given = readFlags(shell, "unalias", args, "a", "unalias [-a] name [name ...]");
  if (!given) return 2;
  if (given.has("a")) shell.state.aliases.clear();
  else if (given.rest.length === 0) {
    shell.say("unalias: usage: unalias [-a] name [name ...]");
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
