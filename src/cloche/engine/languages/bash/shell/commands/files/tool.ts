/** What the commands that handle files share: paths, messages, output, turns. */
import { FileError, type Stat } from "../../../../../fs/files.ts";
import { CommandError } from "../../../commands/command.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { Input } from "../../descriptors/input.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { resolvePath, type SystemFiles } from "../../processes/system_files.ts";
import type { Later } from "../../task.ts";
import { complain } from "../options.ts";
import { type Given, type Grammar, HelpWanted, readArguments } from "./arguments.ts";

/** The one user of a sandbox. */
export const USER_ID = 1000;
const OUTPUT_PIECE = 32_768;
/** Who computes without waiting lets others run this often. */
const BREATH_MS = 12;
const STANDARD_STREAM = /^\/dev\/(?:stdin|stdout|stderr|fd\/\d+)$/;

// deno-lint-ignore no-control-regex -- those are what is shown otherwise
const CONTROL = /([\x00-\x1f\x7f\udc80-\udcff]+)/u;

/** One run of a command. */
export class Tool {
  status = 0;
  readonly files: SystemFiles;
  readonly operands: string[];
  #buffer: string[] = [];
  #size = 0;
  #pending: Promise<void> | undefined;
  #breathed = performance.now();
  #input: Input | undefined;

  constructor(readonly context: CommandContext, readonly name: string, readonly given: Given) {
    this.files = context.files;
    this.operands = given.rest;
  }

  get user(): string {
    return this.context.env.USER || "user";
  }

  /** The absolute form of a name; `..` goes up from where a link leads. */
  path(name: string): string {
    if (name === "") throw new FileError("ENOENT", name);
    const whole = name.startsWith("/") ? name : `${this.context.cwd}/${name}`;
    if (!/(^|\/)\.\.(\/|$)/.test(name)) return resolvePath("/", whole);
    return whole.replace(/\/+/g, "/").replace(/(?:\/\.)+(?=\/|$)/g, "").replace(/(.)\/$/, "$1") || "/";
  }

  stat(name: string): Stat {
    const found = this.#device(name) ?? this.files.stat(this.path(name));
    return this.#checkSlash(name, found);
  }

  lstat(name: string): Stat {
    if (/\/\.?$/.test(name)) return this.stat(name);
    return this.#device(name) ?? this.files.lstat(this.path(name));
  }

  findStat(name: string): Stat | undefined {
    return attempt(() => this.stat(name));
  }

  findLstat(name: string): Stat | undefined {
    return attempt(() => this.lstat(name));
  }

  isFolder(name: string): boolean {
    return this.findStat(name)?.kind === "directory";
  }

  #device(name: string): Stat | undefined {
    if (!STANDARD_STREAM.test(name)) return undefined;
    return { kind: "other", mode: 0o20666, size: 0, mtime: 0, atime: 0, ino: 1, links: 1 };
  }

  #checkSlash(name: string, found: Stat): Stat {
    if (name.endsWith("/") && found.kind !== "directory") throw new FileError("ENOTDIR", name);
    return found;
  }

  /** Keeps text for standard output; it is written at the next turn, before a message, or at the end. */
  print(text: string): void {
    this.#buffer.push(text);
    this.#size += text.length;
  }

  /** Says what went wrong; the exit code is not 0 any more. */
  fail(text: string, code = 1): void {
    this.status = Math.max(this.status, code);
    this.warn(text);
  }

  warn(text: string): void {
    this.warnPlainly(`${this.name}: ${text}`);
  }

  /** A line at standard error. */
  warnPlainly(line: string): void {
    this.#drain();
    complain(this.context, line);
  }

  /** Runs something that may fail, and says so. */
  try(what: string, act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.fail(`${what}: ${reasonOf(error)}`);
      return false;
    }
  }

  /** Asks at standard error; the answer comes from standard input. */
  async ask(question: string, before = `${this.name}: `): Promise<boolean> {
    await this.flush();
    await this.context.fds.find(2)?.write(toArray(encodeText(`${before}${question} `)));
    this.#input ??= new Input(this.context.fds.get(0));
    const line = await this.#input.readLine();
    return line !== undefined && (line[0] | 32) === 121;
  }

  /** To be called in every loop: lets others run now and then, and ends when it is to end. */
  turn(): Later<void> {
    if (this.#size > OUTPUT_PIECE) this.#drain();
    if (this.#pending === undefined && performance.now() - this.#breathed < BREATH_MS) return;
    return this.#wait();
  }

  async #wait(): Promise<void> {
    await this.#settle();
    if (performance.now() - this.#breathed < BREATH_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#breathed = performance.now();
    this.context.signal.throwIfAborted();
  }

  async flush(): Promise<void> {
    this.#drain();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const pending = this.#pending;
    this.#pending = undefined;
    await pending;
  }

  #drain(): void {
    if (this.#size === 0) return;
    const bytes = toArray(encodeText(this.#buffer.join("")));
    this.#buffer = [];
    this.#size = 0;
    const out = this.context.fds.get(1);
    if (this.#pending) this.#pending = this.#pending.then(() => out.write(bytes));
    else this.#pending = out.write(bytes) ?? undefined;
    this.#pending?.catch(() => {});
  }
}

type RunTool = (tool: Tool) => Later<number | void>;

/** A command that can also be run with other words than it was called with. */
export interface ToolCommand extends Command {
  runWith(context: CommandContext, argv: readonly string[]): Promise<number>;
}

/** A command for files: options are read, messages and output are taken care of. */
export function defineTool(name: string, grammar: Grammar, run: RunTool): ToolCommand {
  return {
    name,
    run: (context) => runTool(context, context.argv, name, grammar, run),
    runWith: (context, argv) => runTool(context, argv, name, grammar, run),
  };
}

async function runTool(
  context: CommandContext,
  argv: readonly string[],
  name: string,
  grammar: Grammar,
  run: RunTool,
): Promise<number> {
  let tool: Tool | undefined;
  try {
    tool = new Tool(context, name, readArguments(name, argv.slice(1), grammar));
    const code = await run(tool);
    await tool.flush();
    return code ?? tool.status;
  } catch (error) {
    if (error instanceof HelpWanted) {
      await context.fds.get(1).write(toArray(error.message));
      return 0;
    }
    if (!(error instanceof CommandError) && !(error instanceof FileError)) throw error;
    await tool?.flush();
    complain(context, `${name}: ${error instanceof CommandError ? messageOf(name, error) : reasonOf(error)}`);
    return error instanceof CommandError ? error.code : grammar.code ?? 1;
  }
}

/** Every line of tar's begins with its name. */
function messageOf(name: string, { message }: CommandError): string {
  return name === "tar" ? message.replace(/\n(?!Try )/g, "\ntar: ") : message;
}

/** A wrong call, with the line that points to the help. */
export function usageError(name: string, message: string, code = 1): CommandError {
  return new CommandError(`${message}\nTry '${name} --help' for more information.`, code);
}

export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof FileError ? error.code : undefined;
}

/** A name as messages show it. */
export function quote(name: string): string {
  if (CONTROL.test(name)) {
    const parts = name.split(CONTROL);
    const shown = parts.map((part, i) => i % 2 ? `$'${[...part].map(escapeControl).join("")}'` : quoted(part));
    return shown.filter((part) => part !== "").join("");
  }
  return name.includes("'") && !/["$`\\]/.test(name) ? `"${name}"` : quoted(name, true);
}

function quoted(text: string, always = false): string {
  return text === "" && !always ? "" : `'${text.replaceAll("'", "'\\''")}'`;
}

const CONTROLS: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\x07": "\\a" };

function escapeControl(char: string): string {
  return CONTROLS[char] ?? `\\${(char.charCodeAt(0) & 255).toString(8).padStart(3, "0")}`;
}

/** The last part of a path, without slashes after it. */
export function baseName(name: string): string {
  const trimmed = name.replace(/\/+$/, "");
  return trimmed === "" ? name.slice(0, 1) : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

export function dirName(name: string): string {
  const trimmed = name.replace(/\/+$/, "");
  if (trimmed === "") return name === "" ? "." : "/";
  const slash = trimmed.lastIndexOf("/");
  return slash < 0 ? "." : trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
}

export function joinName(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** The names in a folder, in the order of their characters. */
export function sortedNames(files: SystemFiles, path: string): string[] {
  return files.list(path).map(({ name }) => name).sort();
}

export function decodeBytes(bytes: Uint8Array): string {
  return decodeText(fromArray(bytes));
}

/** Space on the disk in blocks of 512 bytes, by pages of 4096. */
export function blocksOf({ kind, size }: Stat): number {
  if (kind === "directory") return 8;
  return kind === "file" ? Math.ceil(size / 4096) * 8 : 0;
}

export function sizeOfStat({ kind, size }: Stat): number {
  return kind === "directory" && size === 0 ? 4096 : size;
}

/** Names of a directory: itself, `.` in it, and the `..` of each folder in it. */
export function linksOf(files: SystemFiles, path: string, stat: Stat): number {
  if (stat.kind !== "directory" || stat.links > 1) return stat.links;
  const children = attempt(() => files.list(path)) ?? [];
  return 2 + children.filter(({ kind }) => kind === "directory").length;
}
