/** The options of rg. */
import { CommandError } from "../just_bash/command.ts";

/** Long names of options that take no value, with their letter where they have one. */
const SWITCHES: Record<string, string> = {
  ...{ "auto-hybrid-regex": "", binary: "", "block-buffered": "", "byte-offset": "b" },
  ...{ "case-sensitive": "s", column: "", count: "c", "count-matches": "", crlf: "", debug: "", files: "" },
  ...{ "files-with-matches": "l", "files-without-match": "", "fixed-strings": "F", follow: "L", heading: "" },
  ...{ "glob-case-insensitive": "", help: "h", hidden: ".", "ignore-case": "i", "include-zero": "" },
  ...{ "invert-match": "v", json: "", "line-buffered": "", "line-number": "n", "line-regexp": "x" },
  ...{ "max-columns-preview": "", mmap: "", multiline: "U", "multiline-dotall": "", "no-config": "" },
  ...{ "no-context-separator": "", "no-filename": "I", "no-heading": "", "no-hidden": "", "no-ignore": "" },
  ...{ "no-ignore-dot": "", "no-ignore-exclude": "", "no-ignore-files": "", "no-ignore-global": "" },
  ...{ "no-ignore-messages": "", "no-ignore-parent": "", "no-ignore-vcs": "", "no-line-number": "N" },
  ...{ "no-messages": "", "no-mmap": "", "no-multiline": "", "no-require-git": "", "no-unicode": "", null: "0" },
  ...{ "null-data": "", "one-file-system": "", "only-matching": "o", passthru: "", passthrough: "", pcre2: "P" },
  ...{ pretty: "p", quiet: "q", "search-zip": "z", "smart-case": "S", stats: "", text: "a", trim: "" },
  ...{ "type-list": "", unrestricted: "u", version: "V", vimgrep: "", "with-filename": "H", "word-regexp": "w" },
  ...{ "no-column": "", "no-crlf": "", "no-json": "", "no-trim": "", "no-text": "", "no-pcre2": "", unicode: "" },
  ...{ "no-follow": "", "no-stats": "", "no-binary": "", ignore: "", "require-git": "", "ignore-vcs": "" },
  ...{ "ignore-files": "", "sort-files": "" },
};

/** Those that take one. */
const VALUES: Record<string, string> = {
  ...{ "after-context": "A", "before-context": "B", color: "", colors: "", context: "C", "context-separator": "" },
  ...{ "dfa-size-limit": "", encoding: "E", engine: "", "field-context-separator": "", "field-match-separator": "" },
  ...{ file: "f", glob: "g", iglob: "", "ignore-file": "", "max-columns": "M", "max-count": "m", "max-depth": "d" },
  ...{ maxdepth: "d", "max-filesize": "", "path-separator": "", pre: "", "pre-glob": "", "regex-size-limit": "" },
  ...{ regexp: "e", replace: "r", sort: "", sortr: "", threads: "j", type: "t", "type-add": "", "type-clear": "" },
  "type-not": "T",
};
/** Options for which there is no way here. */
const REFUSED = new Set(["pre", "pre-glob", "search-zip"]);

/** Options by their long names, in the order in which they were given. */
export class Call {
  readonly #given: [name: string, value: string][] = [];
  readonly paths: string[] = [];

  constructor(args: string[]) {
    const rest = [...args];
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      if (word === "--") {
        this.paths.push(...rest);
        break;
      }
      if (word.startsWith("--")) this.#long(word.slice(2), rest);
      else if (word.startsWith("-") && word !== "-") this.#short(word.slice(1), rest);
      else this.paths.push(word);
    }
  }

  has(...names: string[]): boolean {
    return this.#given.some(([name]) => names.includes(name));
  }

  count(name: string): number {
    return this.#given.filter(([given]) => given === name).length;
  }

  get(name: string): string | undefined {
    return this.#given.findLast(([given]) => given === name)?.[1];
  }

  all(...names: string[]): [name: string, value: string][] {
    return this.#given.filter(([name]) => names.includes(name));
  }

  /** Which of some options that undo each other came last. */
  last(...names: string[]): string | undefined {
    return this.#given.findLast(([name]) => names.includes(name))?.[0];
  }

  number(name: string, otherwise: number): number {
    const value = this.get(name);
    if (value === undefined) return otherwise;
    if (!/^\d+$/.test(value)) throw new CommandError(`error parsing flag --${name}: '${value}' is not a number`, 2);
    return Number(value);
  }

  #add(name: string, value: string): void {
    if (REFUSED.has(name)) throw new CommandError(`--${name} is not supported`, 2);
    this.#given.push([name, value]);
  }

  #long(text: string, rest: string[]): void {
    const [name, ...value] = text.split("=");
    if (name in VALUES) this.#add(name, value.length > 0 ? value.join("=") : next(rest, `--${name}`));
    else if (name in SWITCHES && value.length === 0) this.#add(name, "");
    else throw new CommandError(`unrecognized flag --${name}`, 2);
  }

  #short(letters: string, rest: string[]): void {
    for (let at = 0; at < letters.length; at++) {
      const letter = letters[at];
      const valued = nameOf(VALUES, letter);
      if (valued !== undefined) {
        const value = letters.slice(at + 1).replace(/^=/, "");
        return this.#add(valued, at + 1 < letters.length ? value : next(rest, `-${letter}`));
      }
      const name = nameOf(SWITCHES, letter);
      if (name === undefined) throw new CommandError(`unrecognized flag -${letter}`, 2);
      this.#add(name, "");
    }
  }
}

function nameOf(table: Record<string, string>, letter: string): string | undefined {
  return Object.keys(table).find((name) => table[name] === letter);
}

function next(rest: string[], option: string): string {
  const value = rest.shift();
  if (value === undefined) throw new CommandError(`missing value for flag ${option}`, 2);
  return value;
}
