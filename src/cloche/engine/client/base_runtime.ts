/** What every language is to a manager: one of the catalogue, in its worker, or one that a page registers. */

import { FIXED_LIMITS } from "../limits.ts";
import type { RunError } from "../protocol.ts";
import { CATALOG, isLanguage } from "../languages/catalog.ts";

export type OutputType = "stdout" | "stderr" | "info" | "error" | "success";

/** Something that happened, for listeners. */
export interface OutputMessage {
  message: string;
  type: OutputType;
  timestamp: number;
  runtime: string;
}

/** The program that prints waits for its promise. */
export type OutputCallback = (output: OutputMessage) => void | Promise<void>;

export interface RuntimeConfig {
  /** Whether it is loaded as soon as a manager knows it. */
  autoLoad: boolean;
  /** Milliseconds that code may take. */
  timeout: number;
  /** Whether a result contains the output too. */
  captureOutput: boolean;
  /** Whether missing packages are installed, if packages can be. */
  autoInstallPackages: boolean;
  /** The info of a language, beyond the catalogue. */
  version?: string;
  size?: number;
  features?: string[];
}

export interface RuntimeInfo {
  name: string;
  version: string;
  /** Bytes of its files. */
  size: number;
  features: string[];
  loaded: boolean;
  /** Bytes that its interpreter uses. */
  memory: number;
  config: RuntimeConfig;
}

export interface ExecuteOptions {
  /** Milliseconds; by default the runtime's own limit. */
  timeout?: number;
  stdin?: string | Uint8Array;
  environmentVariables?: Record<string, string>;
  /** For this run alone. */
  autoInstallPackages?: boolean;
}

export interface ExecuteResult {
  success: boolean;
  returnValue: string | null;
  error: RunError | null;
  exitCode: number;
  /** What was printed, if the runtime captures it. */
  output: string;
  /** Milliseconds that the code took, without loading the language. */
  executionTime: number;
  timedOut: boolean;
  /** Whether variables were kept. */
  state: "kept" | "lost";
}

const DEFAULTS: RuntimeConfig = {
  autoLoad: false,
  timeout: FIXED_LIMITS.timeout * 1000,
  captureOutput: true,
  autoInstallPackages: true,
};

export abstract class BaseRuntime {
  config: RuntimeConfig;
  loaded = false;
  #callback: OutputCallback | null = null;

  constructor(readonly name: string, config: Partial<RuntimeConfig> = {}) {
    this.config = { ...DEFAULTS, ...config };
  }

  /** Prepares everything that code needs. */
  abstract load(): Promise<void>;

  /** Runs a piece of code; its definitions stay for the next. Code that fails is a result, not an exception. */
  abstract execute(code: string, options?: ExecuteOptions): Promise<ExecuteResult>;

  /** Stops the running code, as Ctrl-C would; its result says whether state was kept. */
  interrupt(): void {}

  /** Completions at the cursor, if the language has any. */
  complete(_code: string, _cursor?: number): Promise<string[]> {
    return Promise.resolve([]);
  }

  /** Installs packages, if the language has any. */
  install(...names: string[]): Promise<void> {
    return Promise.reject(new Error(`${names.join(", ")}: there are no packages for ${this.name}`));
  }

  /** Bytes that the interpreter uses. */
  memory(): number {
    return 0;
  }

  /** Changes the configuration from now on. */
  configure(config: Partial<RuntimeConfig>): void {
    this.config = { ...this.config, ...config };
  }

  /** Frees everything; it may be loaded again. */
  dispose(): Promise<void> {
    this.loaded = false;
    return Promise.resolve();
  }

  async ensureLoaded(): Promise<void> {
    if (!this.loaded) await this.load();
  }

  setOutputCallback(callback: OutputCallback | null): void {
    this.#callback = callback;
  }

  log(message: string, type: OutputType = "stdout"): void | Promise<void> {
    return this.#callback?.({ message, type, timestamp: Date.now(), runtime: this.name });
  }

  getInfo(): RuntimeInfo {
    const { name, loaded, config } = this;
    const known = isLanguage(name) ? CATALOG[name] : undefined;
    const { version = known?.version ?? "", size = known?.size ?? 0, features = known?.features ?? [] } = config;
    return { name, version, size, features, loaded, memory: this.memory(), config };
  }
}
