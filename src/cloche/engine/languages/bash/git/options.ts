/** Parses the options of git's commands as git does. */

/** A wrong call of a command, or the reason why it cannot continue; in git's own words. */
export class GitError extends Error {
  constructor(message: string, readonly code = 128, readonly prefix = "fatal: ") {
    super(message);
  }
}

/** A failure that git reports as an error rather than a fatal one. */
export function usageError(message: string, code = 1): GitError {
  return new GitError(message, code, "error: ");
}

/** What was given: options by name, words, and those after `--`. */
export class Args {
  readonly #values = new Map<string, string[]>();
  readonly words: string[] = [];
  /** The words after `--`; undefined if there was none. */
  after: string[] | undefined;

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  all(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  number(name: string, otherwise: number): number {
    const value = this.get(name);
    if (value === undefined) return otherwise;
    if (!/^\d+$/.test(value)) throw new GitError(`${value}: not an integer`);
    return Number(value);
  }

  add(name: string, value: string): void {
    this.#values.set(name, [...this.all(name), value]);
  }

  /** The words with those after `--`, for commands in which all are paths. */
  get everything(): string[] {
    return [...this.words, ...this.after ?? []];
  }
}

type Kind = "plain" | "value" | "maybe" | "last";

const KINDS: Record<string, Kind> = { "": "plain", "=": "value", "=?": "maybe", "=~": "last" };

/**
 * Reads options. `spec` lists them as `name,alias,x=`: `=` takes a value, `=?` one only when it is attached, `=~` one if
 * there is any. A number after a dash, as in `-3`, is the option `count` if that is listed.
 */
export function parseArgs(args: string[], spec: string): Args {
  const known = new Map<string, { name: string; kind: Kind }>();
  for (const item of spec.split(" ").filter(Boolean)) {
    const [, list, mark] = /^(.*?)(=[?~]?)?$/.exec(item) ?? [];
    const kind = KINDS[mark ?? ""];
    const names = list.split(",");
    for (const name of names) known.set(name, { name: names[0], kind });
  }
  const found = new Args();
  const queue = [...args];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") {
      found.after = queue.splice(0);
    } else if (word.startsWith("--")) readLong(word.slice(2), queue, known, found);
    else if (/^-\d+$/.test(word) && known.has("count")) found.add(known.get("count")?.name ?? "", word.slice(1));
    else if (word.startsWith("-") && word !== "-") readShort(word.slice(1), queue, known, found);
    else found.words.push(word);
  }
  return found;
}

type Known = Map<string, { name: string; kind: Kind }>;

function readLong(text: string, queue: string[], known: Known, found: Args): void {
  const at = text.indexOf("=");
  const name = at < 0 ? text : text.slice(0, at);
  const option = name.length > 1 ? known.get(name) : undefined;
  if (!option) throw new GitError(`unknown option \`${name}'`, 129, "error: ");
  if (at >= 0 && option.kind === "plain") throw new GitError(`option \`${name}' takes no value`, 129, "error: ");
  if (at >= 0) found.add(option.name, text.slice(at + 1));
  else if (option.kind === "last") found.add(option.name, queue.shift() ?? "");
  else found.add(option.name, option.kind === "value" ? next(queue, `option \`${name}'`) : "");
}

function readShort(text: string, queue: string[], known: Known, found: Args): void {
  for (let at = 0; at < text.length; at++) {
    const option = known.get(text[at]);
    if (!option) throw new GitError(`unknown switch \`${text[at]}'`, 129, "error: ");
    if (option.kind === "plain") {
      found.add(option.name, "");
      continue;
    }
    const rest = text.slice(at + 1);
    found.add(option.name, rest !== "" || option.kind === "maybe" ? rest : next(queue, `switch \`${text[at]}'`));
    return;
  }
}

function next(queue: string[], what: string): string {
  const value = queue.shift();
  if (value === undefined) throw new GitError(`${what} requires a value`, 129, "error: ");
  return value;
}
