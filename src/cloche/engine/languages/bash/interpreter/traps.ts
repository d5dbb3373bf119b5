/** The traps of one process. */

const NUMBERS: Record<string, string> = {
  "0": "EXIT",
  "1": "HUP",
  "2": "INT",
  "3": "QUIT",
  "14": "ALRM",
  "15": "TERM",
};
const NAMES = new Set(["EXIT", "ERR", "DEBUG", "RETURN", "HUP", "INT", "QUIT", "TERM", "PIPE", "USR1", "USR2", "ALRM"]);

/** The name of a signal as `trap` and `kill` take it (2, INT, SIGINT, int), or undefined. */
export function signalName(word: string): string | undefined {
  const name = NUMBERS[word] ?? word.toUpperCase().replace(/^SIG/, "");
  return NAMES.has(name) ? name : undefined;
}

/** Actions by signal; a subshell starts without those that run at exit or on errors. */
export class Traps {
  #actions = new Map<string, string>();

  has(name: string): boolean {
    return this.#actions.has(name);
  }

  get(name: string): string | undefined {
    return this.#actions.get(name);
  }

  set(name: string, action: string): void {
    this.#actions.set(name, action);
  }

  clear(name: string): void {
    this.#actions.delete(name);
  }

  /** Returns and forgets, so that an action does not start itself. */
  take(name: string): string | undefined {
    const action = this.#actions.get(name);
    this.#actions.delete(name);
    return action;
  }

  /** Puts back what was taken, unless the action has set another. */
  restore(name: string, action: string): void {
    if (!this.#actions.has(name)) this.#actions.set(name, action);
  }

  list(): [string, string][] {
    return [...this.#actions].sort(([a], [b]) => (a === "EXIT" ? -1 : b === "EXIT" ? 1 : a < b ? -1 : 1));
  }

  enterSubshell(): Map<string, string> {
    const outer = this.#actions;
    this.#actions = new Map([...outer].filter(([name, action]) => action === "" && name !== "EXIT"));
    return outer;
  }

  leaveSubshell(outer: Map<string, string>): void {
    this.#actions = outer;
  }
}
