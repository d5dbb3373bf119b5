/** One run after another of a piece of code: what it shows, how it stands, what it asks. */

import { useSyncExternalStore } from "react";
import { describeDuration, describeSize } from "../parts/when.ts";
import type { RunError } from "./engine/engine_types.ts";
import type { RunEnd, Runner } from "./engine/runner.ts";
import { type Entry, OutputLog } from "./output_log.ts";

export interface Question {
  prompt: string;
  password: boolean;
  /** Null at the end of input. */
  answer(line: string | null): void;
}

export interface RunView {
  running: boolean;
  status: string;
  /** Of a download: bytes, and how many there are. */
  progress?: { done: number; total: number };
  question?: Question;
  error: RunError | null;
  entries: readonly Entry[];
  dropped: number;
}

const IDLE: RunView = { running: false, status: "", error: null, entries: [], dropped: 0 };

export class CodeRun {
  readonly #log = new OutputLog();
  readonly #listeners = new Set<() => void>();
  #view = IDLE;
  #runner: Runner | null = null;

  constructor() {
    this.#log.listen(() => this.#change({ entries: this.#log.entries, dropped: this.#log.dropped }));
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): RunView => this.#view;

  /** Runs code; what cannot be run is shown, and undefined. */
  async run(runner: Runner, language: string, code: string): Promise<RunEnd | undefined> {
    if (this.#view.running) return undefined;
    this.#runner = runner;
    this.#log.clear();
    this.#change({ running: true, status: "", error: null, progress: undefined });
    let clock: ReturnType<typeof setInterval> | undefined;
    try {
      const end = await runner.run(language, code, {
        output: (text, stream) => this.#log.write(text, stream),
        display: (bundle, metadata) => this.#log.show(bundle, metadata),
        ask: (prompt, password) => this.#ask(prompt, password),
        progress: (text, done = 0, total = 0) => this.#tell(text, done, total),
        begun: () => {
          clock = this.#tick();
        },
      });
      this.#change({ error: end.error, status: describeEnd(end) });
      return end;
    } catch (error) {
      void this.#log.write(`${error instanceof Error ? error.message : error}\n`, "error");
      this.#change({ status: "Could not run" });
      return undefined;
    } finally {
      clearInterval(clock);
      this.#runner = null;
      this.#change({ running: false, progress: undefined, question: undefined });
    }
  }

  stop(): void {
    this.#runner?.stop();
  }

  #tick() {
    const began = performance.now();
    this.#change({ status: "Running", progress: undefined });
    return setInterval(() => {
      const running = `Running, ${Math.round((performance.now() - began) / 1000)} s`;
      this.#change({ status: this.#view.question ? "Waits for input" : running });
    }, 1000);
  }

  #tell(text: string, done: number, total: number): void {
    if (!this.#view.running) return;
    const sizes = total > 0 ? `: ${describeSize(done)} of ${describeSize(total)}` : "";
    this.#change({ status: `${text}${sizes}`, progress: total > 0 ? { done, total } : undefined });
  }

  #ask(prompt: string, password: boolean): Promise<string | null> {
    return new Promise((resolve) => {
      const answer = (line: string | null) => {
        this.#change({ question: undefined, status: "Running" });
        if (line !== null) void this.#log.write(`${prompt}${password ? "" : line}\n`, "input");
        resolve(line);
      };
      this.#change({ question: { prompt, password, answer }, status: "Waits for input" });
    });
  }

  #change(changes: Partial<RunView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

export function useRun(run: CodeRun): RunView {
  return useSyncExternalStore(run.subscribe, run.view);
}

/** How a run ended, how long it took and what its interpreter holds. */
export function describeEnd({ ok, stopped, exitCode, duration, memory, state }: RunEnd): string {
  const how = stopped ? "Stopped" : ok ? "Done" : exitCode > 1 ? `Failed with exit code ${exitCode}` : "Failed";
  const lost = state === "lost" ? "; variables are lost, files are kept" : "";
  const size = memory > 0 ? `, ${describeSize(memory)} of memory` : "";
  return `${how} after ${describeDuration(duration / 1000)}${size}${lost}`;
}
