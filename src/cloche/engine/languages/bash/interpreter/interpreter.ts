/** The shell's interpreter: processes, traps, background jobs and children over just-bash's. */
import {
  type CommandNode,
  type ExecResult,
  parse,
  type ScriptNode,
  type StatementNode,
  type WordNode,
} from "just-bash";
import { encodeText } from "../streams/byte_strings.ts";
import { asText, CHILD_OPTIONS, childState, messageOf, sameEncoding, TRANSPARENT } from "./child_processes.ts";
import {
  emptyResult,
  type Interpreter,
  type InterpreterOptions,
  isControl,
  type ShellState,
  type Spawn,
  type SpawnOptions,
} from "./just_bash_types.ts";
import { actionOf, isFinal, makeStatement } from "./syntax_nodes.ts";
import { ASK, type Ask } from "../streams/output.ts";
import { INTERPRETER } from "./just_bash_patch.ts";
import type { Process } from "./process.ts";
import {
  folderPattern,
  makeProbe,
  overArguments,
  patternText,
  plainWord,
  PROBE,
  splitDeclaration,
} from "./syntax_repairs.ts";
import { withRouting } from "../streams/routing.ts";
import { Pipe, type Sink } from "../streams/sinks.ts";
import { forkState, guardState, hideOutput } from "./state.ts";
import { type AskLine, typedFor } from "../streams/terminal.ts";

/** The exit code of a `read` that timed out. */
const TIMED_OUT = 142;
/** Commands whose children do not read the terminal. */
const DEAF = new Set(["xargs", "nohup", "setsid"]);

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

function derive(base: typeof Interpreter) {
  return class extends withRouting(base) {
    readonly #script: ScriptNode | undefined;
    #started = false;
    #command = "";
    #words: string[] = [];
    #argv: string[] | undefined;

    constructor(
      options: InterpreterOptions,
      state: ShellState,
      readonly process: Process,
      sink: Sink,
      script: ScriptNode | undefined,
    ) {
      super(options, state, sink, process.table);
      this.#script = script;
      this.ctx.execFn = (source, spawn, accounted) => this.#spawn(options.exec, source, spawn, accounted);
    }

    override async executeScript(node: ScriptNode): Promise<ExecResult> {
      if (!this.#started) {
        this.#started = true;
        return await this.#runProcess(this.#script ?? node);
      }
      this.#nameScript();
      if (!this.state.suppressVerbose) return this.emit(await super.executeScript(node));
      return await this.#substitute(node);
    }

    override async executeStatement(node: StatementNode): Promise<ExecResult> {
      const action = actionOf(node);
      if (action) return await action();
      if (this.process.table.due) await this.process.table.breathe(this.process);
      if (this.sink.out.closed) await this.leave(141);
      if (node.background) return this.#background(node);
      if (!this.process.traps.has("ERR")) return this.emit(await super.executeStatement(node));
      return await this.#trapped(node);
    }

    override async executeCommandInner(node: CommandNode, stdin: string, owned: boolean): Promise<ExecResult> {
      const split = splitDeclaration(node);
      if (split) {
        const declared = await super.executeCommandInner(split.declaration, stdin, owned);
        return declared.exitCode === 0 ? await super.executeCommandInner(split.assignments, stdin, owned) : declared;
      }
      return await super.executeCommandInner(await this.#withFolders(overArguments(node)), stdin, owned);
    }

    override async executeSubshell(node: CommandNode, stdin?: string, owned?: boolean): Promise<ExecResult> {
      if (node.type !== "Subshell") return await super.executeSubshell(node, stdin, owned);
      const { sink } = this;
      const traps = this.process.traps.enterSubshell();
      const all = () => this.untilExit(() => this.#executeAll(node.body));
      const body = [makeStatement(() => this.#withExitTrap(all))];
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
      if (name === PROBE) {
        this.#words = args;
        return emptyResult(0);
      }
      const run = async (): Promise<ExecResult> => {
        const builtin = this.process.table.builtins.get(name);
        if (builtin && (skipFunctions || !this.state.functions.has(name))) {
          const result = await builtin(this, args, stdin || (this.state.groupStdin ?? ""));
          if (result) return result;
        }
        const own = skipFunctions || !this.state.functions.has(name);
        const typed = terminal && own ? await typedFor(name, args, terminal) : undefined;
        const given = typed?.text ?? stdin;
        const done = super.runCommand(name, args, quoted, given, skipFunctions, defaultPath, stdinFd, stdinOwned);
        const result = await this.judge(name, args, given, sameEncoding(await done, given));
        if (this.#isCutOff(name, args, stdin, result)) return await this.#endShort();
        return typed?.late ? { ...result, exitCode: TIMED_OUT } : result;
      };
      const outer = this.#command;
      const { terminal: above } = this.process;
      const terminal = this.process.terminal = this.#terminal(stdin, stdinFd, stdinOwned);
      this.#command = name;
      try {
        const collects = this.collectsOutput || this.outputIsFixed;
        this.collectsOutput = false;
        return collects ? await this.collect(run) : await run();
      } finally {
        this.#command = outer;
        this.process.terminal = above;
      }
    }

    /** Whether `read` has reached the end of a part of an endless source. */
    #isCutOff(name: string, args: string[], stdin: string, { exitCode, stderr }: ExecResult): boolean {
      if (name !== "read" || this.cut === undefined || stdin !== "") return false;
      return exitCode === 1 && stderr === "" && !this.state.groupStdin && !args.some((arg) => /^-\w*u/.test(arg));
    }

    /** Ends a loop over an endless source: its script would otherwise continue as after the last line. */
    async #endShort(): Promise<never> {
      this.short = true;
      this.sink.err.write(encodeText(`${this.cut}\n`));
      return await this.leave(1);
    }

    /** The terminal, if nothing else is standard input. */
    #terminal(stdin: string, fd = -1, owned = false): AskLine | undefined {
      const { groupStdin, fileDescriptors } = this.state;
      const other = this.piped || stdin !== "" || owned || fd >= 0 || groupStdin !== undefined ||
        fileDescriptors?.has(0);
      return other ? undefined : this.process.terminal;
    }

    override async executeUserScript(path: string, args: string[], stdin = ""): Promise<ExecResult> {
      const [, program, word] = (await this.ctx.fs.readFile(path)).match(/^#!\s*(\S+)(?:[ \t]+(\S+))?/) ?? [];
      const name = program?.endsWith("/env") ? word : program?.split("/").at(-1);
      if (name === undefined || /^(ba|da|k|z)?sh$/.test(name)) {
        this.#argv = [this.#command, ...args];
        return await super.executeUserScript(path, args, stdin);
      }
      const extra = word === undefined || program?.endsWith("/env") ? [] : [word];
      return await this.runCommand(name, [...extra, path, ...args], [], stdin, true);
    }

    /** Ends the process, as `exit` does. */
    async leave(code: number): Promise<never> {
      await super.runCommand("exit", [String(code)], [], "");
      throw new Error("exit returned");
    }

    /** Runs a command given by its words, and writes what it returns. */
    async runLeaf(words: string[]): Promise<ExecResult> {
      const stdin = this.state.groupStdin ?? "";
      return await this.leaf(() => this.runCommand(words[0], words.slice(1), [], stdin, true));
    }

    /** Runs the text of a trap; `$?` is what it was before and after. */
    async runText(text: string): Promise<void> {
      const { lastExitCode } = this.state;
      try {
        this.emit(await super.executeScript(parse(text)));
      } finally {
        this.#setStatus(lastExitCode);
      }
    }

    #setStatus(code: number): void {
      this.state.lastExitCode = code;
      this.state.env.set("?", String(code));
    }

    // just-bash passes a script its resolved path as $0, and at most nine arguments.
    #nameScript(): void {
      this.#argv?.forEach((word, i) => this.state.env.set(String(i), word));
      this.#argv = undefined;
    }

    async #executeAll(nodes: StatementNode[]): Promise<ExecResult> {
      let result = emptyResult(0);
      for (const node of nodes) result = await this.executeStatement(node);
      return result;
    }

    /** Expands patterns that end with a slash, which just-bash would let match files. */
    async #withFolders(node: CommandNode): Promise<CommandNode> {
      if (node.type === "For" && node.words?.some(folderPattern)) {
        return { ...node, words: await this.#expandFolders(node.words) };
      }
      if (node.type !== "SimpleCommand") return node;
      const assigned = node.assignments.some(({ array }) => array?.some(folderPattern));
      if (!assigned && !node.args.some(folderPattern)) return node;
      const assignments = [];
      for (const item of node.assignments) {
        assignments.push(item.array ? { ...item, array: await this.#expandFolders(item.array) } : item);
      }
      return { ...node, assignments, args: await this.#expandFolders(node.args) };
    }

    async #expandFolders(words: WordNode[]): Promise<WordNode[]> {
      const { options, shoptOptions } = this.state;
      const out: WordNode[] = [];
      for (const word of words) {
        const pattern = folderPattern(word);
        if (!pattern) {
          out.push(word);
          continue;
        }
        this.state.options = { ...options, xtrace: false };
        await super.executeSimpleCommand(makeProbe(pattern), "");
        this.state.options = options;
        const folders: string[] = [];
        for (const name of this.#words) {
          const stat = await this.ctx.fs.stat(this.ctx.fs.resolvePath(this.state.cwd, name)).catch(() => undefined);
          if (stat?.isDirectory) folders.push(`${name}/`);
        }
        if (folders.length === 0 && !shoptOptions.nullglob) folders.push(`${patternText(pattern)}/`);
        out.push(...folders.map(plainWord));
      }
      return out;
    }

    /** Runs `$(...)` or `<(...)`: output is kept, errors go out at once. */
    async #substitute(node: ScriptNode): Promise<ExecResult> {
      const out = new Pipe(this.limit);
      const show = hideOutput(this.state);
      const traps = this.process.traps.enterSubshell();
      const sink = { out, err: this.sink.expansions ?? this.sink.err };
      try {
        const run = () => this.#withExitTrap(() => this.untilExit(() => super.executeScript(node)));
        const result = await this.within(sink, async () => this.emit(await run()));
        return asText(result, out.take());
      } finally {
        show();
        this.process.traps.leaveSubshell(traps);
      }
    }

    /** A substitution inside arithmetic, which just-bash would run as a child without the shell's functions. */
    async #substituteText(source: string): Promise<ExecResult> {
      const { env, arrays } = this.state;
      const undo = guardState(this.state);
      this.state.env = new Map(env);
      try {
        return await this.#substitute(parse(source));
      } finally {
        undo();
        Object.assign(this.state, { env, arrays });
      }
    }

    async #runProcess(node: ScriptNode): Promise<ExecResult> {
      const run = () => this.untilExit(() => super.executeScript(node));
      const result = this.emit(await this.#withExitTrap(run));
      const exitCode = this.short && this.cut !== undefined ? result.exitCode || 1 : result.exitCode;
      this.#setStatus(exitCode);
      return { ...result, exitCode };
    }

    async #withExitTrap(run: () => Promise<ExecResult>): Promise<ExecResult> {
      const result = this.emit(await run());
      const text = this.process.traps.take("EXIT");
      if (!text) return result;
      this.#setStatus(result.exitCode);
      return await this.untilExit(async () => {
        await this.runText(text);
        return result;
      });
    }

    async #trapped(node: StatementNode): Promise<ExecResult> {
      try {
        const result = this.emit(await super.executeStatement(node));
        const { inCondition, errexitSafe, callDepth } = this.state;
        const counts = result.exitCode !== 0 && !inCondition && !errexitSafe && callDepth === 0 && isFinal(node);
        if (counts) await this.#errTrap(result.exitCode);
        return result;
      } catch (error) {
        const fails = isControl(error) && error.name === "ErrexitError" && isFinal(node);
        if (fails) await this.#errTrap(error.exitCode ?? 1);
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
      const { process } = this;
      const sink = { out: this.sink.out, err: this.sink.err };
      const state = forkState(this.state);
      Object.assign(state, { groupStdin: undefined, suppressVerbose: false, loopDepth: 0 });
      const script: ScriptNode = { type: "Script", statements: [{ ...node, background: false }] };
      const job = process.table.jobs.start(process, script, (child, signal) => {
        Object.assign(state, { signal, bashPid: child.pid });
        const make = (made: typeof Interpreter, options: InterpreterOptions) =>
          createInterpreter(made, options, state, child, sink, script);
        return process.table.execute(":", { signal, rawScript: true, [INTERPRETER]: make });
      });
      this.state.lastBackgroundPid = job.pid;
      return emptyResult(0);
    }

    /** Starts a child shell for a command (xargs, bash, find -exec...). */
    #spawn(stock: Spawn, source: string, options: SpawnOptions = {}, accounted?: boolean): Promise<ExecResult> {
      const { [ASK]: ask, [CHILD_OPTIONS]: switches } = options as { [ASK]?: Ask; [CHILD_OPTIONS]?: string[] };
      if (ask) {
        ask(this.sink, this.piped, this.process.run);
        return Promise.resolve(emptyResult(0));
      }
      if (accounted === undefined) return this.#substituteText(source);
      const { process, limit } = this;
      const env = options.env ?? this.buildExportedEnv();
      const through = TRANSPARENT.has(this.#command);
      const pipes = { out: new Pipe(limit), err: new Pipe(limit) };
      const sink = through ? { out: this.sink.out, err: this.sink.err } : pipes;
      const own = process.child();
      if (through && !DEAF.has(this.#command)) own.terminal = process.terminal;
      const make = (made: typeof Interpreter, context: InterpreterOptions, given: ShellState) => {
        const state = childState(given, this.state, env, switches);
        if (own.terminal && !state.groupStdin) state.groupStdin = undefined;
        const child = createInterpreter(made, context, state, own, sink);
        if (options.stdin) child.cut = this.cut;
        return child;
      };
      const spawn = { ...options, env, replaceEnv: true, rawScript: true, [INTERPRETER]: make };
      const done = stock(source, spawn, accounted);
      if (through) return done;
      return done.then((result) => {
        const whole = asText(result, pipes.out.take() + encodeText(result.stdout));
        return { ...whole, stderr: messageOf(pipes.err.take()) + result.stderr };
      });
    }
  };
}
