/** Options of commands, read as GNU's getopt_long reads them. */
import { HelpWanted, UsageError } from "./errors.ts";

/** How a command is called. */
export interface Usage {
  /** Letters as getopt has them: `b:` takes a value, `i::` one that is joined to it. */
  letters?: string;
  /** Long names with the key they stand for: `bytes=` takes a value, `color?` one after `=`, others what their letter takes. */
  long?: Record<string, string>;
  /** What follows the name in the usage. */
  synopsis?: string;
  /** The exit code of a wrong call; 1 unless given. */
  code?: number;
  /** Options end at the first operand. */
  strict?: boolean;
  /** Where to find help, if not in --help alone. */
  hint?: string;
  /** Whether the line about it begins with the name. */
  hintNamed?: boolean;
  /** Whether each line of a message begins with the name. */
  named?: boolean;
}

/** The options of one call. */
export class Given {
  /** Every option in the order given, with the number of operands before it. A flag has no value. */
  readonly list: [key: string, value: string | undefined, at: number][] = [];
  readonly operands: string[] = [];

  add(key: string, value?: string): void {
    this.list.push([key, value, this.operands.length]);
  }

  /** Whether one of these was given. */
  has(...keys: string[]): boolean {
    return this.list.some(([key]) => keys.includes(key));
  }

  get(key: string): string | undefined {
    return this.list.findLast(([name]) => name === key)?.[1];
  }

  all(key: string): string[] {
    return this.list.filter(([name]) => name === key).map(([, value]) => value ?? "");
  }

  /** Which of these was given last. */
  last(...keys: string[]): string | undefined {
    return this.list.findLast(([key]) => keys.includes(key))?.[0];
  }
}

type Arity = "none" | "value" | "optional";

export function readOptions(name: string, args: readonly string[], usage: Usage): Given {
  const given = new Given();
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") {
      given.operands.push(...words);
      break;
    }
    if (word.startsWith("--")) readLong(name, word.slice(2), words, usage, given);
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

/** What a letter takes; undefined if there is no such option. */
function arityOf(letter: string, letters: string): Arity | undefined {
  const place = letter === ":" ? -1 : letters.indexOf(letter);
  if (place < 0) return undefined;
  if (letters[place + 1] !== ":") return "none";
  return letters[place + 2] === ":" ? "optional" : "value";
}

function readShort(word: string, words: string[], { letters = "" }: Usage, given: Given): void {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at];
    const arity = arityOf(letter, letters);
    if (arity === undefined) throw new UsageError(`invalid option -- '${letter}'`);
    if (arity === "none") {
      given.add(letter);
      continue;
    }
    const joined = word.slice(at + 1);
    const value = joined !== "" ? joined : arity === "value" ? words.shift() : undefined;
    if (value === undefined && arity === "value") throw new UsageError(`option requires an argument -- '${letter}'`);
    given.add(letter, value);
    return;
  }
}

function readLong(name: string, text: string, words: string[], usage: Usage, given: Given): void {
  const equals = text.indexOf("=");
  const typed = equals < 0 ? text : text.slice(0, equals);
  const joined = equals < 0 ? undefined : text.slice(equals + 1);
  const { label, key, arity } = findLong(typed, text, usage);
  if (key === "--help") throw new HelpWanted(`Usage: ${name} ${usage.synopsis ?? "[OPTION]... [FILE]..."}\n`);
  if (key === "--version") throw new HelpWanted(versionOf(name));
  if (arity === "none" && joined !== undefined) throw new UsageError(`option '--${label}' doesn't allow an argument`);
  const value = joined ?? (arity === "value" ? words.shift() : undefined);
  if (value === undefined && arity === "value") throw new UsageError(`option '--${label}' requires an argument`);
  given.add(key, value);
}

export function versionOf(name: string): string {
  return `${name} (Cloche), with the options and the output of GNU's\n`;
}

interface LongOption {
  label: string;
  key: string;
  arity: Arity;
}

const HELP = { help: "--help", version: "--version" };
const longOptions = new WeakMap<Usage, LongOption[]>();

function listLong(usage: Usage): LongOption[] {
  const { letters = "", long = {} } = usage;
  let all = longOptions.get(usage);
  if (all) return all;
  all = Object.entries({ ...long, ...HELP, ...long }).map(([written, key]) => {
    const [, label, mark] = /^(.*?)([=?]?)$/.exec(written) ?? [];
    const arity = mark === "=" ? "value" : mark === "?" ? "optional" : arityOf(key, letters) ?? "none";
    return { label, key, arity };
  });
  longOptions.set(usage, all);
  return all;
}

/** A long option by its name or by a beginning that no other has. */
function findLong(typed: string, text: string, usage: Usage): LongOption {
  const all = listLong(usage);
  const exact = all.find(({ label }) => label === typed);
  if (exact) return exact;
  const near = all.filter(({ label }) => label.startsWith(typed));
  if (near.length > 0 && near.every(({ key }) => key === near[0].key)) return near[0];
  if (near.length === 0) throw new UsageError(`unrecognized option '--${text}'`);
  throw new UsageError(
    `option '--${text}' is ambiguous; possibilities: ${near.map(({ label }) => `'--${label}'`).join(" ")}`,
  );
}
