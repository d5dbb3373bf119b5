/** Options as GNU's getopt_long reads them. */
import { CommandError } from "../../../commands/command.ts";

/** What a command takes. */
export interface Grammar {
  /** "ab:c::": -a, -b VALUE, -c with a value that may be missing. */
  short: string;
  /** Long names to letters (or longer keys); "name=" takes a value, "name=?" may. */
  long?: Record<string, string>;
  /** Options end at the first other argument. */
  strict?: boolean;
  /** The exit code of a wrong option. */
  code?: number;
  /** Where to look for help, if not in --help alone. */
  hint?: string;
  /** What follows the name in the usage line. */
  usage: string;
}

/** --help or --version was given: the text to print. */
export class HelpWanted extends Error {}

/** The options as given. */
export class Given {
  /** With the number of other arguments before each. */
  readonly list: [key: string, value: string | undefined, at: number][] = [];
  readonly rest: string[] = [];

  add(key: string, value: string | undefined): void {
    this.list.push([key, value, this.rest.length]);
  }

  has(...keys: string[]): boolean {
    return this.list.some(([key]) => keys.includes(key));
  }

  get(key: string): string | undefined {
    return this.list.findLast(([name]) => name === key)?.[1];
  }

  all(key: string): string[] {
    return this.list.filter(([name]) => name === key).map(([, value]) => value ?? "");
  }

  /** The last of several options that contradict each other. */
  last(...keys: string[]): string | undefined {
    return this.list.findLast(([key]) => keys.includes(key))?.[0];
  }
}

export function readArguments(name: string, args: readonly string[], grammar: Grammar): Given {
  return new ArgumentReader(name, args, grammar).read();
}

class ArgumentReader {
  readonly #given = new Given();
  readonly #long = new Map<string, { key: string; value: "" | "=" | "=?" }>();
  #at = 0;

  constructor(private readonly name: string, private readonly args: readonly string[], readonly grammar: Grammar) {
    for (const [word, key] of Object.entries(grammar.long ?? {})) {
      const [, plain, value] = /^(.*?)(=\??)?$/.exec(word) ?? [];
      this.#long.set(plain, { key, value: (value ?? "") as "" });
    }
    for (const word of ["help", "version"]) if (!this.#long.has(word)) this.#long.set(word, { key: word, value: "" });
  }

  read(): Given {
    const { args } = this;
    while (this.#at < args.length) {
      const word = args[this.#at++];
      if (word === "--") break;
      if (word.startsWith("--")) this.#readLong(word.slice(2));
      else if (word.startsWith("-") && word.length > 1) this.#readShort(word);
      else if (this.grammar.strict) {
        this.#at--;
        break;
      } else this.#given.rest.push(word);
    }
    this.#given.rest.push(...args.slice(this.#at));
    return this.#given;
  }

  #readShort(word: string): void {
    const { short } = this.grammar;
    for (let at = 1; at < word.length; at++) {
      const letter = word[at];
      const place = letter === ":" ? -1 : short.indexOf(letter);
      if (place < 0) this.#refuse(`invalid option -- '${letter}'`);
      if (short[place + 1] !== ":") {
        this.#given.add(letter, undefined);
        continue;
      }
      const rest = word.slice(at + 1);
      if (rest !== "" || short[place + 2] === ":") {
        this.#given.add(letter, rest === "" ? undefined : rest);
      } else {
        if (this.#at >= this.args.length) this.#refuse(`option requires an argument -- '${letter}'`);
        this.#given.add(letter, this.args[this.#at++]);
      }
      return;
    }
  }

  #readLong(text: string): void {
    const equals = text.indexOf("=");
    const typed = equals < 0 ? text : text.slice(0, equals);
    const value = equals < 0 ? undefined : text.slice(equals + 1);
    const name = this.#complete(typed, text);
    const { key, value: takes } = this.#long.get(name) ?? { key: name, value: "" };
    if (key === "help") throw new HelpWanted(`Usage: ${this.name} ${this.grammar.usage}\n`);
    if (key === "version") throw new HelpWanted(`${this.name} (Cloche)\n`);
    if (takes === "" && value !== undefined) this.#refuse(`option '--${name}' doesn't allow an argument`);
    if (takes === "=" && value === undefined) {
      if (this.#at >= this.args.length) this.#refuse(`option '--${name}' requires an argument`);
      this.#given.add(key, this.args[this.#at++]);
    } else this.#given.add(key, value);
  }

  /** Long names may be cut short while one name is meant. */
  #complete(typed: string, text: string): string {
    if (this.#long.has(typed)) return typed;
    const names = [...this.#long.keys()].filter((name) => name.startsWith(typed));
    const keys = new Set(names.map((name) => this.#long.get(name)?.key));
    if (keys.size === 1) return names[0];
    if (names.length === 0) this.#refuse(`unrecognized option '--${text}'`);
    return this.#refuse(
      `option '--${text}' is ambiguous; possibilities: ${names.map((name) => `'--${name}'`).join(" ")}`,
    );
  }

  #refuse(message: string): never {
    const { code = 1, hint = `'${this.name} --help'` } = this.grammar;
    throw new CommandError(`${message}\nTry ${hint} for more information.`, code);
  }
}
