/** just-bash's interpreter, changed so that output leaves while a script runs and `&`, `trap` and children work. */
import {
  type CommandNode,
  type ExecResult,
  parse,
  type PipelineNode,
  type ScriptNode,
  type StatementNode,
} from "just-bash";
import { type Appetite, appetite } from "./appetite.ts";
import { decodeText, encodeMessage, encodeText } from "./bytes.ts";
import {
  failure,
  type Interpreter,
  type InterpreterOptions,
  isControl,
  quiet,
  type ShellState,
  type Spawn,
  type SpawnOptions,
} from "./internals.ts";
import { ASK, type Ask } from "./output.ts";
import { INTERPRETER } from "./patch.ts";
import type { Process } from "./process.ts";
import { literal, plan, routeByExec, routeStatically } from "./redirect.ts";
import { FileTarget, Pipe, type Sink } from "./sinks.ts";
import { fork, guard, hideOutput } from "./state.ts";

/** Key of a statement that is not parsed but carries what to do. */
const ACTION: unique symbol = Symbol("cloche.action");
type Action = () => Promise<ExecResult>;

/** Key under which a command (bash) passes options on to the child shell it starts. */
export const CHILD_OPTIONS: unique symbol = Symbol("cloche.child");

/** Commands that only pass on what their child writes, so that the child may write itself. */
const TRANSPARENT = new Set([
  "bash",
  "sh",
  "dash",
  "env",
  "timeout",
  "xargs",
  "time",
  "sudo",
  "nohup",
  "nice",
  "stdbuf",
]);

/** Variables that a child shell has whether or not they are exported. */
const INHERENT = ["IFS", "OSTYPE", "MACHTYPE", "HOSTTYPE", "HOSTNAME", "OPTIND"];

type Stage = Appetite & { last: boolean; joined: boolean };
const stages = new WeakMap<CommandNode, Stage>();
const classes = new WeakMap<typeof Interpreter, ReturnType<typeof derive>>();

/** The shell's interpreter over just-bash's. */
export type ShellInterpreter = InstanceType<ReturnType<typeof derive>>;

/** Makes an interpreter for a process; `script` replaces the one that just-bash parsed. */
export function createInterpreter(
  base: typeof Interpreter,
  options: InterpreterOptions,
  state: ShellState,
  process: Process,
  sink: Sink,
  script?: ScriptNode,
): ShellInterpreter {
  let derived = classes.get(base);
  if (!derived) classes.set(base, derived = derive(base));
  return new derived(options, state, process, sink, script);
}

// One class, because its methods override and call each other; what needs no `super` lives in other modules.
function derive(Base: typeof Interpreter) {
  return class extends Base {
    sink: Sink;
    readonly process: Process;
    readonly #script: ScriptNode | undefined;
    #started = false;
    #command = "";
    #gather = false;

    constructor(
      options: InterpreterOptions,
      state: ShellState,
      process: Process,
      sink: Sink,
      script: ScriptNode | undefined,
    ) {
      super(options, state);
      this.process = process;
      this.sink = sink;
      this.#script = script;
      this.ctx.execFn = (source, spawn, accounted) => this.#spawn(options.exec, source, spawn, accounted);
    }

    get state(): ShellState {
      return this.ctx.state;
    }

    override async executeScript(node: ScriptNode): Promise<ExecResult> {
      if (!this.#started) {
        this.#started = true;
        return await this.#runProcess(this.#script ?? node);
      }
      if (!this.state.suppressVerbose) return this.#emit(await super.executeScript(node));
      return await this.#substitute(node);
    }

    override async executeStatement(node: StatementNode): Promise<ExecResult> {
      const action = (node as { [ACTION]?: Action })[ACTION];
      if (action) return await action();
      if (this.process.session.due) await this.process.session.breathe();
      if (this.sink.out.closed) await this.leave(141);
      if (node.background) return this.#background(node);
      if (!this.process.traps.has("ERR")) return this.#emit(await super.executeStatement(node));
      return await this.#trapped(node);
    }

    override async executePipeline(node: PipelineNode): Promise<ExecResult> {
      const { commands, pipeStderr } = node;
      if (commands.length > 1 && !stages.has(commands[0])) {
        commands.forEach((command, i) => {
          const last = i === commands.length - 1;
          stages.set(command, { ...appetite(commands[i + 1]), last, joined: pipeStderr?.[i] ?? false });
        });
      }
      return this.#emit(await super.executePipeline(node));
    }

    override async executeCommand(node: CommandNode, stdin: string, owned?: boolean): Promise<ExecResult> {
      const stage = stages.get(node);
      if (stage) return await this.#runStage(stage, () => super.executeCommand(node, stdin, owned));
      return this.#emit(await super.executeCommand(node, stdin, owned));
    }

    override async executeCommandInner(node: CommandNode, stdin: string, owned: boolean): Promise<ExecResult> {
      const inner = (changed: CommandNode) => super.executeCommandInner(changed, stdin, owned);
      if (node.type === "FunctionDef") return await inner(withBodyRedirected(node));
      if (node.redirections.length === 0 || isBareExec(node)) return await this.#leaf(() => inner(node));
      const { outputs, rest, tangled } = plan(node);
      const fixed = this.state.fileDescriptors?.has(1) || this.state.fileDescriptors?.has(2);
      if (tangled || (fixed && outputs.length > 0)) return await this.#leaf(() => inner(this.#gathering(node)));
      if (outputs.length === 0) return await this.#leaf(() => inner(node));
      const bare = { ...node, redirections: rest } as CommandNode;
      return await this.#redirected(node, outputs, () => this.#leaf(() => inner(bare)));
    }

    override async executeSubshell(node: CommandNode, stdin?: string, owned?: boolean): Promise<ExecResult> {
      if (node.type !== "Subshell") return await super.executeSubshell(node, stdin, owned);
      const { sink } = this;
      const traps = this.process.traps.enterSubshell();
      const all = () => this.#untilExit(() => this.#executeAll(node.body));
      const body = [statement(() => this.#withExitTrap(all))];
      try {
        return await super.executeSubshell({ ...node, body }, stdin, owned);
      } finally {
        this.sink = sink;
        this.process.traps.leaveSubshell(traps);
      }
    }

    override async runCommand(
      name: string,
      args: string[],
      quoted: boolean[],
      stdin: string,
      skipFunctions?: boolean,
      defaultPath?: boolean,
      stdinFd?: number,
      stdinOwned?: boolean,
    ): Promise<ExecResult> {
      this.sink.expansions = undefined;
      const run = async (): Promise<ExecResult> => {
        const builtin = this.process.session.builtins.get(name);
        if (builtin && (skipFunctions || !this.state.functions.has(name))) {
          const result = await builtin(this, args, stdin || (this.state.groupStdin ?? ""));
          if (result) return result;
        }
        return await super.runCommand(name, args, quoted, stdin, skipFunctions, defaultPath, stdinFd, stdinOwned);
      };
      const outer = this.#command;
      this.#command = name;
      try {
        const gather = this.#gather || this.state.fileDescriptors?.has(1) || this.state.fileDescriptors?.has(2);
        this.#gather = false;
        return gather ? await this.#collect(run) : await run();
      } finally {
        this.#command = outer;
      }
    }

    /** Ends the process, as `exit` does. */
    async leave(code: number): Promise<never> {
      await super.runCommand("exit", [String(code)], [], "");
      throw new Error("exit returned");
    }

    /** Runs a command given by its words, and writes what it returns. */
    async runLeaf(words: string[]): Promise<ExecResult> {
      const stdin = this.state.groupStdin ?? "";
      return await this.#leaf(() => this.runCommand(words[0], words.slice(1), [], stdin, true));
    }

    /** Runs the text of a trap; `$?` is what it was before and after. */
    async runText(text: string): Promise<void> {
      const { lastExitCode } = this.state;
      try {
        this.#emit(await super.executeScript(parse(text)));
      } finally {
        this.#setStatus(lastExitCode);
      }
    }

    async #executeAll(nodes: StatementNode[]): Promise<ExecResult> {
      let result = quiet(0);
      for (const node of nodes) result = await this.executeStatement(node);
      return result;
    }

    #emit(result: ExecResult): ExecResult {
      if (result.stdout === "" && result.stderr === "") return result;
      this.#write(result.stdout, result.stderr, result.stdoutKind === "bytes" || result.stdoutEncoding === "binary");
      return {
        ...result,
        stdout: "",
        stderr: "",
        stdoutKind: "text",
        stdoutEncoding: undefined,
        internalOutputAccounting: undefined,
      };
    }

    // Errors first: a real program's standard output is buffered and reaches a pipe when it ends.
    #write(stdout: string, stderr: string, binary: boolean): void {
      if (this.state.signal?.aborted) return;
      if (stderr !== "") this.sink.err.write(encodeMessage(stderr));
      if (stdout !== "") this.sink.out.write(binary ? stdout : encodeText(stdout));
    }

    async #leaf(run: () => Promise<ExecResult>): Promise<ExecResult> {
      try {
        return this.#emit(await run());
      } catch (error) {
        if (isControl(error) && (error.stdout !== "" || error.stderr !== "")) {
          this.#write(error.stdout, error.stderr, false);
          error.stdout = error.stderr = "";
          error.internalOutputAccounting = { stdout: 0, stderr: 0 };
        }
        throw error;
      }
    }

    async #redirected(
      node: CommandNode,
      outputs: ReturnType<typeof plan>["outputs"],
      run: () => Promise<ExecResult>,
    ): Promise<ExecResult> {
      const outer = this.sink;
      const expansions = node.type === "SimpleCommand" ? outer.expansions ?? outer.err : undefined;
      const still = routeStatically(outputs, outer);
      if (still) return await this.#within({ ...still, expansions }, run);
      const open = (exec: CommandNode) => super.executeSimpleCommand(exec, "");
      const route = await routeByExec(outputs, outer, this.state, this.ctx.fs, open);
      if (route.failed) return this.#emit(route.failed);
      try {
        return await this.#within({ ...route.sink, expansions }, run);
      } finally {
        await this.#drain(route.files);
      }
    }

    async #drain(files: FileTarget[]): Promise<void> {
      for (const file of files) {
        try {
          await file.drain();
        } catch (error) {
          this.sink.err.write(encodeText(`bash: write error: ${error instanceof Error ? error.message : error}\n`));
        }
      }
    }

    async #within<T>(sink: Sink, run: () => Promise<T>): Promise<T> {
      const outer = this.sink;
      this.sink = sink;
      try {
        return await run();
      } finally {
        this.sink = outer;
      }
    }

    /** Gathers what is written, for just-bash to redirect: as the result, or with the error that ends it. */
    async #collect(run: () => Promise<ExecResult>): Promise<ExecResult> {
      const { limit } = this.process.session;
      const out = new Pipe(limit);
      const err = new Pipe(limit);
      try {
        const result = await this.#within({ out, err }, async () => this.#emit(await run()));
        return { ...result, stdout: out.take(), stdoutKind: "bytes", stderr: textOf(err.take()) };
      } catch (error) {
        if (isControl(error)) {
          error.stdout = textOf(out.take()) + error.stdout;
          error.stderr = textOf(err.take()) + error.stderr;
        }
        throw error;
      }
    }

    #gathering(node: CommandNode): CommandNode {
      if (node.type === "SimpleCommand") {
        this.#gather = true;
        return node;
      }
      const bare = { ...node, redirections: [] } as CommandNode;
      const body = [statement(() => this.#collect(() => super.executeCommandInner(bare, "", false)))];
      return { type: "Group", body, redirections: node.redirections as never };
    }

    async #runStage(stage: Stage, run: () => Promise<ExecResult>): Promise<ExecResult> {
      const keep = stage.last && this.state.shoptOptions.lastpipe;
      const undo = keep ? () => {} : guard(this.state);
      if (stage.last) {
        try {
          return this.#emit(keep ? await run() : await this.#untilExit(run));
        } finally {
          undo();
        }
      }
      const show = hideOutput(this.state);
      const out = new Pipe(this.process.session.limit, stage.lines, stage.bytes);
      try {
        const sink = { out, err: stage.joined ? out : this.sink.err };
        const result = await this.#within(sink, async () => this.#emit(await this.#untilExit(run)));
        return { ...quiet(result.exitCode), stdout: out.take(), stdoutKind: "bytes" };
      } finally {
        show();
        undo();
      }
    }

    /** Runs a part that is a process of its own in bash: leaving it in any way ends only that part. */
    async #untilExit(run: () => Promise<ExecResult>): Promise<ExecResult> {
      try {
        return await run();
      } catch (error) {
        if (!isControl(error) || !ENDINGS.has(error.name)) throw error;
        this.#write(error.stdout, error.stderr, false);
        return quiet(error.exitCode ?? (error.name === "NounsetError" ? 1 : 0));
      }
    }

    async #substitute(node: ScriptNode): Promise<ExecResult> {
      const out = new Pipe(this.process.session.limit);
      const show = hideOutput(this.state);
      const traps = this.process.traps.enterSubshell();
      const sink = { out, err: this.sink.expansions ?? this.sink.err };
      try {
        const run = () => this.#withExitTrap(() => this.#untilExit(() => super.executeScript(node)));
        const result = await this.#within(sink, async () => this.#emit(await run()));
        return asText(result, out.take());
      } finally {
        show();
        this.process.traps.leaveSubshell(traps);
      }
    }

    async #runProcess(node: ScriptNode): Promise<ExecResult> {
      const run = () => this.#untilExit(() => super.executeScript(node));
      const result = this.#emit(await this.#withExitTrap(run));
      this.#setStatus(result.exitCode);
      return result;
    }

    async #withExitTrap(run: () => Promise<ExecResult>): Promise<ExecResult> {
      const result = this.#emit(await run());
      const text = this.process.traps.take("EXIT");
      if (!text) return result;
      this.#setStatus(result.exitCode);
      return await this.#untilExit(async () => {
        await this.runText(text);
        return result;
      });
    }

    #setStatus(code: number): void {
      this.state.lastExitCode = code;
      this.state.env.set("?", String(code));
    }

    async #trapped(node: StatementNode): Promise<ExecResult> {
      try {
        const result = this.#emit(await super.executeStatement(node));
        const { inCondition, errexitSafe, callDepth } = this.state;
        const counts = result.exitCode !== 0 && !inCondition && !errexitSafe && callDepth === 0 && isFinal(node);
        if (counts) await this.#errTrap(result.exitCode);
        return result;
      } catch (error) {
        if (isControl(error) && error.name === "ErrexitError" && isFinal(node)) {
          await this.#errTrap(error.exitCode ?? 1);
        }
        throw error;
      }
    }

    async #errTrap(code: number): Promise<void> {
      const text = this.process.traps.take("ERR");
      if (text === undefined) return;
      this.#setStatus(code);
      try {
        await this.runText(text);
      } finally {
        this.process.traps.restore("ERR", text);
      }
    }

    #background(node: StatementNode): ExecResult {
      const { process, sink } = this;
      const state = fork(this.state);
      Object.assign(state, { groupStdin: undefined, suppressVerbose: false, loopDepth: 0 });
      const script: ScriptNode = { type: "Script", statements: [{ ...node, background: false }] };
      const job = process.session.jobs.start(process, script, (child, signal) => {
        state.bashPid = child.pid;
        const make = (base: typeof Interpreter, options: InterpreterOptions) =>
          createInterpreter(
            base,
            options,
            Object.assign(state, { signal }),
            child,
            { out: sink.out, err: sink.err },
            script,
          );
        return process.session.execute(":", { signal, rawScript: true, [INTERPRETER]: make });
      });
      this.state.lastBackgroundPid = job.pid;
      return quiet(0);
    }

    #spawn(stock: Spawn, source: string, options: SpawnOptions = {}, accounted?: boolean): Promise<ExecResult> {
      const { [ASK]: ask, [CHILD_OPTIONS]: switches } = options as { [ASK]?: Ask; [CHILD_OPTIONS]?: string[] };
      if (ask) {
        ask(this.sink);
        return Promise.resolve(quiet(0));
      }
      const { process } = this;
      const env = options.env ?? this.buildExportedEnv();
      const through = TRANSPARENT.has(this.#command);
      const { limit } = process.session;
      const pipes = { out: new Pipe(limit), err: new Pipe(limit) };
      const sink = through ? { out: this.sink.out, err: this.sink.err } : pipes;
      const make = (base: typeof Interpreter, context: InterpreterOptions, state: ShellState) => {
        const own = childState(state, this.state, env, switches ?? []);
        return createInterpreter(base, context, own, process.child(), sink);
      };
      const spawn = { ...options, env, replaceEnv: true, rawScript: true, [INTERPRETER]: make };
      const done = stock(source, spawn, accounted);
      if (through) return done;
      return done.then((result) => {
        const whole = asText(result, pipes.out.take() + encodeText(result.stdout));
        return { ...whole, stderr: textOf(pipes.err.take()) + result.stderr };
      });
    }
  };
}

/** Errors by which a subshell ends without its parent ending. */
const ENDINGS = new Set(["ExitError", "ErrexitError", "ReturnError", "BreakError", "ContinueError", "NounsetError"]);

function statement(action: Action): StatementNode {
  const node = { type: "Statement", pipelines: [], operators: [], background: false, [ACTION]: action };
  return node as StatementNode;
}

function withBodyRedirected(node: CommandNode & { type: "FunctionDef" }): CommandNode {
  if (node.redirections.length === 0) return node;
  const inner = { type: "Pipeline" as const, commands: [node.body], negated: false };
  const body = [{ type: "Statement" as const, pipelines: [inner], operators: [], background: false }];
  return { ...node, redirections: [], body: { type: "Group", body, redirections: node.redirections } };
}

/** `exec` with nothing but redirections, or redirections alone: just-bash keeps or drops them as it should. */
function isBareExec(node: CommandNode): boolean {
  return node.type === "SimpleCommand" && (!node.name || (node.args.length === 0 && literal(node.name) === "exec"));
}

/** Whether a failure of the statement is that of a command, not one already seen inside a loop or group. */
function isFinal(node: StatementNode): boolean {
  const type = node.pipelines.at(-1)?.commands.at(-1)?.type;
  return type !== undefined && !/^(If|For|CStyleFor|While|Until|Case|Group)$/.test(type);
}

function childState(
  state: ShellState,
  parent: ShellState,
  env: Record<string, string>,
  switches: string[],
): ShellState {
  const own = fork(state);
  for (const name of INHERENT) {
    const value = name === "IFS" ? " \t\n" : name === "OPTIND" ? "1" : parent.env.get(name);
    if (!own.env.has(name) && value !== undefined) own.env.set(name, value);
  }
  own.exportedVars = new Set(Object.keys(env).filter((name) => /^[A-Za-z_]\w*$/.test(name)));
  for (const name of switches) own.options[name] = true;
  own.extraArgs = state.extraArgs;
  own.groupStdin = state.groupStdin;
  return own;
}

function textOf(bytes: string): string {
  return decodeText(bytes) ?? bytes;
}

/** A result with output that is text where it can be, else bytes. */
function asText(result: ExecResult, bytes: string): ExecResult {
  const text = decodeText(bytes);
  return { ...result, stdout: text ?? bytes, stdoutKind: text === undefined ? "bytes" : "text" };
}

/** Reports what the interpreter could not do. */
export function refuse(name: string, message: string, code = 1): ExecResult {
  return failure(`bash: ${name}: ${message}`, code);
}
