/** The part of the interpreter that sends output where it belongs while commands run. */
import type { CommandNode, ExecResult, PipelineNode } from "just-bash";
import { encodeMessage, encodeText } from "./byte_strings.ts";
import { messageOf } from "../interpreter/child_processes.ts";
import {
  bytesOf,
  type EndlessInput,
  explainCut,
  needsWholeInput,
  readLimitOf,
  readsAll,
  textOf,
} from "./endless_sources.ts";
import {
  emptyResult,
  type Interpreter,
  type InterpreterOptions,
  isControl,
  type Redirection,
  type ShellState,
} from "../interpreter/just_bash_types.ts";
import { isBareExec, makeStatement, withBodyRedirected } from "../interpreter/syntax_nodes.ts";
import type { ProcessTable } from "../interpreter/process.ts";
import { type Failures, reasonOf, sayPlainly, sayTrueReason } from "../interpreter/file_errors.ts";
import { type Plan, planRedirections, type Route, routeByExec, routeStatically } from "./redirections.ts";
import { type FileTarget, Pipe, type Sink } from "./sinks.ts";
import { guardState, hideOutput } from "../interpreter/state.ts";
import { endlessDevice } from "../interpreter/system_fs.ts";

/** Errors by which a subshell ends without its parent ending. */
const ENDINGS = new Set(["ExitError", "ErrexitError", "ReturnError", "BreakError", "ContinueError", "NounsetError"]);

interface Stage {
  first: boolean;
  /** Those that read what this one writes, in order. */
  readers: CommandNode[];
  /** Whether its errors go into the pipe too. */
  joined: boolean;
}
const stages = new WeakMap<CommandNode, Stage>();

/**
 * Commands write to the sink in force and return nothing; redirections, pipes and substitutions put another sink in
 * force. Where just-bash has to redirect by itself, output is collected for it.
 */
export function withRouting(Base: typeof Interpreter) {
  return class extends Base {
    sink: Sink;
    /** Whether the next command's output is collected for just-bash to redirect. */
    collectsOutput = false;
    /** Whether standard input comes from the stage before, however little that is. */
    piped = false;
    /** Why standard input is a part only: its source has no end. */
    cut: string | undefined;
    /** Whether something in the pipeline has taken such a part for the whole. */
    short = false;
    readonly limit: number;
    readonly supply: EndlessInput;
    readonly failures: Failures;

    constructor(
      options: InterpreterOptions,
      state: ShellState,
      sink: Sink,
      table: ProcessTable,
    ) {
      super(options, state);
      this.sink = sink;
      this.limit = table.limit;
      this.supply = table.fs.supply;
      this.failures = table.fs.failures;
    }

    get state(): ShellState {
      return this.ctx.state;
    }

    override async executePipeline(node: PipelineNode): Promise<ExecResult> {
      const { commands, pipeStderr } = node;
      if (commands.length > 1 && !stages.has(commands[0])) {
        commands.forEach((command, i) => {
          const joined = pipeStderr?.[i] ?? false;
          stages.set(command, { first: i === 0, readers: commands.slice(i + 1), joined });
        });
      }
      if (commands.length === 1) return this.emit(await super.executePipeline(node));
      const { cut, short } = this;
      this.short = false;
      try {
        const result = this.emit(await super.executePipeline(node));
        return this.short && !node.negated ? this.#failed(result) : result;
      } finally {
        this.cut = cut;
        // The pipeline around this one, if that is where the part came from, has failed too.
        this.short = short || this.short && cut !== undefined;
      }
    }

    #failed(result: ExecResult): ExecResult {
      const exitCode = result.exitCode || 1;
      this.state.lastExitCode = exitCode;
      this.state.env.set("?", String(exitCode));
      return { ...result, exitCode };
    }

    override async executeCommand(node: CommandNode, stdin: string, owned?: boolean): Promise<ExecResult> {
      const stage = stages.get(node);
      if (stage) return await this.#piping(stage, () => super.executeCommand(node, stdin, owned));
      return this.emit(await super.executeCommand(node, stdin, owned));
    }

    override async executeCommandInner(node: CommandNode, stdin: string, owned: boolean): Promise<ExecResult> {
      const inner = (changed: CommandNode) => super.executeCommandInner(changed, stdin, owned);
      if (node.type === "FunctionDef") return await inner(withBodyRedirected(node));
      if (!readsElsewhere(node)) return await this.#routed(node, inner);
      const { cut } = this;
      this.cut = this.#cutOf(node);
      try {
        return await this.#routed(node, inner);
      } finally {
        this.cut = cut;
      }
    }

    async #routed(node: CommandNode, inner: (changed: CommandNode) => Promise<ExecResult>): Promise<ExecResult> {
      if (node.redirections.length === 0 || isBareExec(node)) return await this.leaf(() => inner(node));
      const { outputs, rest, tangled } = planRedirections(node);
      if (tangled || (this.outputIsFixed && outputs.length > 0)) {
        return await this.leaf(() => inner(this.#gathering(node)));
      }
      if (outputs.length === 0) return await this.leaf(() => inner(node));
      const bare = { ...node, redirections: rest } as CommandNode;
      return await this.#redirected(node, outputs, () => this.leaf(() => inner(bare)));
    }

    /** Whether `exec >file` has redirected the shell itself. */
    get outputIsFixed(): boolean {
      const { fileDescriptors } = this.state;
      return fileDescriptors !== undefined && (fileDescriptors.has(1) || fileDescriptors.has(2));
    }

    /** Writes what a command returned, and returns the rest. */
    emit(result: ExecResult): ExecResult {
      if (result.stdout === "" && result.stderr === "") return result;
      this.write(result.stdout, result.stderr, result.stdoutKind === "bytes" || result.stdoutEncoding === "binary");
      return {
        ...result,
        stdout: "",
        stderr: "",
        stdoutKind: "text",
        stdoutEncoding: undefined,
        internalOutputAccounting: undefined,
      };
    }

    /** Errors go first: a real program's standard output is buffered and reaches a pipe when it ends. */
    write(stdout: string, stderr: string, binary: boolean): void {
      if (this.state.signal?.aborted) return;
      if (stderr !== "") this.sink.err.write(encodeMessage(this.plainly(stderr)));
      if (stdout !== "") this.sink.out.write(binary ? stdout : encodeText(stdout));
    }

    /** A message of a command as a real machine would word it. */
    plainly(message: string): string {
      const { cwd } = this.state;
      const whole = (name: string) => this.ctx.fs.resolvePath(cwd, name);
      return sayTrueReason(sayPlainly(message, cwd), this.failures, whole);
    }

    /** Runs something and writes what it returns, or what the error that ends it carries. */
    async leaf(run: () => Promise<ExecResult>): Promise<ExecResult> {
      try {
        return this.emit(await run());
      } catch (error) {
        if (isControl(error) && (error.stdout !== "" || error.stderr !== "")) {
          this.write(error.stdout, error.stderr, false);
          error.stdout = error.stderr = "";
          error.internalOutputAccounting = { stdout: 0, stderr: 0 };
        }
        throw error;
      }
    }

    async within<T>(sink: Sink, run: () => Promise<T>): Promise<T> {
      const outer = this.sink;
      this.sink = sink;
      try {
        return await run();
      } finally {
        this.sink = outer;
      }
    }

    /** Collects what is written, for just-bash to redirect: as the result, or with the error that ends it. */
    async collect(run: () => Promise<ExecResult>): Promise<ExecResult> {
      const out = new Pipe(this.limit);
      const err = new Pipe(this.limit);
      try {
        const result = await this.within({ out, err }, async () => this.emit(await run()));
        return { ...result, stdout: out.take(), stdoutKind: "bytes", stderr: messageOf(err.take()) };
      } catch (error) {
        if (isControl(error)) {
          error.stdout = messageOf(out.take()) + error.stdout;
          error.stderr = messageOf(err.take()) + error.stderr;
        }
        throw error;
      }
    }

    /** Runs a part that is a process of its own in bash: leaving it in any way ends only that part. */
    async untilExit(run: () => Promise<ExecResult>): Promise<ExecResult> {
      try {
        return await run();
      } catch (error) {
        if (!isControl(error) || !ENDINGS.has(error.name)) throw error;
        this.write(error.stdout, error.stderr, false);
        return emptyResult(error.exitCode ?? (error.name === "NounsetError" ? 1 : 0));
      }
    }

    async #redirected(
      node: CommandNode,
      outputs: Plan["outputs"],
      run: () => Promise<ExecResult>,
    ): Promise<ExecResult> {
      const outer = this.sink;
      const expansions = node.type === "SimpleCommand" ? outer.expansions ?? outer.err : undefined;
      const still = routeStatically(outputs, outer);
      if (still) return await this.within({ ...still, expansions }, run);
      const open = (exec: CommandNode) => super.executeSimpleCommand(exec, "");
      const route = await this.#opened(() => routeByExec(outputs, outer, this.state, this.ctx.fs, open));
      if (route.failed) return this.emit(route.failed);
      let failed = false;
      try {
        const result = await this.within({ ...route.sink, expansions }, run);
        failed = !await this.#drain(route.files);
        return failed && result.exitCode === 0 ? { ...result, exitCode: 1 } : result;
      } finally {
        if (!failed) await this.#drain(route.files);
      }
    }

    /** A file that cannot be opened fails the command, as in bash; just-bash knows only the commonest reasons. */
    async #opened(open: () => Promise<Route>): Promise<Route> {
      try {
        return await open();
      } catch (error) {
        if (isControl(error)) throw error;
        const { path = "" } = error as { path?: string };
        const failed = { stdout: "", stderr: `bash: ${path}: ${reasonOf(error)}\n`, exitCode: 1 };
        return { sink: this.sink, files: [], failed };
      }
    }

    async #drain(files: FileTarget[]): Promise<boolean> {
      let good = true;
      for (const file of files) {
        try {
          await file.drain();
        } catch (error) {
          good = false;
          this.sink.err.write(encodeText(`bash: write error: ${reasonOf(error)}\n`));
        }
      }
      return good;
    }

    #gathering(node: CommandNode): CommandNode {
      if (node.type === "SimpleCommand") {
        this.collectsOutput = true;
        return node;
      }
      const bare = { ...node, redirections: [] } as CommandNode;
      const body = [makeStatement(() => this.collect(() => super.executeCommandInner(bare, "", false)))];
      return { type: "Group", body, redirections: node.redirections as never };
    }

    async #piping(stage: Stage, run: () => Promise<ExecResult>): Promise<ExecResult> {
      const { piped } = this;
      this.piped ||= !stage.first;
      try {
        return await this.#runStage(stage, run);
      } finally {
        this.piped = piped;
      }
    }

    async #runStage(stage: Stage, run: () => Promise<ExecResult>): Promise<ExecResult> {
      const last = stage.readers.length === 0;
      const keep = last && this.state.shoptOptions.lastpipe;
      const undo = keep ? () => {} : guardState(this.state);
      if (last) {
        try {
          return this.emit(keep ? await run() : await this.untilExit(run));
        } finally {
          undo();
        }
      }
      const show = hideOutput(this.state);
      const out = this.#pipeTo(stage.readers);
      try {
        const sink = { out, err: stage.joined ? out : this.sink.err };
        const result = await this.within(sink, async () => this.emit(await this.untilExit(run)));
        this.cut = out.closed ? undefined : out.cut;
        return { ...emptyResult(result.exitCode), stdout: out.takePart(), stdoutKind: "bytes" };
      } finally {
        this.supply.wanted = Infinity;
        show();
        undo();
      }
    }

    #pipeTo(readers: CommandNode[]): Pipe {
      const limits = readers.map((reader) => readLimitOf(reader, this.state));
      this.supply.wanted = Math.min(...limits.map(bytesOf));
      return new Pipe(this.limit, limits[0], this.supply.size);
    }

    /** Why the file that the input of a command comes from is read in part only. */
    #cutOf({ redirections }: CommandNode): string | undefined {
      const target = redirections.findLast(isInput)?.target;
      const name = target?.type === "Word" ? textOf(target, this.state) : undefined;
      return name !== undefined && endlessDevice(name) ? explainCut(name, this.supply.size) : undefined;
    }

    /** Fails a command that has taken a part of an endless source for the whole of it. */
    async judge(name: string, args: string[], stdin: string, result: ExecResult): Promise<ExecResult> {
      const { drained, out } = this.sink;
      this.sink.drained = undefined;
      const given = this.supply.take();
      const cut = given ?? this.cut;
      if (cut === undefined || !(drained ?? readsAll(name, args))) return result;
      if (given === undefined && !drained && await this.#namesFile(args)) return result;
      // A command that returns less than it got has stopped by itself.
      if (name === "head" && result.stdout.length < (stdin || (this.state.groupStdin ?? "")).length) return result;
      if (out instanceof Pipe && drained === undefined && !needsWholeInput(name, args)) {
        out.cut = cut;
        return result;
      }
      this.short = true;
      return { ...result, stderr: `${result.stderr}${cut}\n`, exitCode: result.exitCode || 1 };
    }

    /** Whether a command names a file, which it then reads in place of its standard input. */
    async #namesFile(args: string[]): Promise<boolean> {
      for (const arg of args) {
        if (arg === "" || arg.startsWith("-")) continue;
        if (await this.ctx.fs.exists(this.ctx.fs.resolvePath(this.state.cwd, arg))) return true;
      }
      return false;
    }
  };
}

/** Whether the input of a command is redirected, so that it does not read what the one around it reads. */
function readsElsewhere({ redirections }: CommandNode): boolean {
  return redirections?.some(isInput) ?? false;
}

function isInput({ fd, operator }: Redirection): boolean {
  return (fd ?? 0) === 0 && operator.startsWith("<");
}
