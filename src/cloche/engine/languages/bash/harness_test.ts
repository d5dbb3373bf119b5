/** A shell over files in memory, for tests; its name keeps it out of the wheel. */
import { type Command, InMemoryFs } from "just-bash";
import { Shell } from "./interpreter/shell.ts";
import type { AskLine } from "./streams/terminal.ts";

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

/** A shell in /box that ends with the block that uses it. */
export class Bench implements AsyncDisposable {
  readonly fs = new InMemoryFs({ "/box/five": "one\ntwo\nthree\nfour\nfive\n", "/tmp/.keep": "" });
  readonly shell: Shell;
  #deadline = Infinity;

  constructor(commands: Command[] = [], outputLimit?: number) {
    const env = { HOME: "/box", PATH: "/usr/bin:/bin", USER: "user" };
    const isInterrupted = () => performance.now() > this.#deadline;
    this.shell = new Shell({ fs: this.fs, env, cwd: "/box", commands, outputLimit, isInterrupted });
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
