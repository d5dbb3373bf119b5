/** A language of a RuntimeManager; the interpreter itself is in a worker. */

import type { Connection, RunObserver } from "./connection.ts";
import { BaseRuntime, type ExecuteOptions, type ExecuteResult, type RuntimeConfig } from "./base_runtime.ts";
import { CATALOG, type CatalogEntry, type Language } from "../languages/catalog.ts";
import { FIXED_LIMITS } from "../limits.ts";
import type { Display, Query, RunRequest } from "../protocol.ts";
import { decodeLatin1 } from "../text/bytes.ts";

/** A language with more bytes of files than this announces that loading takes a while. */
const LARGE = 10e6;

export interface RunOptions extends ExecuteOptions {
  onDisplay?(display: Display): void;
  /** Called for each line of input that was not given; null ends it. */
  onInput?(prompt: string, password: boolean): Promise<string | null>;
}

export class RemoteRuntime extends BaseRuntime {
  #memory = 0;
  readonly #entry: CatalogEntry;
  #loading: Promise<void> | undefined;

  constructor(
    private readonly language: Language,
    private readonly connection: Connection,
    config: Partial<RuntimeConfig> = {},
  ) {
    super(language, config);
    this.#entry = CATALOG[language];
  }

  /** Starts the worker; later uses find it ready, and calls in between wait for the same one. */
  async load(): Promise<void> {
    if (this.loaded) return;
    try {
      await (this.#loading ??= this.#load());
    } finally {
      this.#loading = undefined;
    }
  }

  async #load(): Promise<void> {
    const { title, version, size } = this.#entry;
    this.log(`Loading ${title} runtime (${sizeOf(size)})...`, "info");
    if (size >= LARGE) this.log("This may take a few seconds...", "info");
    const query: Query = { kind: "is_complete", code: "", cursor: 0 };
    const reply = await this.connection.ask({ op: "query", language: this.language, query });
    const error = (reply as { error?: string } | null)?.error;
    if (error) {
      this.log(`Failed to load ${title} runtime: ${error}`, "error");
      throw new Error(error);
    }
    await this.#look();
    this.log(`${title} ${version} ready!`, "success");
  }

  async execute(code: string, options: RunOptions = {}): Promise<ExecuteResult> {
    await this.ensureLoaded();
    const { stdin, environmentVariables, timeout = this.config.timeout } = options;
    if (environmentVariables) this.connection.setEnv(environmentVariables);
    const input = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
    const interactive = input === undefined && options.onInput !== undefined;
    const request: RunRequest = { code, stdin: input ? btoa(decodeLatin1(input)) : null, interactive, profile: false };
    const output: string[] = [];
    const watcher = this.#watcher(output, options);
    if (watcher.installs && this.#entry.packages) this.log("Checking for required packages...", "info");
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.interrupt();
    }, timeout);
    const began = performance.now();
    try {
      const { outcome, state } = await this.connection.run(this.language, request, watcher);
      const executionTime = performance.now() - began;
      await this.#look();
      const { value, error, exitCode } = outcome;
      if (error) this.log(`Error: ${error.type}: ${error.message}`, "error");
      const success = error === null && exitCode === 0;
      const result = { success, returnValue: value, error, exitCode, output: output.join("") };
      return { ...result, executionTime, timedOut, state };
    } finally {
      clearTimeout(timer);
    }
  }

  override interrupt(): void {
    this.connection.interrupt(FIXED_LIMITS.interruptGrace);
  }

  override async complete(code: string, cursor = code.length): Promise<string[]> {
    await this.ensureLoaded();
    const query: Query = { kind: "complete", code, cursor };
    const reply = await this.connection.ask({ op: "query", language: this.language, query });
    return (reply as { matches?: string[] } | null)?.matches ?? [];
  }

  /** Asks the platform to install packages; all of them, or none. */
  override async install(...names: string[]): Promise<void> {
    await this.ensureLoaded();
    const { packages, title } = this.#entry;
    const each = (say: (name: string) => string, type: "info" | "success" | "error") =>
      names.forEach((name) => this.log(say(name), type));
    each((name) => `Installing package: ${name}...`, "info");
    try {
      if (packages === null) throw new Error(`there are no packages for ${title}`);
      await this.connection.install(this.language, names);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      each((name) => `Failed to install ${name}: ${why}`, "error");
      throw error;
    }
    each((name) => `Package ${name} installed successfully`, "success");
  }

  override memory(): number {
    return this.#memory;
  }

  override async dispose(): Promise<void> {
    await this.connection.ask({ op: "unload", language: this.language });
    this.#memory = 0;
    await super.dispose();
  }

  async #look(): Promise<void> {
    const known = await this.connection.ask({ op: "languages" }) as Record<string, { loaded: boolean; memory: number }>;
    const { loaded, memory } = known[this.language] ?? { loaded: false, memory: 0 };
    this.loaded = loaded;
    this.#memory = memory;
  }

  #watcher(kept: string[], options: RunOptions): RunObserver {
    const { onDisplay, onInput, autoInstallPackages = this.config.autoInstallPackages } = options;
    let length = 0;
    return {
      output: (stream, text) => {
        if (this.config.captureOutput && (length += text.length) <= FIXED_LIMITS.outputLimit) kept.push(text);
        return this.log(text, stream);
      },
      display: onDisplay,
      input: onInput,
      installs: autoInstallPackages && this.connection.canInstall,
      notice: (message, type) => void this.log(message, type),
    };
  }
}

function sizeOf(bytes: number): string {
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)}MB` : `${Math.round(bytes / 1e3)}KB`;
}
