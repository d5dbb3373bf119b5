/** Runs code in this browser, with the engine's own client. */

import type { Display, EngineFiles, EngineModule, Manager } from "./engine_types.ts";
import { describeError, type RunEnd, type RunHooks, type Runner } from "./runner.ts";
import { EngineSite } from "./site.ts";

/** Milliseconds: Stop is there. */
const NO_LIMIT = 2 ** 31 - 1;
const STOPPED = { ok: false, stopped: true, exitCode: 130, error: null, duration: 0, memory: 0 } as const;

export class BrowserRunner implements Runner {
  #running: { language: string; stopped: boolean; begun: boolean; hooks: RunHooks; stop(): void } | null = null;

  private constructor(
    readonly site: EngineSite,
    readonly manager: Manager,
    readonly files: EngineFiles,
    readonly catalog: EngineModule["CATALOG"],
  ) {
    manager.setOutputCallback(({ message, type }) => {
      if (type === "stdout" || type === "stderr") return this.#running?.hooks.output(message, type);
    });
  }

  static async open(): Promise<BrowserRunner> {
    const site = await EngineSite.open();
    const engine = await site.load();
    const { manager, files } = crossOriginIsolated ? engine.openPage() : engine.openAlone();
    return new BrowserRunner(site, manager, files, engine.CATALOG);
  }

  async run(language: string, code: string, hooks: RunHooks): Promise<RunEnd> {
    let stop = () => {};
    const asked = new Promise<null>((resolve) => {
      stop = () => resolve(null);
    });
    const running = { language, stopped: false, begun: false, hooks, stop };
    this.#running = running;
    try {
      if (!this.manager.isRuntimeLoaded(language)) await this.#load(language, hooks);
      if (running.stopped) return { ...STOPPED, state: "kept" };
      running.begun = true;
      hooks.begun();
      const began = performance.now();
      const result = await this.manager.executeIn(language, code, {
        timeout: NO_LIMIT,
        onDisplay: (display) => showDisplay(display, hooks),
        // A question that is open when one stops ends with the code.
        onInput: (prompt, password) => Promise.race([hooks.ask(prompt, password), asked]),
      });
      const { returnValue, error, exitCode, state } = result;
      if (returnValue !== null) await hooks.output(`${returnValue}\n`, "value");
      if (error && !running.stopped) await hooks.output(`${describeError(error)}\n`, "error");
      const memory = this.manager.listRuntimes().find(({ name }) => name === language)?.memory ?? 0;
      const stopped = running.stopped && !result.success;
      void this.site.keepRest(language).catch(() => undefined);
      return {
        ok: result.success,
        stopped,
        exitCode,
        error: stopped ? null : error,
        duration: performance.now() - began,
        memory,
        state,
      };
    } finally {
      this.#running = null;
    }
  }

  stop(): void {
    const running = this.#running;
    if (!running) return;
    running.stopped = true;
    running.stop();
    if (running.begun) this.manager.interrupt(running.language);
    else running.hooks.progress("Stops when it is loaded");
  }

  async #load(language: string, hooks: RunHooks): Promise<void> {
    hooks.progress("Loading");
    await this.site.fetchLanguage(language, hooks.progress);
    hooks.progress("Starting");
    await this.manager.loadRuntime(language);
  }
}

/** The value of a cell is printed already: of it, only what is richer than text is shown. */
function showDisplay({ kind, data, metadata }: Display, hooks: RunHooks): void {
  const rich = Object.keys(data).some((type) => type !== "text/plain");
  if (rich || kind !== "result") hooks.display(data, metadata);
}
