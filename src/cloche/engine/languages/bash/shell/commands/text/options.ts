/** Options of commands, read as GNU's getopt_long reads them. */

/** How a command is called. */
export interface Usage {
  /** Letters as getopt has them: `b:` takes a value, `i::` one that is joined to it. */
  letters?: string;
  /** Long names with the key they stand for: `bytes=` takes a value, `color?` one after `=`. */
  long?: Record<string, string>;
  /** What follows the name in the usage. */
  synopsis?: string;
  /** The exit code of a wrong call; 1 unless given. */
  code?: number;
  /** Options end at the first operand. */
  strict?: boolean;
}

/** A wrong call: its message is followed by where to find help. */
export class UsageError extends Error {}

/** What ends a command: its message and its exit code. */
export class Failure extends Error {
  constructor(message: string, readonly code = 1) {
    super(message);
  }
}

/** The options of one call. */
export class Given {
  /** Every option in the order given. */
  readonly list: [key: string, value: string][] = [];
  readonly operands: string[] = [];

  has(key: string): boolean {
    return this.list.some(([name]) => name === key);
  }

  get(key: string): string | undefined {
    return this.list.findLast(([name]) => name === key)?.[1];
  }

  all(key: string): string[] {
    return this.list.filter(([name]) => name === key).map(([, value]) => value);
  }

  /** Which of these was given last. */
  last(...keys: string[]): string | undefined {
    return this.list.findLast(([name]) => keys.includes(name))?.[0];
  }
}

type Arity = "none" | "value" | "optional";

export function readGiven(args: readonly string[], usage: Usage): Given {
  const given = new Given();
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") {
      given.operands.push(...words);
      break;
    }
    if (word.startsWith("--")) readLong(word.slice(2), words, usage, given);
    else if (word.startsWith("-") && word !== "-") readShort(word, words, usage, given);
    else {
      given.operands.push(word);
      if (!usage.strict) continue;
      given.operands.push(...words);
      break;
    }
  }
  return given;
}

function readShort(word: string, words: string[], { letters = "" }: Usage, given: Given): void {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at];
    const place = letters.indexOf(letter);
    if (place < 0 || letter === ":") throw new UsageError(`invalid option -- '${letter}'`);
    if (letters[place + 1] !== ":") {
      given.list.push([letter, ""]);
      continue;
    }
    const joined = word.slice(at + 1);
    if (joined !== "" || letters[place + 2] === ":") {
      given.list.push([letter, joined]);
      return;
    }
    const value = words.shift();
    if (value === undefined) throw new UsageError(`option requires an argument -- '${letter}'`);
    given.list.push([letter, value]);
    return;
  }
}

function readLong(text: string, words: string[], usage: Usage, given: Given): void {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const joined = equals < 0 ? undefined : text.slice(equals + 1);
  const { label, key, arity } = findLong(name, usage);
  if (arity === "none") {
    if (joined !== undefined) throw new UsageError(`option '--${label}' doesn't allow an argument`);
    given.list.push([key, ""]);
    return;
  }
  const value = joined ?? (arity === "value" ? words.shift() : "");
  if (value === undefined) throw new UsageError(`option '--${label}' requires an argument`);
  given.list.push([key, value]);
}

/** A long option by its name or by a beginning that no other has. */
function findLong(name: string, { long = {} }: Usage): { label: string; key: string; arity: Arity } {
  const all = Object.entries({ help: "--help", version: "--version", ...long }).map(([written, key]) => {
    const [, label, mark] = /^(.*?)([=?]?)$/.exec(written) ?? [];
    const arity: Arity = mark === "=" ? "value" : mark === "?" ? "optional" : "none";
    return { label, key, arity };
  });
  const exact = all.find(({ label }) => label === name);
  if (exact) return exact;
  const near = all.filter(({ label }) => label.startsWith(name));
  if (near.length > 0 && near.every(({ key }) => key === near[0].key)) return near[0];
  if (near.length === 0) throw new UsageError(`unrecognized option '--${name}'`);
  throw new UsageError(
    `option '--${name}' is ambiguous; possibilities: ${near.map(({ label }) => `'--${label}'`).join(" ")}`,
  );
}
