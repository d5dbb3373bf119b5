/** Holds the languages: loads them when they are used, knows the current one, and hands their output on. */

import type { BaseRuntime, ExecuteResult, OutputCallback, RuntimeInfo } from "./languages/base.ts";
import { isLanguage, type Language, LANGUAGES } from "./languages/catalog.ts";
import { Connection, type Platform } from "./connection.ts";
import { nearest } from "./nearest.ts";
import type { Config } from "./protocol.ts";
import { RemoteRuntime, type RunOptions } from "./remote.ts";

export class RuntimeManager {
  readonly #runtimes = new Map<string, BaseRuntime>();
  #current: string | null = null;
  #callback: OutputCallback | null = null;

  /** A manager of every language, over one engine and one file system. */
  static connect(platform: Platform, config: Config): RuntimeManager {
    const manager = new RuntimeManager();
    const connection = new Connection(platform, config);
    for (const language of LANGUAGES) manager.registerRuntime(new RemoteRuntime(language, connection));
    return manager;
  }

  registerRuntime(runtime: BaseRuntime): void {
    if (this.#runtimes.has(runtime.name)) throw new Error(`${runtime.name} is registered already`);
    runtime.setOutputCallback((output) => this.#callback?.(output));
    this.#runtimes.set(runtime.name, runtime);
    // What goes wrong is told again by the first use.
    if (runtime.config.autoLoad) runtime.load().catch(() => {});
  }

  async loadRuntime(name: string): Promise<BaseRuntime> {
    const runtime = this.#find(name);
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
    if (this.#current === null) return Promise.reject(new Error("there is no current language: switch to one first"));
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

  getCurrentRuntime(): BaseRuntime | null {
    return this.#current === null ? null : this.#find(this.#current);
  }

  setOutputCallback(callback: OutputCallback | null): void {
    this.#callback = callback;
  }

  /** Frees what a language holds; the next use loads it anew. */
  async unloadRuntime(name: string): Promise<void> {
    await this.#find(name).dispose();
    if (this.#current === name) this.#current = null;
  }

  async unloadAll(): Promise<void> {
    for (const name of this.#runtimes.keys()) if (this.isRuntimeLoaded(name)) await this.unloadRuntime(name);
  }

  #find(name: string): BaseRuntime {
    const runtime = this.#runtimes.get(name);
    if (runtime) return runtime;
    const known = [...this.#runtimes.keys()].join(", ");
    const what = isLanguage(name) ? `${name} is not registered` : `there is no language ${JSON.stringify(name)}`;
    const meant = nearest(name, [...this.#runtimes.keys()]);
    throw new Error(`${what};${meant ? ` did you mean ${JSON.stringify(meant)}?` : ""} known: ${known}`);
  }
}

export type { Language };
