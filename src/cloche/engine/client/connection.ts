/** Connects a page or a test to an engine in the same program, as the host's Python does over its socket. */

import { NOT_WANTED, RequestError } from "../worker/request_errors.ts";
import { Engine, type EnginePorts } from "../router/engine.ts";
import type {
  Config,
  Display,
  FromHost,
  HostRequest,
  Language,
  Outcome,
  RunRequest,
  Stream,
  ToHost,
} from "../protocol.ts";
import type { HostFileChange } from "../protocol.ts";
import type { Code } from "../fs/files.ts";
import type { Package } from "../fs/packages.ts";

/** What a platform provides: threads, files, and answers to requests of languages. */
export interface Platform extends Pick<EnginePorts, "spawn" | "assets" | "compile"> {
  /** Where the files of a language are. */
  pack(language: Language): Promise<string>;
  /** Changes files where a worker may not. */
  changeFile(change: HostFileChange): Code | null;
  /** Answers requests of code for anything outside; rejects what is not allowed. */
  ask?(content: HostRequest): Promise<unknown>;
  /** Where packages come from, if packages can be installed. */
  readonly packages?: PackageSource;
}

/** Installs packages for the languages. */
export interface PackageSource {
  /** Answers a request about packages; `print` takes the output of a command such as `pip`. */
  answer(content: HostRequest, print: Print): Promise<unknown>;
  /** `mount` makes exactly these packages visible to every language, and rejects if one of them is damaged. */
  onMount(mount: (packages: Package[]) => Promise<void>): void;
}

type Print = (data: Uint8Array<ArrayBuffer>) => void;

/** Kinds of requests about packages. */
const ABOUT_PACKAGES = new Set(["install", "provide", "pip", "registry"]);

export interface RunObserver {
  /** The program waits until its output is taken. */
  output(stream: Stream, text: string): void | Promise<void>;
  display?(display: Display): void;
  /** Null at the end of input. */
  input?(prompt: string, password: boolean): Promise<string | null>;
  /** Whether missing imports are installed. */
  installs?: boolean;
  /** Called with what the host does for the code meanwhile. */
  notice?(message: string, type: "info" | "success" | "error"): void;
}

interface RunEnd {
  outcome: Outcome;
  state: "kept" | "lost";
}

interface Run {
  watcher: RunObserver;
  decoders: Record<Stream, TextDecoder>;
  resolve(done: RunEnd): void;
}

export class Connection {
  #engine: Engine;
  readonly #runs = new Map<number, Run>();
  readonly #replies = new Map<number, (data: unknown) => void>();
  #last = 0;
  /** Why nothing works any more. */
  #failed: string | null = null;

  constructor(private readonly platform: Platform, private config: Config) {
    if (platform.packages) this.config = { ...config, autoInstall: true };
    this.#engine = this.#start(this.config);
    platform.packages?.onMount((packages) => this.#mount(packages));
  }

  get canInstall(): boolean {
    return this.platform.packages !== undefined;
  }

  /** Installs packages, all of them or none. */
  async install(language: Language, names: string[]): Promise<void> {
    const { packages } = this.platform;
    if (packages) await packages.answer({ kind: "install", language, names }, () => {});
    else await this.#answerFromPlatform({ kind: "install", language, names });
  }

  run(language: Language, request: RunRequest, watcher: RunObserver): Promise<RunEnd> {
    if (this.#failed !== null) return Promise.reject(new Error(this.#failed));
    const id = ++this.#last;
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    return new Promise((resolve) => {
      this.#runs.set(id, { watcher, decoders, resolve });
      this.#engine.receive({ op: "run", id, language, request });
    });
  }

  /** Stops what runs; a worker that does not respond within this many seconds is replaced. */
  interrupt(grace: number): void {
    this.#engine.receive({ op: "interrupt", grace });
  }

  setEnv(env: Record<string, string>): void {
    this.config = { ...this.config, env: { ...this.config.env, ...env } };
    this.#engine.receive({ op: "env", env });
  }

  /** Sends a message that has one reply. */
  ask(message: EngineQuery): Promise<unknown> {
    if (this.#failed !== null) return Promise.resolve({ error: this.#failed });
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#replies.set(id, resolve);
      this.#engine.receive({ ...message, id });
    });
  }

  #start(config: Config): Engine {
    const { spawn, assets, compile } = this.platform;
    const engine: Engine = new Engine({
      spawn,
      assets,
      compile,
      send: (message) => this.#receive(message, engine),
      output: (run, stream, data) => this.#output(run, stream, data),
    });
    engine.receive({ op: "start", config });
    return engine;
  }

  #receive(message: ToHost, from: Engine): void {
    switch (message.op) {
      case "done":
        return this.#done(message.id, message);
      case "reply":
        this.#replies.get(message.id)?.(message.data);
        this.#replies.delete(message.id);
        return;
      case "display":
        return this.#runs.get(message.id)?.watcher.display?.(message.display);
      case "request":
        return void this.#answer(message, from);
      case "failed":
        return this.#fail(message.message);
      case "stuck":
        // The host would replace the process; here the engine is replaced. The old one still reports what was lost.
        this.#engine.end();
        this.#engine = this.#start({ ...this.config, shell: message.shell });
    }
  }

  async #output(id: number, stream: Stream, data: Uint8Array): Promise<void> {
    const run = this.#runs.get(id);
    const text = run?.decoders[stream].decode(data, { stream: true });
    if (text) await run?.watcher.output(stream, text);
  }

  #done(id: number, { outcome, state }: RunEnd): void {
    this.#runs.get(id)?.resolve({ outcome, state });
    this.#runs.delete(id);
  }

  #fail(why: string): void {
    this.#failed = why;
    const error = { type: "SandboxLost", message: why, line: null, column: null, traceback: "" };
    for (const id of [...this.#runs.keys()]) {
      this.#done(id, { outcome: { value: null, error, exitCode: 137 }, state: "lost" });
    }
    for (const resolve of this.#replies.values()) resolve({ error: why });
    this.#replies.clear();
  }

  async #mount(packages: Package[]): Promise<void> {
    const reply = await this.ask({ op: "packages", packages }) as { error?: string };
    if (reply.error !== undefined) throw new Error(reply.error);
    this.config = { ...this.config, packages };
  }

  /** Answers the engine that asked: after a replacement the number belongs to another request. */
  async #answer(message: ToHost & { op: "request" }, engine: Engine): Promise<void> {
    const { request } = message;
    try {
      const print = (data: Uint8Array<ArrayBuffer>) => engine.receive({ op: "chunk", request, data });
      engine.receive({ op: "end", request, error: null, data: await this.#dataFor(message, print) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const type = error instanceof RequestError ? error.type : "Unavailable";
      engine.receive({ op: "end", request, error: { type, message } });
    }
  }

  async #dataFor({ run, content }: ToHost & { op: "request" }, print: Print): Promise<unknown> {
    const watcher = this.#runs.get(run)?.watcher;
    switch (content.kind) {
      case "input":
        return await watcher?.input?.(String(content.prompt), content.password === true) ?? null;
      case "pack":
        return await this.platform.pack(content.language as Language);
      case "link":
      case "chmod":
        return this.platform.changeFile(content as HostFileChange);
    }
    const { packages } = this.platform;
    return ABOUT_PACKAGES.has(content.kind) && packages
      ? await this.#answerPackages(packages, content, print, watcher)
      : await this.#answerFromPlatform(content);
  }

  #answerFromPlatform(content: HostRequest): Promise<unknown> {
    return this.platform.ask?.(content) ??
      Promise.reject(new Error(`${content.kind}: not here, where no host answers`));
  }

  async #answerPackages(
    source: PackageSource,
    content: HostRequest,
    print: Print,
    watcher?: RunObserver,
  ): Promise<unknown> {
    if (content.kind !== "provide") return await source.answer(content, print);
    if (watcher?.installs !== true) throw new RequestError(NOT_WANTED, "packages are not installed by themselves now");
    const name = String(content.name ?? content.module);
    watcher.notice?.(`Installing package: ${name}...`, "info");
    try {
      const data = await source.answer(content, print);
      const { found, message } = data as { found?: boolean; message?: string };
      if (found === false) watcher.notice?.(`Failed to install ${name}: ${message}`, "error");
      else watcher.notice?.(`Package ${name} installed successfully`, "success");
      return data;
    } catch (error) {
      watcher.notice?.(`Failed to install ${name}: ${error instanceof Error ? error.message : error}`, "error");
      throw error;
    }
  }
}

/** Messages to the engine that have one reply, without their number. */
type EngineQuery = FromHost extends infer Each
  ? Each extends { op: "query" | "reset" | "unload" | "languages" | "packages"; id: number } ? Omit<Each, "id">
  : never
  : never;
