/** A language as a manager holds it: the interpreter is in a worker, and this speaks to it. */

import type { Connection, Watcher } from "./connection.ts";
import { BaseRuntime, type ExecuteOptions, type ExecuteResult, type RuntimeConfig } from "./languages/base.ts";
import { CATALOG, type Language } from "./languages/catalog.ts";
import type { Display, Query, RunRequest } from "./protocol.ts";
import { latin1 } from "./text.ts";

/** Seconds that code has to come back after an interrupt before it is replaced. */
const GRACE = 0.5;
/** Characters of output that a result holds. */
const OUTPUT_LIMIT = 1 << 20;

export interface RunOptions extends ExecuteOptions {
  onDisplay?(display: Display): void;
  /** Asked for each line of input that was not given; null ends it. */
  onInput?(prompt: string, password: boolean): Promise<string | null>;
}

export class RemoteRuntime extends BaseRuntime {
  #memory = 0;

  constructor(name: Language, private readonly connection: Connection, config: Partial<RuntimeConfig> = {}) {
    super(name, config);
  }

  /** Starts the worker; later uses find it ready. */
  async load(): Promise<void> {
    if (this.loaded) return;
    const { title, size } = CATALOG[this.name];
    this.log(`Loading ${title}${size > 0 ? ` (${(size / 1e6).toFixed(1)} MB)` : ""}`, "info");
    const query: Query = { kind: "is_complete", code: "", cursor: 0 };
    const reply = await this.connection.ask({ op: "query", language: this.name, query });
    const error = (reply as { error?: string } | null)?.error;
    if (error) {
      this.log(error, "error");
      throw new Error(error);
    }
    await this.#look();
    this.log(`${title} is ready`, "success");
  }

  async execute(code: string, options: RunOptions = {}): Promise<ExecuteResult> {
    await this.ensureLoaded();
    const { stdin, environmentVariables, timeout = this.config.timeout } = options;
    if (environmentVariables) this.connection.setEnv(environmentVariables);
    const input = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
    const interactive = input === undefined && options.onInput !== undefined;
    const request: RunRequest = { code, stdin: input ? btoa(latin1(input)) : null, interactive, profile: false };
    const output: string[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.interrupt();
    }, timeout);
    try {
      const { outcome, state } = await this.connection.run(this.name, request, this.#watcher(output, options));
      await this.#look();
      const { value, error, exitCode } = outcome;
      if (error) this.log(`${error.type}: ${error.message}`, "error");
      const success = error === null && exitCode === 0;
      return { success, returnValue: value, error, exitCode, output: output.join(""), timedOut, state };
    } finally {
      clearTimeout(timer);
    }
  }

  interrupt(): void {
    this.connection.interrupt(GRACE);
  }

  async complete(code: string, cursor = code.length): Promise<string[]> {
    await this.ensureLoaded();
    const query: Query = { kind: "complete", code, cursor };
    const reply = await this.connection.ask({ op: "query", language: this.name, query });
    return (reply as { matches?: string[] } | null)?.matches ?? [];
  }

  install(...names: string[]): Promise<void> {
    const { title } = CATALOG[this.name];
    return Promise.reject(
      new Error(`${names.join(", ")}: packages of ${title} are installed by the host, not from here`),
    );
  }

  memory(): number {
    return this.#memory;
  }

  override async dispose(): Promise<void> {
    await this.connection.ask({ op: "unload", language: this.name });
    this.#memory = 0;
    await super.dispose();
  }

  async #look(): Promise<void> {
    const known = await this.connection.ask({ op: "languages" }) as Record<string, { loaded: boolean; memory: number }>;
    const { loaded, memory } = known[this.name] ?? { loaded: false, memory: 0 };
    this.loaded = loaded;
    this.#memory = memory;
  }

  #watcher(kept: string[], { onDisplay, onInput }: RunOptions): Watcher {
    let length = 0;
    return {
      output: (stream, text) => {
        if (this.config.captureOutput && (length += text.length) <= OUTPUT_LIMIT) kept.push(text);
        return this.log(text, stream);
      },
      display: onDisplay,
      input: onInput,
    };
  }
}
