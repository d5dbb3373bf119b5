/** getopt: puts the options of a script in order, quoted for the shell. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "al:n:o:qQs:TuhV",
  long: {
    alternative: "a",
    "longoptions=": "l",
    "longoption=": "l",
    "name=": "n",
    "options=": "o",
    quiet: "q",
    "quiet-output": "Q",
    "shell=": "s",
    test: "T",
    unquoted: "u",
  },
  synopsis: "optstring parameters",
  strict: true,
  code: 2,
};

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Reads parameters as getopt(3) does. */
class Scan {
  readonly found: string[] = [];
  readonly rest: string[] = [];
  failed = false;

  constructor(
    private readonly short: string,
    private readonly long: Map<string, "none" | "value" | "optional">,
    private readonly show: (text: string) => string,
    private readonly complain: (text: string) => void,
    private readonly single: boolean,
  ) {}

  run(args: string[]): void {
    const strict = this.short.startsWith("+");
    const words = [...args];
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      if (word === "--") {
        this.rest.push(...words);
        return;
      }
      if (
        word.startsWith("--") || this.single && word.length > 2 && /^-[^-]/.test(word) && this.#isLong(word.slice(1))
      ) {
        this.#long(word.replace(/^--?/, ""), words);
      } else if (word.startsWith("-") && word !== "-") this.#short(word, words);
      else if (strict) {
        this.rest.push(word, ...words);
        return;
      } else this.rest.push(word);
    }
  }

  #isLong(text: string): boolean {
    return [...this.long.keys()].some((name) => name.startsWith(text.split("=")[0]));
  }

  #fail(text: string): void {
    this.failed = true;
    this.complain(text);
  }

  #short(word: string, words: string[]): void {
    const letters = this.short.replace(/^[-+]/, "");
    for (let at = 1; at < word.length; at++) {
      const letter = word[at];
      const place = letter === ":" ? -1 : letters.indexOf(letter);
      if (place < 0) {
        this.#fail(`invalid option -- '${letter}'`);
        continue;
      }
      if (letters[place + 1] !== ":") {
        this.found.push(`-${letter}`);
        continue;
      }
      const joined = word.slice(at + 1);
      const value = joined !== "" || letters[place + 2] === ":" ? joined : words.shift();
      if (value === undefined) this.#fail(`option requires an argument -- '${letter}'`);
      else this.found.push(`-${letter}`, this.show(value));
      return;
    }
  }

  #long(text: string, words: string[]): void {
    const equals = text.indexOf("=");
    const given = equals < 0 ? text : text.slice(0, equals);
    const joined = equals < 0 ? undefined : text.slice(equals + 1);
    const near = [...this.long.keys()].filter((name) => name.startsWith(given));
    const name = this.long.has(given) ? given : near[0];
    if (name === undefined) return this.#fail(`unrecognized option '--${given}'`);
    if (!this.long.has(given) && near.length > 1) {
      return this.#fail(`option '--${given}' is ambiguous; possibilities: ${near.map((n) => `'--${n}'`).join(" ")}`);
    }
    const arity = this.long.get(name);
    if (arity === "none") {
      if (joined !== undefined) return this.#fail(`option '--${name}' doesn't allow an argument`);
      this.found.push(`--${name}`);
      return;
    }
    const value = joined ?? (arity === "value" ? words.shift() : "");
    if (value === undefined) return this.#fail(`option '--${name}' requires an argument`);
    this.found.push(`--${name}`, this.show(value));
  }
}

function readLong(lists: string[]): Map<string, "none" | "value" | "optional"> {
  const names = lists.flatMap((list) => list.split(/[,\s]+/)).filter((name) => name !== "");
  return new Map(names.map((name) => {
    const [, bare, mark] = /^(.*?)(:{0,2})$/.exec(name) ?? [];
    return [bare, mark === "::" ? "optional" : mark === ":" ? "value" : "none"];
  }));
}

const getopt = defineTool("getopt", USAGE, (tool: Tool) => {
  const { given, context } = tool;
  if (given.has("T")) return 4;
  const args = [...given.operands];
  const old = context.argv[1] !== undefined && !context.argv[1].startsWith("-");
  const short = given.get("o") ?? args.shift();
  if (short === undefined) throw new CommandError("missing optstring argument", 2);
  const shell = given.get("s") ?? "bash";
  if (!["sh", "bash", "csh", "tcsh"].includes(shell)) {
    throw new CommandError("unknown shell after -s or --shell argument", 2);
  }
  const plain = old || given.has("u");
  const name = given.get("n") ?? "getopt";
  const show = plain ? (text: string) => text : quote;
  const complain = (text: string) => {
    if (given.has("q")) return;
    context.fds.find(2)?.write(tool.coding.encode(`${name}: ${text}\n`));
  };
  const scan = new Scan(short, readLong(given.all("l")), show, complain, given.has("a"));
  scan.run(args);
  if (!given.has("Q")) tool.out.write(` ${[...scan.found, "--", ...scan.rest.map(show)].join(" ")}\n`);
  return scan.failed ? 1 : 0;
});

export const commands = [getopt];
