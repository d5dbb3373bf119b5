/** RuntimeManager: loads languages when they are used, knows the current one, and passes their output on. */

import type { BaseRuntime, ExecuteResult, OutputCallback, RuntimeConfig, RuntimeInfo } from "./base_runtime.ts";
import { isLanguage, type Language, LANGUAGES } from "../languages/catalog.ts";
import { Connection, type Platform } from "./connection.ts";
import { findNearestName } from "../text/nearest_name.ts";
import type { Config } from "../protocol.ts";
import { RemoteRuntime, type RunOptions } from "./remote_runtime.ts";

/** How languages differ from the defaults. */
export type LanguageConfigs = Partial<Record<Language, Partial<RuntimeConfig>>>;

export class RuntimeManager {
  readonly #runtimes = new Map<string, BaseRuntime>();
  #current: string | null = null;
  #callback: OutputCallback | null = null;

  /** A manager of every language, over one engine and one file system. */
  static connect(platform: Platform, config: Config, languages: LanguageConfigs = {}): RuntimeManager {
    const manager = new RuntimeManager();
    const connection = new Connection(platform, config);
    for (const language of LANGUAGES) {
      manager.registerRuntime(new RemoteRuntime(language, connection, languages[language]));
    }
    return manager;
  }

  /** Adds a language, of the catalogue or of your own. The manager stops managing one that it replaces. */
  registerRuntime(runtime: BaseRuntime): void {
    runtime.setOutputCallback((output) => this.#callback?.(output));
    this.#runtimes.set(runtime.name, runtime);
    // The first use reports the error again.
    if (runtime.config.autoLoad) runtime.load().catch(() => {});
  }

  /** Loads a language if it is not loaded; `config` applies from now on. */
  async loadRuntime(name: string, config: Partial<RuntimeConfig> = {}): Promise<BaseRuntime> {
    const runtime = this.#find(name);
    runtime.configure(config);
    await runtime.ensureLoaded();
    return runtime;
  }

  /** Makes a language the current one, loaded. */
  async switchRuntime(name: string): Promise<BaseRuntime> {
    const runtime = await this.loadRuntime(name);
    this.#current = name;
    return runtime;
  }

  /** Runs code in the current language. */
  execute(code: string, options?: RunOptions): Promise<ExecuteResult> {
    if (this.#current === null) return Promise.reject(new Error("No runtime selected: switch to a language first"));
    return this.executeIn(this.#current, code, options);
  }

  async executeIn(name: string, code: string, options?: RunOptions): Promise<ExecuteResult> {
    return await (await this.loadRuntime(name)).execute(code, options);
  }

  /** Stops what runs. */
  interrupt(name = this.#current): void {
    if (name !== null) this.#find(name).interrupt();
  }

  async complete(name: string, code: string, cursor?: number): Promise<string[]> {
    return await (await this.loadRuntime(name)).complete(code, cursor);
  }

  async install(name: string, ...packages: string[]): Promise<void> {
    await (await this.loadRuntime(name)).install(...packages);
  }

  listRuntimes(): RuntimeInfo[] {
    return [...this.#runtimes.values()].map((runtime) => runtime.getInfo());
  }

  isRuntimeLoaded(name: string): boolean {
    return this.#runtimes.get(name)?.loaded === true;
  }

  /** The name of the current language. */
  getCurrentRuntime(): string | null {
    return this.#current;
  }

  setOutputCallback(callback: OutputCallback | null): void {
    this.#callback = callback;
  }

  /** Frees the memory of a language; it stays the current one if it was, and the next use loads it again. */
  async unloadRuntime(name: string): Promise<void> {
    await this.#find(name).dispose();
  }

  /** Frees the memory of all languages; afterwards none is the current one. */
  async unloadAll(): Promise<void> {
    this.#current = null;
    for (const runtime of this.#runtimes.values()) if (runtime.loaded) await runtime.dispose();
  }

  #find(name: string): BaseRuntime {
    const runtime = this.#runtimes.get(name);
    if (runtime) return runtime;
    const known = [...this.#runtimes.keys()].join(", ");
    const why = isLanguage(name) ? "it is not registered" : "there is no such language";
    const meant = findNearestName(name, [...this.#runtimes.keys()]);
    const hint = meant ? ` did you mean ${JSON.stringify(meant)}?` : "";
    throw new Error(`Runtime ${JSON.stringify(name)} not found: ${why};${hint} known: ${known}`);
  }
}

export type { Language };
