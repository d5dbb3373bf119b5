/** One call of git: where it runs, its options, and where its output goes. */
import type { ExecResult, IFileSystem } from "just-bash";
import { encodeText, toArray } from "../text/byte_strings.ts";
import { type Context, stdinOf } from "../just_bash/command.ts";
import { type CommandOutput, outputOf } from "../just_bash/output.ts";
import type { SendRequest } from "../web/web.ts";
import type { GitHost } from "./command.ts";
import { Config, parseConfig, type Setting } from "./repository/configuration.ts";
import { GitFiles, isMissing } from "./isomorphic_files.ts";

const FLUSH = 65_536;

export class Call {
  readonly fs: GitFiles;
  /** Settings given with `-c`. */
  readonly given: Setting[] = [];
  gitDir: string | undefined;
  workTree: string | undefined;
  #output: CommandOutput | undefined;
  #out: string[] = [];
  #size = 0;
  #err = "";

  constructor(readonly ctx: Context, public cwd: string, private readonly outside?: GitHost) {
    this.fs = new GitFiles(ctx);
    try {
      this.#output = outputOf(ctx);
    } catch {
      // Called by a program of the shell rather than by a script: what is written is kept.
    }
  }

  /** Puts questions to the host, for the network. */
  get ask(): SendRequest | undefined {
    const ask = this.outside?.ask;
    return ask && ((question, body) => {
      const asked = ask(question, body);
      this.ctx.signal?.addEventListener("abort", () => asked.close(), { once: true });
      return asked;
    });
  }

  /** Files for what must be done to its end even when the script is interrupted. */
  get steadyFiles(): IFileSystem {
    return this.outside?.files ?? this.ctx.fs;
  }

  env(name: string): string | undefined {
    return this.ctx.exportedEnv?.[name] ?? undefined;
  }

  /** Whether the input has been asked for and not come yet: the command is then called again when it has. */
  waiting = false;

  /** The standard input as a byte string; to be read before anything is changed. */
  stdin(): string {
    this.waiting = true;
    const text = stdinOf(this.ctx);
    this.waiting = false;
    return text;
  }

  /** Writes text. */
  out(text: string): void {
    this.bytes(encodeText(text));
  }

  /** Writes a byte string. */
  bytes(data: string): void {
    this.#out.push(data);
    this.#size += data.length;
    if (this.#output && this.#size > FLUSH) this.flush();
  }

  err(text: string): void {
    this.flush();
    if (this.#output) this.#output.stderr(text);
    else this.#err += text;
  }

  flush(): void {
    if (!this.#output || this.#size === 0) return;
    this.#output.stdout(toArray(this.#out.splice(0).join("")));
    this.#size = 0;
  }

  /** Whether the output is not read any more. */
  get closed(): boolean {
    return this.#output?.closed ?? false;
  }

  result(exitCode: number): ExecResult {
    this.flush();
    return { stdout: this.#out.join(""), stdoutKind: "bytes", stderr: this.#err, exitCode };
  }

  path(name: string): string {
    return this.ctx.fs.resolvePath(this.cwd, name);
  }

  /** The text of a file, or undefined if there is none. */
  async text(path: string): Promise<string | undefined> {
    try {
      const stat = await this.ctx.fs.stat(path);
      return stat.isFile ? await this.ctx.fs.readFile(path) : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  get home(): string {
    return this.env("HOME") ?? "/";
  }

  get globalFile(): string {
    return this.env("GIT_CONFIG_GLOBAL") ?? `${this.home}/.gitconfig`;
  }

  /** The user's settings, those of a repository if its folder is given, and those of the command line. */
  async config(gitdir?: string): Promise<Config> {
    const folder = this.env("XDG_CONFIG_HOME") || `${this.home}/.config`;
    const files = [`${folder}/git/config`, this.globalFile, ...gitdir === undefined ? [] : [`${gitdir}/config`]];
    const settings: Setting[] = [];
    for (const file of files) settings.push(...parseConfig(await this.text(file) ?? "", file));
    return new Config([...settings, ...this.given]);
  }
}
