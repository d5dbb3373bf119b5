/** grep, egrep, fgrep. */
import { FileError } from "../../../../../fs/files.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { TextStream } from "../../descriptors/devices.ts";
import { compilePattern } from "../../expansion/patterns.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { compressorByBytes, decompress } from "../files/tar/compression.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, HelpWanted } from "../tool/errors.ts";
import { versionOf } from "../tool/options.ts";
import { CHUNK } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { compilePatterns, type Syntax } from "./patterns.ts";
import { Search } from "./search.ts";

const USAGE = {
  letters: "EFGPe:f:iyvwxclLm:oqsnHhA:B:C:aIrRbZzTUud:D:V",
  long: {
    "extended-regexp": "E",
    "fixed-strings": "F",
    "basic-regexp": "G",
    "perl-regexp": "P",
    "regexp=": "e",
    "file=": "f",
    "ignore-case": "i",
    "no-ignore-case": "no-ignore-case",
    "invert-match": "v",
    "word-regexp": "w",
    "line-regexp": "x",
    count: "c",
    "files-with-matches": "l",
    "files-without-match": "L",
    "max-count=": "m",
    "only-matching": "o",
    quiet: "q",
    silent: "q",
    "no-messages": "s",
    "line-number": "n",
    "with-filename": "H",
    "no-filename": "h",
    "after-context=": "A",
    "before-context=": "B",
    "context=": "C",
    text: "a",
    recursive: "r",
    "dereference-recursive": "R",
    "byte-offset": "b",
    null: "Z",
    "null-data": "z",
    "include=": "include",
    "exclude=": "exclude",
    "exclude-from=": "exclude-from",
    "exclude-dir=": "exclude-dir",
    "color?": "color",
    "colour?": "color",
    "line-buffered": "line-buffered",
    "binary-files=": "binary-files",
    binary: "U",
    "initial-tab": "T",
    "label=": "label",
    "directories=": "d",
    "devices=": "D",
    "group-separator=": "group-separator",
    "no-group-separator": "no-group-separator",
  },
  synopsis: "[OPTION]... PATTERNS [FILE]...",
  code: 2,
};
const SYNTAXES: Record<string, Syntax> = { E: "extended", F: "fixed", G: "basic", P: "perl" };

/** `inside` looks into compressed files, as zgrep does. */
function define(name: string, otherwise: Syntax, inside = false) {
  const run = async (tool: Tool) => {
    const { given } = tool;
    const operands = [...given.operands];
    if (given.has("V")) throw new HelpWanted(versionOf(name));
    const patterns = await readPatterns(tool, operands);
    if (patterns === undefined) return explainUse(tool);
    const recursive = given.has("r") || given.has("R") || given.get("d") === "recurse";
    const inputs = operands.length > 0 ? operands : [recursive ? "." : "-"];
    const many = inputs.length > 1 || recursive && inputs[0] !== "-" && isFolder(tool, inputs[0]);
    const named = given.last("H", "h") === "H" || many && !given.has("h");
    const syntax = SYNTAXES[given.last("E", "F", "G", "P") ?? ""] ?? otherwise;
    const search = new Search(tool, compilePatterns(patterns, syntax, given), named);
    const walk = new Walk(tool, search, {
      recursive,
      bare: operands.length === 0 && recursive,
      inside,
      excludedFrom: await readExcluded(tool),
    });
    for (const input of inputs) {
      if (!search.done) await walk.visit(input);
    }
    return search.failed && !search.done ? 2 : search.matched ? 0 : 1;
  };
  return defineTool(name, USAGE, run, (args) => args.map((arg) => /^-\d+$/.test(arg) ? `-C${arg.slice(1)}` : arg));
}

/** Globs of files that are not searched, from the files that list them. */
async function readExcluded(tool: Tool): Promise<string[]> {
  const device = tool.given.get("D") ?? "read";
  if (device !== "read" && device !== "skip") throw new CommandError("unknown devices method", 2);
  const globs: string[] = [];
  for (const name of tool.given.all("exclude-from")) {
    globs.push(...(await tool.readText(name)).split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  }
  return globs;
}

function explainUse(tool: Tool): number {
  tool.say(`Usage: ${tool.name} ${USAGE.synopsis}\nTry '${tool.name} --help' for more information.`);
  return USAGE.code;
}

/** The patterns that were given; undefined if there are none. */
async function readPatterns(tool: Tool, operands: string[]): Promise<string[] | undefined> {
  const { given } = tool;
  const patterns: string[] = [];
  for (const [key, value = ""] of given.list) {
    if (key === "e") patterns.push(value);
    if (key !== "f") continue;
    const text = await tool.readText(value);
    if (text !== "") patterns.push(...text.replace(/\n$/, "").split("\n"));
  }
  if (given.has("e") || given.has("f")) return patterns;
  const pattern = operands.shift();
  return pattern === undefined ? undefined : [pattern];
}

function isFolder({ context }: Tool, name: string): boolean {
  try {
    return context.files.stat(context.files.resolve(context.cwd, name)).kind === "directory";
  } catch {
    return false;
  }
}

/** How files are gone through. */
interface Manner {
  recursive: boolean;
  /** No folder was named: paths are given without `./`. */
  bare: boolean;
  /** Compressed files are looked into. */
  inside: boolean;
  excludedFrom: string[];
}

/** Goes through files and folders. */
class Walk {
  readonly #include: (name: string) => boolean;
  readonly #excludeFolder: (name: string) => boolean;

  constructor(
    private readonly tool: Tool,
    private readonly search: Search,
    private readonly manner: Manner,
  ) {
    const { given } = tool;
    const { excludedFrom } = manner;
    const matches = (patterns: string[]) => {
      const all = patterns.map((pattern) => compilePattern(pattern.replace(/(.)\/+$/, "$1")));
      return (name: string) => all.some((one) => one.match(name));
    };
    const included = matches(given.all("include"));
    const excluded = matches([...given.all("exclude"), ...excludedFrom]);
    this.#include = (name) => (!given.has("include") || included(name)) && !excluded(name);
    this.#excludeFolder = matches(given.all("exclude-dir"));
  }

  async visit(name: string): Promise<void> {
    const { tool, search } = this;
    const { recursive, bare } = this.manner;
    if (name === "-") {
      return await search.one(await this.#unpack(tool.open("-")), tool.given.get("label") ?? "(standard input)");
    }
    try {
      const folder = isFolder(tool, name);
      if (folder && recursive) {
        if (name === "." || !this.#excludeFolder(baseOf(name))) await this.#folder(name, bare ? "" : name);
      } else if (folder && tool.given.get("d") === "skip") return;
      else if (folder || this.#include(baseOf(name))) await this.#file(name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      search.fail(name, error);
    }
  }

  async #file(name: string): Promise<void> {
    let stream: OpenStream | undefined;
    try {
      stream = this.tool.open(name);
      if (this.tool.given.get("D") === "skip" && stream.kind !== "file") return;
      await this.search.one(await this.#unpack(stream), name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.search.fail(name, error);
    } finally {
      stream?.close();
    }
  }

  /** What a compressed file holds, if that is wanted. */
  async #unpack(stream: OpenStream): Promise<OpenStream> {
    if (!this.manner.inside) return stream;
    const first = await stream.read(CHUNK) ?? new Uint8Array();
    stream.unread(first);
    const compressor = compressorByBytes(first);
    if (compressor.kind === "none") return stream;
    const parts: Uint8Array[] = [];
    for await (const part of decompress(this.tool, compressor, stream)) parts.push(part);
    return new TextStream(concatBytes(parts));
  }

  async #folder(path: string, shown: string): Promise<void> {
    const { context, given } = this.tool;
    const { files, cwd } = context;
    const turn = this.tool.attend();
    if (turn instanceof Promise) await turn;
    const entries = files.list(files.resolve(cwd, path)).sort((a, b) => a.name < b.name ? -1 : 1);
    for (const { name, kind } of entries) {
      if (this.search.done) return;
      const inner = shown === "" ? name : `${shown.replace(/\/+$/, "")}/${name}`;
      if (kind === "link" && !given.has("R")) continue;
      if (kind === "directory" || kind === "link" && isFolder(this.tool, inner)) {
        if (!this.#excludeFolder(name)) await this.#folder(inner, inner);
      } else if (kind !== "other" && this.#include(name)) await this.#file(inner);
    }
  }
}

function baseOf(name: string): string {
  return name.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

export const commands = [
  define("grep", "basic"),
  define("egrep", "extended"),
  define("fgrep", "fixed"),
  ...["zgrep", "bzgrep", "xzgrep", "zstdgrep"].map((name) => define(name, "basic", true)),
  define("zegrep", "extended", true),
  define("zfgrep", "fixed", true),
];
