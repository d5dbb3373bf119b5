/** grep, egrep, fgrep. */
import { decodeText, encodeText } from "../text/byte_strings.ts";
import {
  bytesResult,
  checkInterrupt,
  CommandError,
  type Context,
  defineCommand,
  linesOf,
  type Options,
  pathOf,
  readInput,
  readOptions,
  readText,
  stdinOf,
} from "./command.ts";
import { compileRegex, type Syntax } from "./posix_regex.ts";

const LONG = {
  "extended-regexp": "E",
  "fixed-strings": "F",
  "basic-regexp": "G",
  "perl-regexp": "P",
  regexp: "e",
  file: "f",
  "ignore-case": "i",
  "invert-match": "v",
  "word-regexp": "w",
  "line-regexp": "x",
  count: "c",
  "files-with-matches": "l",
  "files-without-match": "L",
  "max-count": "m",
  "only-matching": "o",
  quiet: "q",
  silent: "q",
  "no-messages": "s",
  "line-number": "n",
  "with-filename": "H",
  "no-filename": "h",
  "after-context": "A",
  "before-context": "B",
  context: "C",
  text: "a",
  recursive: "r",
  "dereference-recursive": "R",
  "byte-offset": "b",
  null: "Z",
  "null-data": "z",
  include: "1",
  exclude: "2",
  "exclude-dir": "3",
  color: "4",
  colour: "4",
  "line-buffered": "5",
  "binary-files": "6",
  "no-ignore-case": "7",
  "initial-tab": "T",
  label: "8",
};

/** One call: the expression and how matches are shown. */
class Search {
  readonly out: string[] = [];
  errors = "";
  matched = false;
  named: boolean;
  readonly #end: string;
  readonly #most: number;
  readonly #before: number;
  readonly #after: number;
  #separate = false;

  constructor(
    private readonly ctx: Context,
    private readonly given: Options,
    private readonly expression: RegExp,
    many: boolean,
  ) {
    this.named = given.has("H") || many && !given.has("h");
    this.#end = given.has("z") ? "\0" : "\n";
    this.#most = given.number("m", Infinity);
    this.#before = given.number("B", given.number("C", 0));
    this.#after = given.number("A", given.number("C", 0));
  }

  /** Looks through one input; returns whether the search can end. */
  one(name: string, bytes: string): void {
    const { given } = this;
    const binary = bytes.includes("\0") && !given.has("a") && !given.has("z") && given.get("6") !== "text";
    if (binary && given.has("I")) return;
    const lines = linesOf(decodeText(bytes), this.#end);
    const hits = this.#hits(lines);
    if (hits.length > 0) this.matched = true;
    if (given.has("q")) return;
    const end = given.has("Z") ? "\0" : "\n";
    if (given.has("l") || given.has("L")) {
      if (hits.length > 0 === given.has("l")) this.out.push(name + end);
      if (given.has("L") && hits.length === 0) this.matched = true;
    } else if (given.has("c")) {
      this.out.push(`${this.#prefix(name, ":")}${hits.length}\n`);
    } else if (binary && hits.length > 0) {
      this.out.push(`grep: ${name}: binary file matches\n`);
    } else {
      this.#show(name, lines, hits);
    }
  }

  #hits(lines: string[]): number[] {
    const { given, expression } = this;
    const first = given.has("l") || given.has("L") || given.has("q") ? 1 : this.#most;
    const inverted = given.has("v");
    const hits: number[] = [];
    for (let i = 0; i < lines.length && hits.length < first; i++) {
      if (i % 1024 === 0) checkInterrupt(this.ctx);
      expression.lastIndex = 0;
      if (expression.test(lines[i]) !== inverted) hits.push(i);
    }
    return hits;
  }

  #prefix(name: string, mark: string): string {
    return this.named ? name + (this.given.has("Z") ? "\0" : mark) : "";
  }

  #show(name: string, lines: string[], hits: number[]): void {
    const { given } = this;
    const number = (i: number, mark: string) => given.has("n") ? `${i + 1}${mark}` : "";
    if (given.has("o")) {
      if (given.has("v")) return;
      for (const i of hits) {
        this.expression.lastIndex = 0;
        for (const match of lines[i].matchAll(this.expression)) {
          if (match[0] !== "") this.out.push(`${this.#prefix(name, ":")}${number(i, ":")}${match[0]}\n`);
        }
      }
      return;
    }
    const chosen = new Set(hits);
    let last = -1;
    for (const hit of hits) {
      const start = Math.max(last + 1, hit - this.#before);
      const contexts = this.#before > 0 || this.#after > 0;
      if (contexts && this.#separate && start > last + 1 || contexts && this.#separate && last === -1) {
        this.out.push("--\n");
      }
      let stop = Math.min(lines.length - 1, hit + this.#after);
      for (let i = start; i <= stop; i++) {
        if (i > hit && chosen.has(i)) {
          stop = i - 1;
          break;
        }
        const mark = chosen.has(i) ? ":" : "-";
        this.out.push(`${this.#prefix(name, mark)}${number(i, mark)}${lines[i]}${this.#end}`);
        last = i;
      }
      this.#separate = true;
    }
  }
}

function grep(command: string, otherwise: Syntax) {
  return defineCommand(command, async (args, ctx) => {
    const words = args.map((arg) => /^-\d+$/.test(arg) ? `-C${arg.slice(1)}` : arg);
    const given = readOptions(colorless(words), "EFGPe:f:ivwxclLm:oqsnHhA:B:C:aIrRbZz1:2:3:T45678:6:yUu", LONG);
    const patterns = given.all("e");
    for (const name of given.all("f")) patterns.push(...linesOf(await readText(ctx, name)));
    const names = [...given.rest];
    if (!given.has("e") && !given.has("f")) {
      const [pattern] = names.splice(0, 1);
      if (pattern === undefined) throw new CommandError("usage: grep [OPTION]... PATTERNS [FILE]...", 2);
      patterns.push(pattern);
    }
    const recursive = given.has("r") || given.has("R");
    const inputs = names.length > 0 ? names : [recursive ? "." : "-"];
    const syntax = given.has("P")
      ? "perl"
      : given.has("F")
      ? "fixed"
      : given.has("E")
      ? "extended"
      : given.has("G")
      ? "basic"
      : otherwise;
    const search = new Search(
      ctx,
      given,
      expressionOf(patterns, syntax, given),
      inputs.length > 1 || recursive && inputs[0] !== "-",
    );
    for (const name of inputs) await visit(ctx, search, given, name, names.length === 0 && recursive, recursive);
    const code = search.errors !== "" && !(given.has("q") && search.matched) ? 2 : search.matched ? 0 : 1;
    return bytesResult(encodeText(search.out.join("")), code, given.has("s") ? "" : search.errors);
  });
}

function colorless(args: string[]): string[] {
  return args.filter((arg) => !/^--colou?r(=|$)/.test(arg));
}

function expressionOf(patterns: string[], syntax: Syntax, given: Options): RegExp {
  const all = patterns.flatMap((pattern) => syntax === "perl" ? [pattern] : pattern.split("\n"));
  const flags = `g${given.has("i") || given.has("y") ? "i" : ""}`;
  const sources = all.map((pattern) => {
    const { source } = compileRegex(pattern, syntax, flags);
    if (given.has("x")) return `^(?:${source})$`;
    return given.has("w") ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  });
  if (all.length === 1 && !given.has("x") && !given.has("w")) return compileRegex(all[0], syntax, flags);
  return new RegExp(sources.map((source) => `(?:${source})`).join("|") || "(?!)", flags + "u");
}

async function visit(
  ctx: Context,
  search: Search,
  given: Options,
  name: string,
  bare: boolean,
  recursive: boolean,
): Promise<void> {
  if (name === "-") return search.one("(standard input)", stdinOf(ctx));
  const stat = await ctx.fs.stat(pathOf(ctx, name)).catch(() => undefined);
  if (!stat) {
    search.errors += `grep: ${name}: No such file or directory\n`;
  } else if (stat.isDirectory && !recursive) {
    search.errors += `grep: ${name}: Is a directory\n`;
  } else if (stat.isDirectory) {
    await descend(ctx, search, given, name, bare);
  } else {
    await file(ctx, search, given, name);
  }
}

async function file(ctx: Context, search: Search, given: Options, name: string): Promise<void> {
  if (given.has("q") && search.matched) return;
  try {
    search.one(name, await readInput(ctx, name));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    search.errors += `grep: ${error.message}\n`;
  }
}

async function descend(ctx: Context, search: Search, given: Options, folder: string, bare: boolean): Promise<void> {
  checkInterrupt(ctx);
  const base = pathOf(ctx, folder);
  for (const child of (await ctx.fs.readdir(base)).sort()) {
    const name = bare && folder === "." ? child : `${folder.replace(/\/$/, "")}/${child}`;
    const stat = await ctx.fs.lstat(`${base === "/" ? "" : base}/${child}`).catch(() => undefined);
    if (!stat || stat.isSymbolicLink && !given.has("R")) continue;
    if (stat.isDirectory) {
      if (!given.all("3").some((glob) => matches(glob.replace(/\/$/, ""), child))) {
        await descend(ctx, search, given, name, false);
      }
      continue;
    }
    const included = given.all("1");
    if (included.length > 0 && !included.some((glob) => matches(glob, child))) continue;
    if (!given.all("2").some((glob) => matches(glob, child))) await file(ctx, search, given, name);
  }
}

/** Whether a name fits a glob with `*`, `?`, `[...]` and `{a,b}` as the shell would have expanded it. */
function matches(glob: string, name: string): boolean {
  const source = glob.replace(/[.+^$()|\\{}]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".").replace(/\[!/g, "[^");
  return new RegExp(`^${source}$`, "u").test(name);
}

export const commands = [grep("grep", "basic"), grep("egrep", "extended"), grep("fgrep", "fixed")];
