/** A program that bash starts, such as `perl x.pl` or `perl -ne ...`, in its own perl. */

import { ProgramInput } from "../../worker/programs/input.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";
import type { ExecRequest, ExecResult, Stream } from "../../protocol.ts";
import { moduleHint } from "./errors.ts";
import { nameIndirectArguments, nameIndirectScript } from "./indirect.ts";
import { Vm } from "./vm/vm.ts";
import { type Child, PerlServices, type ProgramContext } from "./services.ts";

const INTERRUPTED = 130;
const CRASHED = 139;
const REFUSED = 126;
/** The most perls that wait for each other: each has its own memory. */
const MOST_PERLS = 8;
const TAIL = 4096;
const NO_FILES = "-i used with no filenames on the command line";

/** Thrown when the output is not read any more. */
class Unread extends Error {}

export class Program {
  readonly #printed: ProgramOutput;
  readonly #outside: PerlServices;
  readonly #input: ProgramInput;
  /** The end of what was printed to stderr. */
  #tail = "";
  #closing = false;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly context: ProgramContext,
    private readonly request: Pick<
      ExecRequest,
      "stdin" | "env" | "live" | "merge" | "flows" | "program"
    >,
  ) {
    const { worker, run } = context;
    this.#printed = new ProgramOutput(worker, request);
    const ask = () => (worker.outputBuffer.flush(), worker.blocking.input(run, "", false));
    this.#input = new ProgramInput(
      request.stdin,
      request.stdin === null && request.live ? ask : null,
    );
    const write = (stream: Stream) => (data: Uint8Array) => this.#write(stream, data);
    this.#outside = new PerlServices(() => context, {
      input: () => this.#input,
      stdout: write("stdout"),
      stderr: write("stderr"),
      live: request.live,
    });
  }

  run(args: string[]): ExecResult {
    const exitCode = this.#run(args);
    const { missing } = this.#outside;
    if (
      missing && exitCode !== 0 &&
      this.#tail.includes(`Can't locate ${missing.replaceAll("::", "/")}`)
    ) {
      const hint = this.context.refusals.get(missing) ?? moduleHint(missing);
      this.#write("stderr", new TextEncoder().encode(`hint: ${hint}\n`));
    }
    return { ...this.#printed.result(exitCode), ended: this.#input.drained };
  }

  #run(args: string[]): number {
    const { worker, cwd, tree } = this.context;
    const outside = this.#outside;
    try {
      const vm = new Vm({
        module: this.module,
        tree: nameIndirectScript(tree, cwd, args),
        cwd,
        env: this.request.env,
        stdin: (max) => outside.read(max),
        stdout: (data) => this.#write("stdout", data),
        stderr: (data) => this.#write("stderr", data),
        sleep: (ms) => worker.shared.sleep(ms),
        stop: () => outside.stop(),
        answer: (vm, request) => outside.answer(vm, request),
      });
      const code = vm.start(nameIndirectArguments(args));
      this.#closing = true;
      vm.close(outside.running);
      return outside.knowsInterrupt ? INTERRUPTED : outside.running ? code : this.#early(code);
    } catch (error) {
      return this.#ended(error);
    }
  }

  #ended(error: unknown): number {
    if (error instanceof Unread || this.context.worker.shared.interrupted) {
      return INTERRUPTED;
    }
    if (
      !(error instanceof WebAssembly.RuntimeError ||
        error instanceof RangeError)
    ) throw error;
    this.#write(
      "stderr",
      new TextEncoder().encode(`perl: crashed: ${error.message}\n`),
    );
    return CRASHED;
  }

  /** The exit code of a program that could not start; perl itself only reports that it could not. */
  #early(code: number): number {
    if (code === 0 || this.#tail === "" || /syntax OK\s*$/.test(this.#tail)) {
      return 0;
    }
    return /^Can't (?:open perl script|locate )/m.test(this.#tail) ? 2 : 255;
  }

  #write(stream: Stream, data: Uint8Array): void {
    if (data.length === 0) return;
    // Perl starts once more to clean up, without arguments.
    if (
      this.#closing && stream === "stderr" &&
      new TextDecoder().decode(data).startsWith(NO_FILES)
    ) return;
    if (stream === "stderr") {
      this.#tail = (this.#tail + new TextDecoder().decode(data.subarray(-TAIL)))
        .slice(-TAIL);
    }
    this.#printed.write(stream, data);
    // Perl does not check for interrupts while it computes.
    if (this.#printed.over) throw new Unread("the output is not read");
  }
}

/** Runs a program that another perl has started, and keeps its output. */
export function runChild(
  module: WebAssembly.Module,
  context: ProgramContext,
  { args, ...rest }: Child,
): ExecResult {
  if (context.depth >= MOST_PERLS) {
    const why = `perl: not started: ${MOST_PERLS} are waiting for each other already\n`;
    return {
      exitCode: REFUSED,
      stdout: new Uint8Array(0),
      stderr: new TextEncoder().encode(why),
    };
  }
  const own: ProgramContext = {
    ...context,
    cwd: rest.cwd,
    depth: context.depth + 1,
    spawn: (child) => runChild(module, own, child),
  };
  return new Program(module, own, { ...rest, live: false, merge: false }).run(
    args,
  );
}
