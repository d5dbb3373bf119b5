/** Runs `node` and `ts` for bash: each command line has its own context and an exit code. */

import type { LanguageWorker } from "../language.ts";
import { Tree } from "../../fs/tree.ts";
import { ProgramOutput } from "../../worker/programs/output.ts";
import type { ExecRequest, ExecResult, Outcome, Stream } from "../../protocol.ts";
import { type Command, parseCommand } from "./command.ts";
import type { Context, ContextOptions } from "./context.ts";
import type { Ending } from "./program.ts";
import { findTestFiles } from "./test_files.ts";
import { absolutePath } from "./modules/resolve.ts";
import { NODE } from "./services.ts";
import { runSession } from "./session.ts";

export type Given = Partial<ContextOptions> & Pick<ContextOptions, "argv" | "env" | "cwd" | "main">;

const WRONG_USE = 9;
const INTERRUPTED = 130;
const TEST_FILES = 'globalThis[Symbol.for("cloche")].load("node:internal/test_files")';
const encoder = new TextEncoder();

export class Execution {
  #context: Context | undefined;
  #printed: ProgramOutput | undefined;

  constructor(
    private readonly worker: LanguageWorker,
    private readonly open: (given: Given) => Context,
    private readonly guarded: (context: Context, act: () => Promise<Outcome>) => Promise<Outcome>,
  ) {}

  async run(id: number, request: ExecRequest): Promise<ExecResult> {
    const [name = "node", ...args] = request.argv ?? [];
    const command = parseCommand(args);
    const printed = this.#printed = new ProgramOutput(this.worker, request);
    const said = this.#say(name, command);
    const exitCode = said ?? await this.#start(id, name, command, request);
    this.worker.outputBuffer.flush();
    return { ...printed.result(exitCode), ended: said === undefined && this.#context?.surroundings.drained };
  }

  wake(): void {
    this.#context?.program.wake();
  }

  /** A signal for the program. */
  signal(number: number): void {
    this.#context?.program.signal(number);
  }

  /** The result of a command that runs no program; otherwise undefined. */
  #say(name: string, { problem, what }: Command): number | undefined {
    if (problem !== undefined) return this.#print("stderr", `${name}: ${problem}\n`), WRONG_USE;
    if (what === "version") return this.#print("stdout", `${NODE}\n`), 0;
    if (what !== "help") return undefined;
    return this.#print("stdout", `Usage: ${name} [-e CODE | -p CODE | FILE | -] [ARGUMENTS]\n`), 0;
  }

  async #start(id: number, name: string, command: Command, request: ExecRequest): Promise<number> {
    if (command.what !== "test") return await this.#execute(id, command, request);
    const files = findTestFiles(new Tree(this.worker.folders), request.cwd, command.args, name !== "node");
    if (typeof files === "string") return this.#print("stderr", `${files}\n`), 1;
    return await this.#runTests(id, files, command, request);
  }

  /** Runs each file as a program of its own, and reports them in another. */
  async #runTests(id: number, files: string[], command: Command, request: ExecRequest): Promise<number> {
    let report = "";
    const reporter = this.open({
      argv: ["/usr/bin/node"],
      env: { ...request.env },
      cwd: request.cwd,
      main: `${request.cwd}/[test]`,
      write: (stream, data) => this.#printed?.write(stream, data),
      tests: command.tests,
      nextTestReport: () => report,
    });
    const tell = async (what: "add" | "end") =>
      reporter.outcome(await reporter.cell("[test]", `${TEST_FILES}.${what}()`));
    try {
      const { exitCode } = await this.guarded(reporter, async () => {
        for (const file of files) {
          const { json, exitCode } = await this.#runTestFile(id, { ...command, what: "file", subject: file }, request);
          if (exitCode === INTERRUPTED) return { value: null, error: null, exitCode };
          report = json;
          await tell("add");
          this.worker.outputBuffer.flush();
        }
        return await tell("end");
      });
      return exitCode;
    } finally {
      reporter.dispose();
    }
  }

  async #runTestFile(id: number, command: Command, request: ExecRequest): Promise<{ json: string; exitCode: number }> {
    const began = performance.now();
    const events: unknown[] = [];
    const exitCode = await this.#execute(id, { ...command, args: [] }, { ...request, stdin: new Uint8Array(0) }, {
      write: (_, data) => void events.push(["test:output", { message: new TextDecoder().decode(data) }]),
      onTestEvent: (json) => void events.push(JSON.parse(json)),
    });
    const duration = Math.round((performance.now() - began) * 1e6) / 1e6;
    return { json: JSON.stringify({ file: command.subject, exitCode, events, duration }), exitCode };
  }

  async #execute(id: number, command: Command, request: ExecRequest, more: Partial<Given> = {}): Promise<number> {
    const { cwd, env } = request;
    const path = command.what === "file" ? absolutePath(cwd, command.subject) : "";
    const context = this.open({
      argv: ["/usr/bin/node", ...(path || command.subject === "-" ? [path || "-"] : []), ...command.args],
      env: { ...env },
      cwd,
      main: path || `${cwd}/[eval]`,
      write: (stream, data) => this.#printed?.write(stream, data),
      tests: command.tests,
      stdin: command.what === "stdin" ? new Uint8Array(0) : request.stdin,
      interactive: request.stdin === null && request.live,
      pid: request.pid,
      handled: request.handled,
      ...more,
    });
    this.#context = context;
    context.surroundings.run = id;
    try {
      const outcome = await this.guarded(context, async () => {
        if (command.what === "stdin" && command.subject === "" && request.stdin === null && request.live) {
          return { value: null, error: null, exitCode: await this.#runSession(id, context) };
        }
        const ending = await start(context, command, path, request);
        if (command.print && ending.how === "done" && ending.value) {
          this.#print("stdout", `${context.program.callGuest("plain", ending.value)}\n`);
        }
        return context.outcome(ending);
      });
      if (outcome.error && outcome.error.type !== "KeyboardInterrupt") {
        const text = `${reported(outcome.error)}\n`;
        if (more.write) more.write("stderr", encoder.encode(text));
        else this.#print("stderr", text);
      }
      return outcome.exitCode;
    } finally {
      context.dispose();
    }
  }

  #runSession(id: number, context: Context): Promise<number> {
    return runSession(context, {
      ask: (prompt) => {
        this.worker.outputBuffer.flush();
        return this.worker.blocking.input(id, prompt, false, true);
      },
      print: (text) => this.#print("stdout", text),
    });
  }

  #print(stream: Stream, text: string): void {
    this.#printed?.write(stream, encoder.encode(text));
  }
}

async function start(context: Context, command: Command, path: string, { cwd, stdin }: ExecRequest): Promise<Ending> {
  for (const name of command.first) {
    const file = JSON.stringify(/^\.{1,2}\//.test(name) ? absolutePath(cwd, name) : name);
    const ending = await context.cell("[require]", `require(${file})`);
    if (ending.how !== "done") return ending;
  }
  switch (command.what) {
    case "code":
      return await context.cell("[eval]", command.subject);
    case "stdin":
      return await context.cell("[stdin]", new TextDecoder().decode(stdin ?? undefined));
    case "check":
      return context.check(absolutePath(cwd, command.subject));
    default:
      return await context.file(path);
  }
}

/** The message of a program that failed. */
function reported({ message, traceback }: { message: string; traceback: string }): string {
  const hint = /\nhint: .*/s.exec(message)?.[0] ?? "";
  return traceback.includes(hint.trim()) ? traceback : `${traceback}${hint}`;
}
