/** What every language is to a manager: one of the catalogue, in its worker, or one that somebody registers. */

import { FIXED_LIMITS } from "../limits.ts";
import type { RunError } from "../protocol.ts";
import { CATALOG, isLanguage } from "../languages/catalog.ts";

export type OutputType = "stdout" | "stderr" | "info" | "error" | "success";

/** Something that happened, for who watches. */
export interface OutputMessage {
  message: string;
  type: OutputType;
  timestamp: number;
  runtime: string;
}

/** What it promises is waited for by the program that prints. */
export type OutputCallback = (output: OutputMessage) => void | Promise<void>;

export interface RuntimeConfig {
  /** Whether it is loaded as soon as a manager knows it. */
  autoLoad: boolean;
  /** Milliseconds that code may take. */
  timeout: number;
  /** Whether a result holds the output too. */
  captureOutput: boolean;
  /** Whether packages that code needs and that are missing are installed, where packages can be. */
  autoInstallPackages: boolean;
  /** What the info of a language has beyond the catalogue. */
  version?: string;
  size?: number;
  features?: string[];
}

export interface RuntimeInfo {
  name: string;
  version: string;
  /** Bytes of the files that it is made of. */
  size: number;
  features: string[];
  loaded: boolean;
  /** Bytes that its interpreter holds. */
  memory: number;
  config: RuntimeConfig;
}

export interface ExecuteOptions {
  /** Milliseconds; the runtime's own when left out. */
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
  /** What was printed, when the runtime captures it. */
  output: string;
  /** Milliseconds that the code took; loading the language is not in it. */
  executionTime: number;
  timedOut: boolean;
  /** Whether variables are still there. */
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

  /** Gets everything ready that code needs. */
  abstract load(): Promise<void>;

  /** Runs a piece of code; what it defines stays for the next. Code that fails is a result, not an exception. */
  abstract execute(code: string, options?: ExecuteOptions): Promise<ExecuteResult>;

  /** Stops the code that runs, as Ctrl-C would; its result says whether state was kept. */
  interrupt(): void {}

  /** What could follow at the cursor, where the language knows. */
  complete(_code: string, _cursor?: number): Promise<string[]> {
    return Promise.resolve([]);
  }

  /** Has packages installed, where the language has any. */
  install(...names: string[]): Promise<void> {
    return Promise.reject(new Error(`${names.join(", ")}: there are no packages for ${this.name}`));
  }

  /** Bytes that the interpreter holds. */
  memory(): number {
    return 0;
  }

  /** Changes the configuration from now on. */
  configure(config: Partial<RuntimeConfig>): void {
    this.config = { ...this.config, ...config };
  }

  /** Lets go of everything; may be loaded again. */
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
