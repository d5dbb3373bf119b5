/** Options of builtins, as bash's internal getopt reads them. */
import type { Interpreter } from "../interpreter.ts";

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
  usage = "",
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
        if (usage !== "") shell.say(`${name}: usage: ${usage}`);
        return undefined;
      }
      if (letters[place + 1] !== ":") {
        values.set(letter, "");
        continue;
      }
      const value = i + 1 < word.length ? word.slice(i + 1) : args[++at];
      if (value === undefined) {
        shell.complain(`${name}: -${letter}: option requires an argument`);
        if (usage !== "") shell.say(`${name}: usage: ${usage}`);
        return undefined;
      }
      values.set(letter, value);
      break;
    }
  }
  return { has: (letter) => values.has(letter), get: (letter) => values.get(letter), rest: args.slice(at) };
}
