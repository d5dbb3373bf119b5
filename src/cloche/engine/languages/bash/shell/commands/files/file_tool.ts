/** What the commands that handle files share: paths, and questions. */
import { FileError, type Stat } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { Input } from "../../descriptors/input.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { resolvePath, type SystemFiles } from "../../processes/system_files.ts";
import type { Later } from "../../task.ts";
import { defineToolOf, type Rewrite } from "../tool/define.ts";
import type { Given, Usage } from "../tool/options.ts";
import { CHARACTERS } from "../tool/streams.ts";
import { Tool } from "../tool/tool.ts";
import { attempt } from "./paths.ts";

const STANDARD_STREAM = /^\/dev\/(?:stdin|stdout|stderr|fd\/\d+)$/;

/** One call of a command for files. */
export class FileTool extends Tool {
  readonly files: SystemFiles;
  #input: Input | undefined;

  constructor(context: CommandContext, name: string, given: Given) {
    super(context, name, given, CHARACTERS);
    this.files = context.files;
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

  /** Runs something that may fail, and says so. */
  try(what: string, act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.report(`${what}: ${reasonOf(error)}`);
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
}

/** A command for files. */
export function defineFileTool(
  name: string,
  usage: Usage,
  run: (tool: FileTool) => Later<number | void>,
  rewrite?: Rewrite,
): Command {
  return defineToolOf((context, name, given) => new FileTool(context, name, given), name, usage, run, rewrite);
}
