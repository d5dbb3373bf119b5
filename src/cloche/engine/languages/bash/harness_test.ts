/** A shell over files in memory, for tests; its name keeps it out of the wheel. */
import type { Command as JustBashCommand } from "just-bash";
import { CommandFiles, commandFolders } from "../../fs/command_files.ts";
import { FolderFiles } from "../../fs/folder.ts";
import { Quota, QUOTA_BYTES } from "../../fs/quota.ts";
import { Tree } from "../../fs/tree.ts";
import { MemoryFiles } from "../../platform/browser/memory_files.ts";
import { allCommands } from "./just_bash/all_commands.ts";
import type { AskLine } from "./shell/descriptors/terminal.ts";
import type { Command } from "./shell/processes/command.ts";
import { GuestFiles } from "./shell/processes/guest_files.ts";
import { Shell } from "./shell/shell.ts";

/** What a script did. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
  /** Pieces of output in the order of their arrival. */
  events: { stream: string; text: string; ms: number }[];
  ms: number;
}

const decoder = new TextDecoder();

/** Folders /box and /tmp in memory. */
export function makeFiles(): GuestFiles {
  const memory = new MemoryFiles();
  const quota = new Quota(new SharedArrayBuffer(QUOTA_BYTES), 1 << 30);
  const folders = ["/box", "/tmp"].map((target) => {
    memory.makeDirectory(target);
    return new FolderFiles({ target, host: target, readOnly: false }, memory, quota);
  });
  const commands = new CommandFiles();
  const shown = commandFolders(commands, (folder, files) => new FolderFiles(folder, files, quota));
  const files = new GuestFiles(new Tree([...folders, ...shown]), commands);
  const five = files.open("/box/five", { read: false, write: true, create: true });
  five.write(new TextEncoder().encode("one\ntwo\nthree\nfour\nfive\n"));
  five.close();
  return files;
}

/** A shell in /box that ends with the block that uses it. */
export class Bench implements AsyncDisposable {
  readonly files = makeFiles();
  readonly shell: Shell;
  #deadline = Infinity;

  constructor(commands: (Command | JustBashCommand)[] = [], outputLimit?: number) {
    const env = { HOME: "/box", PATH: "/usr/bin:/bin", USER: "user" };
    const isInterrupted = () => performance.now() > this.#deadline;
    this.shell = new Shell({
      files: this.files,
      env,
      cwd: "/box",
      commands: allCommands(commands),
      outputLimit,
      isInterrupted,
    });
  }

  /** Writes a file. */
  write(path: string, text: string): void {
    this.writeBytes(path, new TextEncoder().encode(text));
  }

  writeBytes(path: string, bytes: Uint8Array): void {
    const file = this.files.open(path, { read: false, write: true, create: true, truncate: true });
    file.write(bytes);
    file.close();
  }

  /** Runs a script; it is interrupted after `limit` milliseconds. */
  async run(script: string, options: { stdin?: Uint8Array; ask?: AskLine; limit?: number } = {}): Promise<Outcome> {
    const { stdin, ask, limit = 20_000 } = options;
    const start = performance.now();
    this.#deadline = start + limit;
    const events: Outcome["events"] = [];
    const chunks: Record<string, number[]> = { stdout: [], stderr: [] };
    const { exitCode } = await this.shell.run(script, {
      stdin,
      ask,
      onOutput: (stream, data) => {
        chunks[stream].push(...data);
        events.push({ stream, text: decoder.decode(data), ms: performance.now() - start });
      },
    });
    this.#deadline = Infinity;
    const [out, err] = [chunks.stdout, chunks.stderr].map((bytes) => decoder.decode(Uint8Array.from(bytes)));
    return { code: exitCode, out, err, events, ms: performance.now() - start };
  }

  /** The standard output of a script. */
  async out(script: string): Promise<string> {
    return (await this.run(script)).out;
  }

  /** The bytes that a script prints. */
  async bytes(script: string): Promise<number[]> {
    const bytes: number[] = [];
    await this.shell.run(script, { onOutput: (stream, data) => stream === "stdout" && bytes.push(...data) });
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shell.stop();
  }
}

/** Declares tests that each compare what a script prints with what bash prints. */
export function prints(name: string, cases: Record<string, string>): void {
  Deno.test(name, async (t) => {
    for (const [script, expected] of Object.entries(cases)) {
      await t.step(script, async () => {
        await using bench = new Bench();
        const { out, err } = await bench.run(script);
        if (out !== expected) {
          throw new Error(`printed ${JSON.stringify(out)}, not ${JSON.stringify(expected)}; ${err}`);
        }
      });
    }
  });
}
