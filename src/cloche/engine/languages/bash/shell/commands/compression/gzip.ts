/** gzip, gunzip and zcat. */
import { FileError, type Stat } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { Command } from "../../processes/command.ts";
import { defineFileTool, type FileTool } from "../files/file_tool.ts";
import { baseName, dirName, joinName, sortedNames } from "../files/paths.ts";
import { readAll } from "../tool/streams.ts";
import { BadData } from "./bits.ts";
import { decodeGzip, encodeGzip, ENDING, readHeader } from "./gzip_format.ts";

const USAGE = {
  letters: "cdfklnNqrS:tv123456789",
  long: {
    stdout: "c",
    "to-stdout": "c",
    decompress: "d",
    uncompress: "d",
    force: "f",
    keep: "k",
    list: "l",
    "no-name": "n",
    name: "N",
    quiet: "q",
    recursive: "r",
    suffix: "S",
    test: "t",
    verbose: "v",
    fast: "1",
    best: "9",
  },
  synopsis: "[OPTION]... [FILE]...",
};
const SUFFIXES: Record<string, string> = {
  ".gz": "",
  "-gz": "",
  ".z": "",
  "-z": "",
  "_z": "",
  ".tgz": ".tar",
  ".taz": ".tar",
};
const WARNED = 2;

/** One call: what it does to each file. */
class Gzip {
  readonly #unpacks: boolean;
  readonly #suffix: string;
  /** To be said when the data has been written. */
  #remark: string | undefined;
  readonly #total = { files: 0, packed: 0, size: 0, bodies: 0 };

  constructor(private readonly tool: FileTool) {
    const { given } = tool;
    this.#unpacks = given.has("d") || given.has("t") || given.has("l");
    this.#suffix = given.get("S") ?? ".gz";
  }

  /** A warning is the code 2, unless something has failed. */
  #warn(text: string): void {
    const gap = text.endsWith("garbage ignored") ? "\n" : "";
    if (!this.tool.given.has("q")) this.tool.say(`${gap}gzip: ${text}`);
    if (this.tool.code === 0) this.tool.code = WARNED;
  }

  #fail(text: string): void {
    this.tool.say(`gzip: ${text}`);
    this.tool.code = 1;
  }

  async run(name: string): Promise<void> {
    const { tool } = this;
    await tool.attend();
    try {
      if (name === "-") await this.#copyStream();
      else await this.#runFile(name);
      if (this.#remark !== undefined) this.#warn(this.#remark);
      this.#remark = undefined;
    } catch (error) {
      if (error instanceof BadData) {
        const shown = name === "-" ? "stdin" : name;
        tool.say("");
        this.#fail(`${shown}: ${error.message}`);
      } else if (error instanceof FileError) this.#fail(`${name}: ${reasonOf(error)}`);
      else throw error;
    }
  }

  async #copyStream(): Promise<void> {
    const { tool } = this;
    const data = await readAll(tool.context.fds.get(0));
    if (tool.given.has("l")) return this.#list("stdout", data, (await this.#decode("stdin", data)).length);
    const result = this.#unpacks ? await this.#decode("stdin", data) : await this.#encode(data, { mtime: 0 });
    if (!tool.given.has("t")) await tool.context.fds.get(1).write(result);
  }

  #encode(data: Uint8Array, origin: { name?: string; mtime: number }): Promise<Uint8Array> {
    const level = Number([..."123456789"].findLast((digit) => this.tool.given.has(digit)) ?? 6);
    return encodeGzip(data, level, origin);
  }

  async #decode(name: string, data: Uint8Array): Promise<Uint8Array> {
    if (data.length === 0) throw new BadData("unexpected end of file");
    const { content, rest } = await decodeGzip(data);
    if (rest) this.#remark = `${name}: decompression OK, trailing garbage ignored`;
    return content;
  }

  async #runFile(given: string): Promise<void> {
    const { tool } = this;
    // gunzip a finds a.gz.
    const name = this.#unpacks && !tool.findLstat(given) && tool.findStat(given + this.#suffix)
      ? given + this.#suffix
      : given;
    const stat = tool.stat(name);
    if (stat.kind === "directory") {
      if (!tool.given.has("r")) return this.#warn(`${name} is a directory -- ignored`);
      for (const child of sortedNames(tool.files, tool.path(name))) await this.run(joinName(name, child));
      return;
    }
    const data = tool.files.readFile(tool.path(name));
    if (tool.given.has("l")) {
      return this.#list(this.#targetOf(name) ?? name, data, (await this.#decode(name, data)).length);
    }
    if (tool.given.has("c") || tool.given.has("t")) {
      const result = this.#unpacks
        ? await this.#decodeOrPass(name, data)
        : await this.#encode(data, this.#originOf(name, stat));
      if (!tool.given.has("t")) await tool.context.fds.get(1).write(result);
      else if (tool.given.has("v")) tool.say(`${name}:\t OK`);
      return;
    }
    await this.#replace(name, stat, data);
  }

  /** `zcat -f` passes on what is not compressed. */
  async #decodeOrPass(name: string, data: Uint8Array): Promise<Uint8Array> {
    try {
      return await this.#decode(name, data);
    } catch (error) {
      if (error instanceof BadData && error.message === "not in gzip format" && this.tool.given.has("f")) return data;
      throw error;
    }
  }

  #originOf(name: string, stat: Stat): { name?: string; mtime: number } {
    if (this.tool.given.has("n")) return { mtime: 0 };
    return { name: baseName(name), mtime: Math.floor(stat.mtime / 1000) };
  }

  #targetOf(name: string): string | undefined {
    if (!this.#unpacks) return name + this.#suffix;
    if (name.endsWith(this.#suffix) && name.length > this.#suffix.length) return name.slice(0, -this.#suffix.length);
    for (const [end, instead] of Object.entries(SUFFIXES)) {
      if (name.endsWith(end) && name.length > end.length) return name.slice(0, -end.length) + instead;
    }
    return undefined;
  }

  async #replace(name: string, stat: Stat, data: Uint8Array): Promise<void> {
    const { tool } = this;
    const { given, files } = tool;
    let target = this.#targetOf(name);
    if (target === undefined) return this.#warn(`${name}: unknown suffix -- ignored`);
    if (!this.#unpacks && name.endsWith(this.#suffix) && !given.has("f")) {
      return this.#warn(`${name} already has ${this.#suffix} suffix -- unchanged`);
    }
    if (this.#unpacks && given.has("N")) {
      const stored = readHeader(data).name;
      if (stored !== undefined) target = joinName(dirName(name), baseName(stored)).replace(/^\.\//, "");
    }
    if (tool.findLstat(target)) {
      if (!given.has("f")) return this.#warn(`${target} already exists;\tnot overwritten`);
      files.removeFile(tool.path(target));
    }
    const result = this.#unpacks
      ? await this.#decode(name, data)
      : await this.#encode(data, this.#originOf(name, stat));
    const stream = tool.create(target);
    try {
      await stream.write(result);
    } finally {
      stream.close();
    }
    files.chmod(tool.path(target), stat.mode & 0o777);
    files.setTimes(tool.path(target), stat.atime, stat.mtime);
    if (!given.has("k")) files.removeFile(tool.path(name));
    if (!given.has("v")) return;
    const [packed, whole] = this.#unpacks ? [data, result] : [result, data];
    tool.say(`${name}:\t${ratio(whole.length, packed)} -- ${given.has("k") ? "created" : "replaced with"} ${target}`);
  }

  #list(name: string, data: Uint8Array, size: number): void {
    const { tool } = this;
    if (this.#total.files === 0 && !tool.given.has("q")) {
      tool.print("         compressed        uncompressed  ratio uncompressed_name\n");
    }
    const number = (value: number) => String(value).padStart(19);
    tool.print(`${number(data.length)} ${number(size)} ${ratio(size, data)} ${name}\n`);
    this.#total.packed += data.length;
    this.#total.size += size;
    this.#total.bodies += bodyOf(data);
    this.#total.files++;
  }

  /** The last line of -l for several files. */
  finish(): void {
    const { packed, size, bodies, files } = this.#total;
    if (files < 2) return;
    const number = (value: number) => String(value).padStart(19);
    this.tool.print(`${number(packed)} ${number(size)} ${percent(size, bodies)} (totals)\n`);
  }
}

/** How many bytes the deflated data has. */
function bodyOf(packed: Uint8Array): number {
  return packed.length - readHeader(packed).end - ENDING;
}

/** How much smaller it has become. */
function ratio(size: number, packed: Uint8Array): string {
  return percent(size, bodyOf(packed));
}

function percent(size: number, body: number): string {
  const share = size === 0 ? 0 : (size - body) / size * 100;
  return `${share.toFixed(1).padStart(5)}%`;
}

function defineGzip(name: string, flags: string[]): Command {
  return defineFileTool(name, USAGE, async (tool) => {
    const gzip = new Gzip(tool);
    for (const file of tool.inputs) await gzip.run(file);
    gzip.finish();
  }, (args) => [...flags, ...args]);
}

export const gzipCommands: Command[] = [
  defineGzip("gzip", []),
  defineGzip("gunzip", ["-d"]),
  defineGzip("zcat", ["-dc"]),
];
