/** rg: ripgrep as agents use it. */
import type { Command, ExecResult } from "just-bash";
import { decodeText, encodeText, fromArray } from "../text/byte_strings.ts";
import {
  checkInterrupt,
  CommandError,
  type Context,
  defineCommand,
  linesOf,
  pathOf,
  stdinOf,
  textResult,
} from "../just_bash/command.ts";
import { outputOf } from "../just_bash/output.ts";
import { reasonOf } from "../text/file_errors.ts";
import { asUtf8, checkEncoding } from "./encoding.ts";
import { Call } from "./options.ts";
import { JsonPrinter, LinePrinter, type Style } from "./print.ts";
import { compilePatterns, hasCapitals } from "./regex.ts";
import { type Block, linesIn, type SearchOptions, searchText } from "./search.ts";
import { type FoundFile, typesOf, Walk } from "./walk.ts";

const VERSION = "ripgrep 14.1.0";
const STDIN = "<stdin>";
const BEGINNING = 65_536;
const CONTEXT = ["context", "after-context", "before-context"];
const MODES = ["files-with-matches", "files-without-match", "count", "count-matches", "json"];

export const rg: Command = defineCommand("rg", async (args, ctx) => {
  const call = new Call(args);
  if (call.has("version")) return textResult(`${VERSION}\n`);
  if (call.has("help")) return textResult("Usage: rg [OPTIONS] PATTERN [PATH ...]\n");
  if (call.has("type-list")) return listTypes(call);
  if (call.has("files")) return await listFiles(call, ctx);
  return await new Run(call, ctx).search();
});

function listTypes(call: Call): ExecResult {
  const types = [...typesOf(call)].sort(([a], [b]) => a < b ? -1 : 1);
  return textResult(types.map(([name, globs]) => `${name}: ${globs.join(", ")}\n`).join(""));
}

async function listFiles(call: Call, ctx: Context): Promise<ExecResult> {
  const { found, errors } = await findFiles(call, ctx, call.paths);
  const end = call.has("null") ? "\0" : "\n";
  const shown = call.has("quiet") ? "" : found.map(({ name }) => name + end).join("");
  return ended(shown, errors, found.length > 0, call);
}

async function findFiles(call: Call, ctx: Context, paths: string[]): Promise<Walk> {
  const open = call.all("glob", "iglob").find(([, glob]) => /^[^[\\]*\[[^\]]*$/.test(glob));
  if (open) throw new CommandError(`error parsing glob '${open[1]}': unclosed character class; missing ']'`, 2);
  const walk = new Walk(ctx, call);
  if (paths.length === 0) await walk.add(".", "");
  for (const path of paths) await walk.add(path, path.length > 1 ? path.replace(/\/$/, "") : path);
  await sortFiles(walk.found, call, ctx);
  const separator = call.get("path-separator") || "/";
  if (separator.length > 1) throw new CommandError("A path separator must be exactly one byte", 2);
  if (separator !== "/") { for (const file of walk.found) file.name = file.name.replaceAll("/", separator); }
  return walk;
}

async function sortFiles(found: FoundFile[], call: Call, ctx: Context): Promise<void> {
  const option = call.last("sort", "sortr");
  const by = option && call.get(option);
  if (by === undefined || by === "none") return;
  if (!["path", "modified", "accessed", "created"].includes(by)) {
    throw new CommandError(`error parsing flag --${option}: choice '${by}' is unrecognized`, 2);
  }
  if (by !== "path") {
    const times = new Map<FoundFile, number>();
    for (const file of found) times.set(file, (await ctx.fs.stat(file.path)).mtime.getTime());
    found.sort((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
  }
  if (option === "sortr") found.reverse();
}

function ended(out: string, errors: string[], matched: boolean, call: Call): ExecResult {
  const failed = errors.length > 0 && !(matched && call.has("quiet"));
  const said = call.has("no-messages") ? "" : errors.map((error) => `rg: ${error}\n`).join("");
  return textResult(out, failed ? 2 : matched ? 0 : 1, said);
}

/** One call that searches. */
class Run {
  readonly #mode: string | undefined;
  readonly #errors: string[] = [];
  readonly #out: string[] = [];
  readonly #stats = { matches: 0, lines: 0, withMatch: 0, searched: 0, bytes: 0 };
  readonly #started = performance.now();
  #matched = false;

  constructor(private readonly call: Call, private readonly ctx: Context) {
    this.#mode = call.last(...MODES);
    if (this.#mode === "count" && call.has("only-matching")) this.#mode = "count-matches";
    if (this.#mode === "count-matches" && call.has("invert-match")) this.#mode = "count";
  }

  async search(): Promise<ExecResult> {
    const { call, ctx } = this;
    const { patterns, paths } = await this.#patterns();
    const options = this.#options(patterns);
    const output = outputOf(ctx);
    checkEncoding(call.get("encoding"));
    if (patterns.length === 0) return ended("", [], false, call);
    const used = call.all("file").some(([, file]) => file === "-");
    const piped = paths.length === 0 && !used && (stdinOf(ctx) !== "" || output.piped);
    const names = piped ? ["-"] : paths;
    const files = await this.#files(names);
    const many = names.length !== 1 || files.some(({ explicit }) => !explicit);
    const printer = new LinePrinter(this.#style(many, options, output.terminal));
    const json = this.#mode === "json" ? new JsonPrinter() : undefined;
    for (const file of files) {
      checkInterrupt(ctx);
      await this.#searchFile(file, options, printer, json);
      if (this.#matched && call.has("quiet")) break;
    }
    json?.finish();
    const found = call.has("quiet") ? "" : [...(json?.out ?? printer.out), ...this.#out].join("");
    const shown = call.has("stats") && !json ? found + this.#tellStats(encodeText(found).length) : found;
    return ended(shown, this.#errors, this.#matched, call);
  }

  async #patterns(): Promise<{ patterns: string[]; paths: string[] }> {
    const { call, ctx } = this;
    const patterns = call.all("regexp").map(([, pattern]) => pattern);
    for (const [, file] of call.all("file")) {
      const text = file === "-" ? decodeText(stdinOf(ctx)) : await this.#read(file);
      patterns.push(...linesOf(text));
    }
    const paths = [...call.paths];
    if (!call.has("regexp", "file")) {
      const first = paths.shift();
      if (first === undefined) throw new CommandError("the following required arguments were not provided: PATTERN", 2);
      patterns.push(first);
    }
    return { patterns, paths };
  }

  async #read(name: string): Promise<string> {
    try {
      return decodeText(fromArray(await this.ctx.fs.readFileBuffer(pathOf(this.ctx, name))));
    } catch (error) {
      throw new CommandError(`${name}: ${reasonOf(error)}`, 2);
    }
  }

  async #files(names: string[]): Promise<FoundFile[]> {
    const stdin: FoundFile = { name: STDIN, path: "-", explicit: true };
    if (names.length === 1 && names[0] === "-") return [stdin];
    const { found, errors } = await findFiles(this.call, this.ctx, names.filter((name) => name !== "-"));
    this.#errors.push(...errors);
    return names.includes("-") ? [stdin, ...found] : found;
  }

  #options(patterns: string[]): SearchOptions {
    const { call } = this;
    const fixed = call.has("fixed-strings");
    const casing = call.last("ignore-case", "case-sensitive", "smart-case");
    const small = !patterns.some((pattern) => hasCapitals(pattern, fixed));
    const multiline = call.last("multiline", "no-multiline") === "multiline";
    if (!multiline && !fixed && patterns.some((pattern) => /(?<!\\)(?:\\\\)*\\n/.test(pattern))) {
      throw new CommandError('the literal "\\n" is not allowed in a regex; use -U to search across lines', 2);
    }
    const around = call.number("context", 0);
    return {
      expression: compilePatterns(patterns, {
        ignoreCase: casing === "ignore-case" || casing === "smart-case" && small,
        fixed,
        word: call.has("word-regexp"),
        line: call.has("line-regexp"),
        dotAll: multiline && call.has("multiline-dotall"),
        crlf: call.has("crlf"),
        perl: call.has("pcre2") || call.get("engine") === "pcre2",
      }),
      multiline,
      invert: call.has("invert-match"),
      before: call.number("before-context", around),
      after: call.number("after-context", around),
      most: call.number("max-count", Infinity),
      all: call.last("passthru", "passthrough", ...CONTEXT)?.startsWith("pass") ?? false,
      end: call.has("null-data") ? "\0" : "\n",
    };
  }

  #style(many: boolean, { before, after, end, all }: SearchOptions, terminal: boolean): Style {
    const { call } = this;
    const pretty = call.has("pretty") || terminal;
    const named = call.last("with-filename", "no-filename");
    const numbered = call.last("line-number", "no-line-number");
    const separated = call.last("no-context-separator", "context-separator");
    const each = call.has("vimgrep");
    const color = call.get("color") ?? "auto";
    return {
      filename: named === undefined ? many || each : named === "with-filename",
      heading: (call.last("heading", "no-heading") ?? (pretty ? "heading" : "")) === "heading" && !each,
      lineNumber: numbered === undefined ? pretty || each || call.has("column") : numbered === "line-number",
      column: (call.last("column", "no-column") ?? (each ? "column" : "")) === "column",
      byteOffset: call.has("byte-offset"),
      only: call.has("only-matching"),
      each,
      trim: call.has("trim"),
      color: color === "always" || color === "ansi" || color === "auto" && pretty,
      null: call.has("null"),
      replace: call.get("replace"),
      maxColumns: call.number("max-columns", 0) || Infinity,
      preview: call.has("max-columns-preview"),
      separator: separated === "no-context-separator" ? undefined : call.get("context-separator") ?? "--",
      context: before + after > 0 && !all,
      matchMark: call.get("field-match-separator") ?? ":",
      contextMark: call.get("field-context-separator") ?? "-",
      end,
    };
  }

  async #searchFile(file: FoundFile, options: SearchOptions, printer: LinePrinter, json?: JsonPrinter): Promise<void> {
    const { call, ctx } = this;
    let bytes: string;
    try {
      const read = file.path === "-" ? stdinOf(ctx) : fromArray(await ctx.fs.readFileBuffer(file.path));
      bytes = asUtf8(read, call.get("encoding"));
    } catch (error) {
      this.#errors.push(`${file.name}: ${reasonOf(error)}`);
      return;
    }
    const binary = call.has("text", "null-data") ? -1 : bytes.indexOf("\0");
    const whole = file.explicit || call.has("binary") || call.count("unrestricted") > 2;
    // In a file that was found and not named, the text before a zero byte counts unless the zero is near the start.
    if (!whole && binary >= 0 && binary < BEGINNING) return;
    const text = decodeText(binary >= 0 && !whole ? bytes.slice(0, binary) : bytes);
    const blocks = searchText(text, options);
    const hits = blocks.filter(({ context }) => !context);
    const hit = hits.length > 0;
    this.#count(hits, bytes.length);
    this.#matched ||= this.#mode === "files-without-match" ? !hit : hit;
    if (this.#summarize(file, hits) || !hit && !options.all) return;
    if (json) return json.print(file.name, blocks, bytes.length, offsets(text));
    if (binary < 0 || !whole) printer.print(file.name, blocks, offsets(text));
    if (binary >= 0) this.#tellBinary(file, binary, whole, printer);
  }

  #count(hits: Block[], bytes: number): void {
    this.#stats.searched++;
    this.#stats.bytes += bytes;
    if (hits.length > 0) this.#stats.withMatch++;
    for (const { matches, text } of hits) {
      this.#stats.lines += linesIn(text);
      this.#stats.matches += matches.length;
    }
  }

  #tellStats(printed: number): string {
    const { matches, lines, withMatch, searched, bytes } = this.#stats;
    const counts = `${matches} matches\n${lines} matched lines\n${withMatch} files contained matches\n`;
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(6);
    return `\n${counts}${searched} files searched\n${printed} bytes printed\n${bytes} bytes searched\n` +
      `${seconds} seconds spent searching\n${seconds} seconds\n`;
  }

  #tellBinary({ name }: FoundFile, at: number, whole: boolean, printer: LinePrinter): void {
    const prefix = printer.named ? `${name}: ` : "";
    const where = `(found "\\0" byte around offset ${at})`;
    const says = whole ? "binary file matches" : "WARNING: stopped searching binary file after match";
    printer.out.push(`${prefix}${says} ${where}\n`);
  }

  /** Prints names or counts alone, if that is wanted. */
  #summarize({ name, explicit }: FoundFile, hits: Block[]): boolean {
    const { call } = this;
    const end = call.has("null") ? "\0" : "\n";
    if (this.#mode === "files-with-matches" || this.#mode === "files-without-match") {
      const wanted = hits.length > 0 === (this.#mode === "files-with-matches");
      if (wanted) this.#out.push(name + end);
      return true;
    }
    if (this.#mode !== "count" && this.#mode !== "count-matches") return false;
    const every = this.#mode === "count-matches";
    const count = hits.reduce((sum, { matches }) => sum + (every ? matches.length : 1), 0);
    const alone = explicit && call.paths.length <= (call.has("regexp", "file") ? 1 : 2);
    const named = call.last("with-filename", "no-filename") ?? (alone ? "no-filename" : "with-filename");
    const prefix = named === "with-filename" ? name + (call.has("null") ? "\0" : ":") : "";
    if (count > 0 || call.has("include-zero")) this.#out.push(`${prefix}${count}\n`);
    return true;
  }
}

/** The place of a character in bytes; asked for in ascending order, it looks at each part once. */
function offsets(text: string): (at: number) => number {
  let known = 0;
  let bytes = 0;
  return (at) => {
    if (at < known) return encodeText(text.slice(0, at)).length;
    bytes += encodeText(text.slice(known, at)).length;
    known = at;
    return bytes;
  };
}
