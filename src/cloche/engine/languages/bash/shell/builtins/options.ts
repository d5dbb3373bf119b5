/** Options of builtins, as bash's internal getopt reads them. */
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import { sayUsage } from "./usages.ts";

export interface Flags {
  /** Letters without value. */
  has(letter: string): boolean;
  get(letter: string): string | undefined;
  readonly rest: string[];
}

/** Reads "ab:c"; a mistake is said and gives undefined, for which the exit code is 2. */
export function readFlags(
  shell: Interpreter,
  name: string,
  args: string[],
  letters: string,
): Flags | undefined {
  const values = new Map<string, string>();
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === "--") {
      at++;
      break;
    }
    if (!/^-./.test(word)) break;
    for (let i = 1; i < word.length; i++) {
      const letter = word[i];
      const place = letter === ":" ? -1 : letters.indexOf(letter);
      if (place < 0) {
        shell.complain(`${name}: -${letter}: invalid option`);
        sayUsage(shell, name);
        return undefined;
      }
      if (letters[place + 1] !== ":") {
        values.set(letter, "");
        continue;
      }
      const value = i + 1 < word.length ? word.slice(i + 1) : args[++at];
      if (value === undefined) {
        shell.complain(`${name}: -${letter}: option requires an argument`);
        sayUsage(shell, name);
        return undefined;
      }
      values.set(letter, value);
      break;
    }
  }
  return { has: (letter) => values.has(letter), get: (letter) => values.get(letter), rest: args.slice(at) };
}

/** The number that a builtin is given, 1 if there is none; one that is none is said and gives undefined. */
export function readCount(shell: Interpreter, name: string, args: string[]): number | undefined {
  const [word, ...more] = args[0] === "--" ? args.slice(1) : args;
  if (word === undefined) return 1;
  if (!/^\s*[-+]?\d+\s*$/.test(word)) {
    shell.complain(`${name}: ${word === "" ? "`'" : word}: numeric argument required`);
    return undefined;
  }
  if (more.length > 0) throw discardLine(shell, `${name}: too many arguments`);
  return Number(word);
}

/** An error that gives up the line that runs; `$?` becomes 1 unless it is a failure already. */
export function discardLine(shell: Interpreter, message: string): ExpansionError {
  shell.complain(message);
  return Object.assign(new ExpansionError(message, false, shell.state.status || 1), { said: true });
}
