/** A shell process: runs scripts, lists and commands. */
import { encodeText, toArray } from "../../text/byte_strings.ts";
import { readCommand } from "../history/read.ts";
import { BrokenPipe, type OpenStream } from "../descriptors/stream.ts";
import { DescriptorTable } from "../descriptors/table.ts";
import { ExitShell, ExpansionError, type Flow, type Interpreter } from "../interpreter.ts";
import { Killed } from "../processes/command.ts";
import { HOST_NAME, type Kernel } from "../processes/kernel.ts";
import type { Process } from "../processes/process.ts";
import type { SystemFiles } from "../processes/system_files.ts";
import { parseOptions, ShellState } from "../state/shell_state.ts";
import { IndexedArray } from "../state/arrays.ts";
import { EXPORTED, INTEGER, READONLY } from "../state/variables.ts";
import type { ProgramContext } from "./run_program.ts";
import type { CommandNode, ProcessSubstitutionPart, ScriptNode, StatementNode } from "../syntax/nodes.ts";
import { Parser } from "../syntax/parser.ts";
import { ShellSyntaxError } from "../syntax/scanner.ts";
import type { Later, Task } from "../task.ts";
import { runCompound } from "./compound.ts";
import { importFunctions } from "./environment.ts";
import { startJob } from "./jobs.ts";
import { fail, runPipeline } from "./pipeline.ts";
import { runQuickly } from "./quick.ts";
import { givesInput, redirect } from "./redirect.ts";
import { type Prompts, ScriptInput } from "./script_input.ts";
import { runSimple, runWords } from "./simple.ts";
import { substitute, substituteProcess } from "./substitution.ts";
import { runExitTrap, runPendingTraps, runReturnTrap } from "./traps.ts";

/** How deep functions, substitutions and texts may nest before JavaScript's stack is in danger. */
const DEPTH = 1000;
/** Milliseconds that the commands of `exec > >(…)` have for what was written to them, when the shell ends. */
const DRAIN_MS = 2000;
/** Where programs are looked for if nothing else says so. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

export class ShellInterpreter implements Interpreter {
  flow: Flow | undefined;
  replaced = false;
  /** The signal that has ended the command that ran last in the foreground. */
  killed: { signal: number; pid: number } | undefined;
  /** Functions, `eval`, `source` and substitutions that are being run. */
  depth = 0;
  /** What is run before each line that is read at a prompt. */
  beforePrompt: (() => Task<void>) | undefined;
  /** Descriptors of `<(…)` that the running command was given. */
  readonly openSubstitutions: { fd: number; writes: Process | undefined }[] = [];
  /** Those of the command that is being expanded begin here. */
  firstSubstitution = 0;
  /** The commands of `>(…)` that `exec` has made an output of this shell. */
  #outlets: { stream: OpenStream; process: Process }[] = [];

  constructor(
    readonly kernel: Kernel,
    readonly process: Process,
    readonly state: ShellState,
    readonly fds: DescriptorTable,
  ) {
    process.trapOf = (name) => this.state.traps.get(name);
  }

  get files(): SystemFiles {
    return this.kernel.files;
  }

  resolve(path: string): string {
    return this.files.resolve(this.state.cwd, path);
  }

  /** Runs a script as the whole work of a process, with its EXIT trap. */
  *main(body: Task<number>): Task<number> {
    let code: number;
    try {
      code = yield* this.guard(this.#runWithTraps(body));
      code = yield* runExitTrap(this, code);
    } finally {
      this.fds.closeAll();
    }
    yield* this.drainOutlets();
    return code;
  }

  /** Waits, but not forever, for commands of `>(…)` to which this shell cannot write any more. */
  *drainOutlets(): Task<void> {
    const closed = this.#outlets.filter(({ stream }) => !this.fds.holds(stream));
    this.#outlets = this.#outlets.filter((outlet) => !closed.includes(outlet));
    if (closed.length === 0) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, DRAIN_MS);
    try {
      yield Promise.race([Promise.all(closed.map(({ process }) => process.done)), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a body, and then the traps of signals that have ended its last wait. */
  *#runWithTraps(body: Task<number>): Task<number> {
    const code = yield* body;
    if (this.process.pending.length > 0 && this.flow === undefined) yield* runPendingTraps(this);
    return code;
  }

  /** The exit code of a body, however it ends. */
  *guard(body: Task<number>): Task<number> {
    try {
      const code = yield* body;
      return this.flow?.kind === "return" ? this.flow.code : code;
    } catch (error) {
      return this.#codeOf(error);
    } finally {
      this.flow = undefined;
    }
  }

  #codeOf(error: unknown): number {
    if (error instanceof ExitShell) return this.state.status = error.code;
    if (error instanceof Killed) return this.state.status = 128 + error.signal;
    if (error instanceof BrokenPipe) return this.state.status = 141;
    if (error instanceof ExpansionError) return this.state.status = error.code;
    this.complain(messageOf(error));
    return this.state.status = 1;
  }

  /** Runs text line by line: what a line changes in aliases and options counts for the next. */
  *runText(text: string, line?: number, label?: string): Task<number> {
    const { state } = this;
    const parser = this.parserOf(text, line);
    this.enter();
    try {
      for (;;) {
        const statements = this.#readLine(parser, label);
        if (statements === "wrong") return state.status;
        if (statements === undefined || this.flow) return state.status;
        if (!state.options.has("noexec")) yield* this.#runLine(statements);
        if (this.flow) return state.status;
      }
    } finally {
      this.depth--;
    }
  }

  parserOf(text: string, line?: number): Parser {
    const warn = (message: string, at: number) => this.complainAt(message, at);
    return new Parser(text, { ...parseOptions(this.state), line, warn });
  }

  /** Runs the script that comes from standard input; its commands may read what follows them. */
  *runInput(prompts?: Prompts): Task<number> {
    const input = new ScriptInput(this, prompts);
    this.enter();
    try {
      for (;;) {
        if (this.beforePrompt) yield* this.beforePrompt();
        const parser = yield* input.next();
        if (!parser) break;
        const statements = this.#readLine(parser);
        if (statements === "wrong") break;
        input.giveBack(parser);
        if (statements === undefined || this.state.options.has("noexec")) continue;
        yield* this.#runLine(statements);
        if (this.flow) break;
      }
      return this.state.status;
    } finally {
      this.depth--;
    }
  }

  /** Counts how deep the shell is in itself. */
  enter(): void {
    if (++this.depth <= DEPTH) return;
    this.depth--;
    this.complain(`functions and substitutions are nested more than ${DEPTH} deep`);
    throw new ExitShell(1);
  }

  /** The next commands; a mistake is said and ends the text, at the top the shell too. */
  #readLine(parser: Parser, label?: string): StatementNode[] | undefined | "wrong" {
    if (this.depth === 1 && this.state.options.has("history")) readCommand(this, parser);
    const { at } = parser.scanner;
    try {
      const statements = parser.parseLine();
      this.state.endLine = parser.scanner.line - (parser.scanner.text[parser.scanner.at - 1] === "\n" ? 1 : 0);
      if (this.state.options.has("verbose") && statements) this.#show(parser.scanner.text.slice(at, parser.scanner.at));
      return statements;
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      const { text, options } = parser.scanner;
      const ended = error.message.endsWith("end of file") && !text.endsWith("\n");
      this.complainAt(error.message, error.line + (ended ? 1 : 0), label);
      const source = text.split("\n")[error.line - (options.line ?? 1)];
      const named = error.message.startsWith("`");
      if (!error.incomplete && source !== undefined && !named) this.complainAt(`\`${source}'`, error.line, label);
      this.state.status = 2;
      if (!error.recoverable) {
        const ends = label === "eval" && this.state.options.has("posix") && this.state.commands === 0;
        if (this.depth === 1 || ends) throw new ExitShell(2);
        return "wrong";
      }
      this.state.status = 1;
      parser.scanner.skipLine();
      return [];
    }
  }

  #show(text: string): void {
    this.fds.find(2)?.write(toArray(encodeText(text)));
  }

  /** An error in an expansion gives up the line, not the text. */
  *#runLine(statements: StatementNode[]): Task<void> {
    if (this.depth === 1) this.state.inputGiven = false;
    try {
      yield* this.runList(statements);
    } catch (error) {
      if (!(error instanceof ExpansionError)) throw error;
      this.state.status = error.code;
      this.state.conditions = 0;
    }
  }

  *runSource(path: string, text: string, args: string[] | undefined): Task<number> {
    const { state } = this;
    const { positional, positionalSet } = state;
    state.positionalSet = false;
    state.frames.push({ kind: "source", name: "source", source: path, callLine: state.line });
    if (args) state.positional = args;
    const { line } = state;
    try {
      yield* this.runText(text);
      if (this.flow?.kind === "return") {
        state.status = this.flow.code;
        this.flow = undefined;
      }
      if (state.traps.has("RETURN")) yield* runReturnTrap(this);
      return state.status;
    } finally {
      state.line = line;
      state.frames.pop();
      const inFunction = state.frames.some(({ kind }) => kind === "function");
      if (args && (inFunction || !state.positionalSet)) state.positional = positional;
      state.positionalSet ||= positionalSet;
    }
  }

  *runList(statements: StatementNode[]): Task<number> {
    const { state } = this;
    for (let i = 0; i < statements.length; i++) {
      if (this.kernel.budget-- <= 0 || this.process.signalled) yield* this.attend();
      const quick = runQuickly(this, statements[i]);
      if (quick === undefined) yield* this.runStatement(statements[i]);
      else {
        const code = state.status = typeof quick === "number" ? quick : yield* quick;
        state.pipeStatus = [code];
        if (code !== 0 && state.conditions === 0 && !this.flow) yield* fail(this, code);
      }
      if (this.flow || state.options.has("noexec")) break;
    }
    return state.status;
  }

  *runStatement(node: StatementNode): Task<number> {
    const { state } = this;
    if (this.kernel.budget-- <= 0 || this.process.signalled) yield* this.attend();
    if (node.background) return state.status = startJob(this, node);
    const last = node.pipelines.length - 1;
    for (let i = 0; i < last; i++) {
      if (i > 0 && (node.operators[i - 1] === "&&") !== (state.status === 0)) continue;
      state.conditions++;
      try {
        yield* runPipeline(this, node.pipelines[i]);
      } finally {
        state.conditions--;
      }
      if (this.flow) return state.status;
    }
    if (last > 0 && (node.operators[last - 1] === "&&") !== (state.status === 0)) return state.status;
    return yield* runPipeline(this, node.pipelines[last]);
  }

  /** Runs a list whose failure is only an answer: `set -e` and ERR keep quiet. */
  *runCondition(statements: StatementNode[]): Task<boolean> {
    this.state.conditions++;
    try {
      yield* this.runList(statements);
    } finally {
      this.state.conditions--;
    }
    return this.state.status === 0;
  }

  *runCommand(node: CommandNode): Task<number> {
    if (node.type === "Simple") return yield* runSimple(this, node);
    if (node.type === "Function" || node.redirections.length === 0) return yield* runCompound(this, node);
    const open = this.firstSubstitution = this.openSubstitutions.length;
    this.state.line = node.redirections[0].line;
    const redirected = yield* redirect(this, node.redirections);
    this.state.inputGiven = givesInput(node.redirections);
    if (!redirected) {
      this.state.status = 1;
      if (this.state.conditions === 0 && node.type !== "Subshell") yield* fail(this, 1);
      return 1;
    }
    try {
      return yield* runCompound(this, node);
    } finally {
      redirected.undo();
      yield* this.closeSubstitutions(open);
    }
  }

  /** Closes descriptors of `<(…)` and `>(…)` but for the first so many; what the latter still write is waited for. */
  *closeSubstitutions(left: number): Task<void> {
    for (const { fd, writes } of this.openSubstitutions.splice(left)) {
      const stream = this.fds.find(fd);
      this.fds.close(fd);
      if (writes && stream && this.fds.holds(stream)) {
        this.#outlets.push({ stream, process: writes });
        continue;
      }
      const done = writes?.done;
      if (done instanceof Promise && !this.process.signalled) yield done;
    }
  }

  *runWords(words: string[], options: Parameters<Interpreter["runWords"]>[1] = {}): Task<number> {
    return yield* runWords(this, words, options);
  }

  *substitute(script: ScriptNode): Task<string> {
    return yield* substitute(this, script);
  }

  substituteProcess(part: ProcessSubstitutionPart): string {
    return substituteProcess(this, part);
  }

  *print(text: string, fd = 1): Task<void> {
    const written: Later<void> = this.fds.get(fd).write(toArray(encodeText(text)));
    if (written instanceof Promise) yield written;
  }

  /** Complains of a compound command or definition, which does not count as the line that runs. */
  complainOfWhole(text: string): void {
    const { frames, line, endLine } = this.state;
    this.complainAt(text, frames.at(-1)?.kind === "function" ? line : endLine);
  }

  complain(text: string): void {
    this.complainAt(text, this.state.line);
  }

  /** `label` says which text within the file is meant, such as that of `eval`. */
  complainAt(text: string, line: number, label?: string): void {
    const place = this.state.interactive ? "" : `${label === undefined ? "" : ` ${label}:`} line ${line}:`;
    this.complainAs(`${this.#source()}:${place} ${text}`, this.fds);
  }

  say(text: string): void {
    this.complainAs(text, this.fds);
  }

  /** The file whose text runs, as messages name it. */
  #source(): string {
    const frame = this.state.frames.findLast(({ kind }) => kind !== "function");
    return frame?.source ?? this.state.name;
  }

  complainAs(text: string, fds: DescriptorTable): void {
    try {
      const written = fds.find(2)?.write(toArray(encodeText(`${text}\n`)));
      if (written instanceof Promise) written.catch(() => {});
    } catch {
      // Nobody reads it.
    }
  }

  /** Writes text where nobody has to wait for it. */
  writeQuietly(text: string, fd: number): void {
    try {
      const written = this.fds.find(fd)?.write(toArray(encodeText(text)));
      if (written instanceof Promise) written.catch(() => {});
    } catch {
      // Nobody reads it.
    }
  }

  /** A descriptor for `<(…)` and coprocesses, which count down from 63. */
  freeHigh(): number {
    let fd = 63;
    while (this.fds.has(fd)) fd--;
    return fd;
  }

  /** A subshell: a copy of all that this one knows, in a process of its own. */
  fork(title?: string): ShellInterpreter {
    const state = this.state.fork();
    state.subshell++;
    if (state.traps.size > 0) forkTraps(state);
    const child = new ShellInterpreter(this.kernel, this.process.fork(title), state, this.fds.fork());
    child.depth = this.depth;
    return child;
  }

  /** A shell that knows nothing but an environment: one that starts a program for another program. */
  forProgram(
    process: Process,
    fds: DescriptorTable,
    env: Readonly<Record<string, string>>,
    cwd: string,
  ): ShellInterpreter {
    const state = new ShellState();
    state.cwd = cwd;
    state.umask = this.state.umask;
    state.name = this.state.name;
    state.interactive = true;
    for (const [name, value] of Object.entries(env)) state.variables.replace(name, { value, attributes: EXPORTED });
    if (env.PATH === undefined) state.variables.replace("PATH", { value: DEFAULT_PATH, attributes: 0 });
    return new ShellInterpreter(this.kernel, process, state, fds);
  }

  *attend(): Task<void> {
    yield* this.kernel.attend(this.process);
    if (!this.process.signalled) return;
    this.process.signalled = false;
    yield* runPendingTraps(this);
  }
}

/** A subshell forgets what its parent does on signals; `trap` lists that until it is changed. */
function forkTraps(state: ShellState): void {
  state.listedTraps = new Map(state.traps);
  const kept = new Set<string>();
  if (state.options.has("errtrace")) kept.add("ERR");
  if (state.options.has("functrace")) kept.add("DEBUG").add("RETURN");
  for (const [name, action] of state.traps) if (action !== "" && !kept.has(name)) state.traps.delete(name);
}

/** A shell for `bash` as a program: nothing of its caller's but the environment. */
export function startShell(context: ProgramContext): ShellInterpreter {
  const { interpreter } = context;
  const process = interpreter.process.fork(context.argv.join(" "));
  const shell = interpreter.forProgram(process, context.fds.fork(), context.env, context.cwd);
  const { state } = shell;
  state.interactive = false;
  state.shellPid = interpreter.replaced ? interpreter.process.pid : process.pid;
  importFunctions(state);
  prepareVariables(state);
  const parent = interpreter.replaced ? interpreter.process.parent : interpreter.process;
  state.variables.replace("PPID", { value: String(parent?.pid ?? 1), attributes: READONLY | INTEGER });
  interpreter.process.foreground.add(process);
  return shell;
}

/** Variables that every shell has. */
export function prepareVariables(state: ShellState): void {
  const { variables } = state;
  const set = (name: string, value: string, attributes = 0) =>
    variables.find(name) ?? variables.replace(name, { value, attributes });
  variables.replace("IFS", { value: " \t\n", attributes: 0 });
  variables.replace("OPTIND", { value: "1", attributes: 0 });
  variables.replace("PS4", { value: "+ ", attributes: 0 });
  variables.replace("PWD", { value: state.cwd, attributes: EXPORTED });
  set("SHLVL", "1", EXPORTED);
  set("PATH", DEFAULT_PATH);
  set("OSTYPE", "linux-gnu");
  set("MACHTYPE", "x86_64-pc-linux-gnu");
  set("HOSTTYPE", "x86_64");
  set("HOSTNAME", HOST_NAME);
  set("SHELL", "/bin/bash");
  set("BASH", "/bin/bash");
  set("BASH_VERSION", "5.2.0(1)-release");
  set("OPTERR", "1");
  set("UID", "1000", READONLY | INTEGER);
  set("EUID", "1000", READONLY | INTEGER);
  set("PPID", "1", READONLY | INTEGER);
  const versions = ["5", "2", "0", "1", "release", "x86_64-pc-linux-gnu"];
  variables.replace("BASH_VERSINFO", { value: new IndexedArray(versions), attributes: READONLY });
}

/** What went wrong; the engine's own limits in plain words. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof RangeError)) return message;
  if (/call stack/.test(message)) return "commands, functions or substitutions are nested too deep";
  return /string/.test(message) ? "a text would be longer than half a gigabyte" : message;
}
