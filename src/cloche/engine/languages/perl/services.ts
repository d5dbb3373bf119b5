/** What a perl may use of its worker: commands, sleep, modules, file modes. */

import { Interrupted, NOT_WANTED, RequestError } from "../../worker/request_errors.ts";
import type { ProgramInput } from "../../worker/programs/input.ts";
import { FileError } from "../../fs/files.ts";
import type { Tree } from "../../fs/tree.ts";
import type { LanguageWorker } from "../language.ts";
import type { ExecResult } from "../../protocol.ts";
import { isPossible } from "./errors.ts";
import { textOf } from "./string_lists.ts";
import type { Vm } from "./vm/vm.ts";

type Fields = (string | Uint8Array)[];
export type Act = (fields: Uint8Array[], vm: Vm) => Fields;

const FOREVER = 2 ** 31;
/** Commands that start another perl, as far as that can be recognized without a shell. */
const PERL = /^(?:\/usr\/bin\/)?perl$/;
/** A word that has no special meaning to a shell. */
const PLAIN_WORD = /\s*((?:[^\s|&;<>()$`\\"'*?[#~\n]|"[^"$`\\]*"|'[^']*')+)/y;
const EMPTY = new Uint8Array(0);

/** Where bytes come from and go to. */
interface Streams {
  input(): ProgramInput;
  stdout(data: Uint8Array): void;
  stderr(data: Uint8Array): void;
  /** Whether output is sent at once. */
  live: boolean;
}

/** A perl program that another perl starts. */
export interface Child {
  args: string[];
  stdin: Uint8Array | null;
  cwd: string;
  env: Record<string, string>;
}

export interface ProgramContext {
  worker: LanguageWorker;
  run: number;
  cwd: string;
  tree: Tree;
  /** How many perls wait for this one. */
  depth: number;
  /** Why modules could not be installed, by name. */
  refusals: Map<string, string>;
  spawn(child: Child): ExecResult;
}

export class PerlServices {
  /** Whether the program has been compiled. */
  running = false;
  /** The last module that was not found. */
  missing: string | null = null;
  /** Whether the program knows that it is interrupted: then it has the time until it is killed. */
  knowsInterrupt = false;

  readonly #began = performance.now();
  /** Milliseconds in which it has not computed. */
  #slept = 0;

  constructor(
    private readonly context: () => ProgramContext,
    private readonly streams: Streams,
    private readonly more: Record<string, Act> = {},
  ) {}

  /** Some bytes of input; none at its end, or if an interrupt ends the wait. */
  read(max: number): Uint8Array {
    try {
      return this.streams.input().read(max);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.knowsInterrupt = true;
      return EMPTY;
    }
  }

  /** Whether it must end at once. */
  stop(): boolean {
    const { shared } = this.context().worker;
    return shared.killed || shared.interrupted && !this.knowsInterrupt;
  }

  answer(vm: Vm, request: Uint8Array[]): Fields {
    const [what, ...fields] = request;
    const name = textOf(what);
    const act = Object.hasOwn(this.more, name) ? this.more[name] : Object.hasOwn(this.#acts, name) && this.#acts[name];
    if (!act) return ["ok"];
    try {
      return ["ok", ...act(fields, vm)];
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.knowsInterrupt = true;
      return ["interrupted"];
    }
  }

  readonly #acts: Record<string, Act> = {
    begin: (_, vm) => {
      vm.wasi.settle();
      return [this.context().cwd, this.streams.live ? "1" : "0"];
    },
    running: () => {
      this.running = true;
      return [];
    },
    times: () => [
      ((performance.now() - this.#began - this.#slept) / 1000).toFixed(2),
    ],
    sleep: ([seconds]) => {
      const began = performance.now();
      const ms = seconds?.length ? Math.max(0, Number(textOf(seconds)) || 0) * 1000 : FOREVER;
      if (!this.context().worker.shared.sleep(ms)) {
        throw new Interrupted("interrupted");
      }
      const slept = performance.now() - began;
      this.#slept += slept;
      return [String(Math.round(slept / 1000))];
    },
    chmod: (
      [mode, ...paths],
    ) => [
      String(
        paths.filter((path) => this.#chmod(textOf(path), Number(textOf(mode))))
          .length,
      ),
    ],
    duplicate: ([from, to], vm) => {
      try {
        vm.wasi.duplicate(Number(textOf(from)), Number(textOf(to)));
      } catch {
        // The first write reports it.
      }
      return [];
    },
    provide: ([file]) => [this.#provide(textOf(file)) ? "1" : ""],
    command: (fields) => this.#command(fields),
  };

  #chmod(path: string, mode: number): boolean {
    const { tree, cwd } = this.context();
    try {
      tree.chmod(path.startsWith("/") ? path : `${cwd}/${path}`, mode & 0o7777);
      return true;
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  #provide(file: string): boolean {
    const { worker, run, refusals } = this.context();
    const name = file.replace(/\.p[ml]$/, "").replaceAll("/", "::");
    this.missing = name;
    if (
      !worker.init.config.autoInstall || !/\.pm$/.test(file) ||
      !isPossible(name) || refusals.has(name)
    ) return false;
    try {
      worker.blocking.request(run, { kind: "provide", language: "perl", name });
      this.missing = null;
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.type !== NOT_WANTED) refusals.set(name, error.message);
      return false;
    }
  }

  #command([kept, input, cwd, count, ...rest]: Uint8Array[]): Fields {
    const command = rest.slice(0, Number(textOf(count))).map(textOf);
    const pairs = rest.slice(command.length).map(textOf);
    const env = Object.fromEntries(
      pairs.flatMap((name, index) => index % 2 ? [] : [[name, pairs[index + 1] ?? ""]]),
    );
    const stdin = input.length > 0 ? input : this.streams.input().takeRest();
    const result = this.#start(
      command,
      { stdin, cwd: textOf(cwd), env },
      textOf(kept) === "",
    );
    this.streams.stderr(result.stderr);
    if (textOf(kept) === "") this.streams.stdout(result.stdout);
    return [
      String(result.exitCode),
      textOf(kept) === "" ? EMPTY : result.stdout,
    ];
  }

  #start(
    command: string[],
    rest: Omit<Child, "args">,
    open: boolean,
  ): ExecResult {
    const { worker, run, spawn } = this.context();
    const words = command.length === 1 ? plainWords(command[0]) : command;
    // A shell would call this very worker, which is waiting for the shell.
    if (words && PERL.test(words[0])) {
      return spawn({ args: words.slice(1), ...rest });
    }
    worker.outputBuffer.flush();
    const program = command.length === 1 ? { script: command[0] } : { argv: command };
    return worker.blocking.exec(run, "bash", {
      ...program,
      ...rest,
      live: open && this.streams.live,
      merge: false,
    });
  }
}

/** The words of a simple command; null if only a shell can split it. */
function plainWords(command: string): string[] | null {
  const text = command.trim();
  const words: string[] = [];
  for (let at = 0; at < text.length;) {
    PLAIN_WORD.lastIndex = at;
    const found = PLAIN_WORD.exec(text);
    if (!found) return null;
    words.push(
      found[1].replaceAll(
        /"([^"]*)"|'([^']*)'/g,
        (_, double, single) => double ?? single,
      ),
    );
    at += found[0].length;
  }
  return words.length > 0 ? words : null;
}
