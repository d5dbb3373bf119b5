/** diff: files and folders compared line by line. */
import { FileError } from "../../../../../fs/files.ts";
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { splitLines } from "../../../text/diff/unified_hunks.ts";
import { compilePattern, type Matcher } from "../../expansion/patterns.ts";
import { isFifo } from "../files/modes.ts";
import { formatTime } from "../files/times.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { CHARACTERS } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { findChanges } from "./diff_changes.ts";
import { DIFF_USAGE, nameContext } from "./diff_options.ts";
import { renderDiff, type Side } from "./diff_render.ts";

const TROUBLE = 2;
const LINK = "symbolic link";

class Comparison {
  readonly #excluded: Matcher[] = [];
  /** The options as they were typed, for the lines that name pairs of files. */
  readonly #typed: string;

  constructor(private readonly tool: Tool) {
    const words = tool.context.argv.slice(1);
    const operands = new Set(tool.operands);
    this.#typed = words.filter((word) => !operands.has(word) && word !== "--").map((word) => ` ${quoteWord(word)}`)
      .join("");
  }

  async run(first: string, second: string): Promise<void> {
    if (first === "-" && second === "-") return;
    await this.#readExcluded();
    if (this.tool.given.has("no-dereference") && this.#refuseLinks(first, second)) return;
    const [a, b] = [this.#kindOf(first), this.#kindOf(second)];
    if (a === undefined || b === undefined) {
      const empty = this.tool.given.has("N") && (a ?? b) !== undefined && (a ?? b) !== "directory";
      if (!empty) return;
    }
    if (a === "directory" && b === "directory") return await this.#compareFolders(first, second);
    const inside = (folder: string, file: string) => `${folder.replace(/\/+$/, "")}/${file.split("/").at(-1)}`;
    if (a === "directory") return await this.#compareFiles(inside(first, second), second);
    if (b === "directory") return await this.#compareFiles(first, inside(second, first));
    await this.#compareFiles(first, second);
  }

  async #readExcluded(): Promise<void> {
    const { given } = this.tool;
    const words = given.all("x");
    for (const name of given.all("X")) {
      words.push(...(await this.tool.readText(name)).split("\n").filter((line) => line !== ""));
    }
    this.#excluded.push(...words.map((word) => compilePattern(word, { extglob: false })));
  }

  /** What a file is; what cannot be found is reported, unless it is to count as empty. */
  #kindOf(name: string): string | undefined {
    if (name === "-") return "file";
    try {
      return this.#stat(name).kind;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (!this.tool.given.has("N") || error.code !== "ENOENT") {
        this.tool.report(`${name}: ${reasonOf(error)}`, TROUBLE);
      }
      return undefined;
    }
  }

  #stat(name: string) {
    if (!/^\/dev\/(?:stdin|fd\/\d+)$/.test(name)) return this.tool.context.files.stat(this.#path(name));
    const stream = this.tool.context.open(name, { read: true, write: false });
    try {
      return stream.stat();
    } finally {
      stream.close();
    }
  }

  async #compareFiles(first: string, second: string, head = ""): Promise<void> {
    const { tool } = this;
    const { given } = tool;
    const [a, b] = [await this.#read(first), await this.#read(second)];
    if (!a || !b) return;
    const same = a.text === b.text;
    const binary = !given.has("a") && (a.text.includes("\0") || b.text.includes("\0"));
    const changes = same || binary ? [] : await findChanges(tool, a, b);
    const shown = given.has("y", "old-line", "new-line", "unchanged-line", "line", "D");
    if ((same || !binary && changes.length === 0) && !(shown && !given.has("q"))) {
      if (given.has("s")) tool.print(`Files ${first} and ${second} are identical\n`);
      return;
    }
    if (!same && (binary || changes.length > 0)) tool.code = Math.max(tool.code, 1);
    if (given.has("q")) return tool.print(`Files ${first} and ${second} differ\n`);
    if (binary) return tool.print(`Binary files ${first} and ${second} differ\n`);
    tool.print(head + renderDiff(given, a, b, changes));
    if (given.last("e", "f") === undefined) return;
    // Neither form can tell that a last line has no end.
    for (const { open, name } of [a, b]) if (open) tool.report(`${name}: No newline at end of file\n`, TROUBLE);
  }

  async #read(name: string): Promise<Side | undefined> {
    const { tool } = this;
    const zone = tool.context.env.TZ;
    const stamp = (ms: number) => formatTime("%Y-%m-%d %H:%M:%S.%N %z", ms, zone);
    try {
      const time = name === "-" ? Date.now() : this.#stat(name).mtime;
      const text = decodeText(fromArray(await tool.readFile(name)));
      return { name, text, stamp: stamp(time), ...splitLines(text) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (tool.given.has("N") && error.code === "ENOENT") {
        return { name, text: "", stamp: stamp(0), lines: [], open: false };
      }
      tool.report(`${name}: ${reasonOf(error)}`, TROUBLE);
      return undefined;
    }
  }

  async #compareFolders(first: string, second: string): Promise<void> {
    const { tool } = this;
    const { given } = tool;
    const [a, b] = [this.#list(first), this.#list(second)];
    const start = given.get("S");
    for (const name of [...new Set([...a, ...b])].sort()) {
      await tool.attend();
      if (start !== undefined && name < start || this.#excluded.some((pattern) => pattern.match(name))) continue;
      const paths: [string, string] = [join(first, name), join(second, name)];
      const missing = !a.has(name) ? "first" : !b.has(name) ? "second" : undefined;
      const empty = given.has("N") || missing === "first" && given.has("unidirectional");
      if (missing !== undefined && !empty) {
        tool.print(`Only in ${trim(missing === "first" ? second : first)}: ${name}\n`);
        tool.code = Math.max(tool.code, 1);
      } else await this.#comparePair(paths, missing);
    }
  }

  async #comparePair([a, b]: [string, string], missing: string | undefined): Promise<void> {
    const { tool } = this;
    const { given } = tool;
    const kinds = [
      missing === "first" ? undefined : this.#kindIn(a),
      missing === "second" ? undefined : this.#kindIn(b),
    ];
    const folders = kinds.filter((kind) => kind === "directory").length;
    if (folders === 2 || folders === 1 && missing !== undefined) {
      if (given.has("r")) await this.#compareFolders(a, b);
      else tool.print(`Common subdirectories: ${a} and ${b}\n`);
    } else if (folders === 1) {
      this.#tellTypes([a, b], [this.#typeOf(a), this.#typeOf(b)]);
    } else if (kinds.includes("link")) this.#refuseLinks(a, b);
    else await this.#compareFiles(a, b, `diff${this.#typed} ${a} ${b}\n`);
  }

  #kindIn(name: string): string | undefined {
    const { files } = this.tool.context;
    const path = this.#path(name);
    if (!this.tool.given.has("no-dereference")) return this.#kindOf(name);
    return files.lstat(path).kind;
  }

  /** Compares two links by where they lead, or says that only one is a link; false if none is. */
  #refuseLinks(first: string, second: string): boolean {
    const types = [this.#typeOf(first), this.#typeOf(second)];
    if (types.every((type) => type === LINK)) this.#compareLinks(first, second);
    else if (types.includes(LINK) && !types.includes(undefined)) this.#tellTypes([first, second], types);
    return types.includes(LINK);
  }

  /** What a file is in words, a link being one. */
  #typeOf(name: string): string | undefined {
    const { files, fds } = this.tool.context;
    try {
      const stat = name === "-" ? fds.get(0).stat() : files.lstat(this.#path(name));
      if (stat.kind === "link") return LINK;
      if (stat.kind === "directory") return "directory";
      if (stat.kind === "file") return stat.size === 0 ? "regular empty file" : "regular file";
      return isFifo(stat) ? "fifo" : "character special file";
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return undefined;
    }
  }

  #tellTypes([a, b]: [string, string], types: (string | undefined)[]): void {
    this.tool.print(`File ${a} is a ${types[0]} while file ${b} is a ${types[1]}\n`);
    this.tool.code = Math.max(this.tool.code, 1);
  }

  #compareLinks(a: string, b: string): void {
    const { tool } = this;
    const target = (name: string) => {
      try {
        return tool.context.files.readLink(this.#path(name));
      } catch {
        return undefined;
      }
    };
    if (target(a) === target(b)) return;
    tool.print(`Symbolic links ${a} and ${b} differ\n`);
    tool.code = Math.max(tool.code, 1);
  }

  #path(name: string): string {
    return name.startsWith("/") ? name : `${this.tool.context.cwd}/${name}`;
  }

  #list(name: string): Set<string> {
    try {
      return new Set(this.tool.context.files.list(this.#path(name)).map((entry) => entry.name));
    } catch (error) {
      if (error instanceof FileError && error.code === "ENOENT") return new Set();
      throw error;
    }
  }
}

function quoteWord(word: string): string {
  return /[^\w@%+=:,./-]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : word;
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function trim(folder: string): string {
  return folder.replace(/(.)\/+$/, "$1");
}

const diff = defineTool("diff", DIFF_USAGE, async (tool) => {
  const { given } = tool;
  tool.out.coding = CHARACTERS;
  const from = given.get("from-file");
  const to = given.get("to-file");
  const names = [...tool.operands];
  const comparison = new Comparison(tool);
  if (from !== undefined || to !== undefined) {
    for (const name of names) await comparison.run(from ?? name, to ?? name);
    return;
  }
  if (names.length < 2) {
    throw new UsageError(names.length === 0 ? "missing operand after 'diff'" : `missing operand after '${names[0]}'`);
  }
  if (names.length > 2) throw new UsageError(`extra operand '${names[2]}'`);
  if (given.has("l")) throw new CommandError("-l is not available; pipe to pr", TROUBLE);
  await comparison.run(names[0], names[1]);
}, nameContext);

export const commands = [diff];
