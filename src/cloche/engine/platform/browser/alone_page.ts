/** Languages for a page that is not isolated: each in a worker that shares nothing, and that only its end stops. */

import { BaseRuntime, type ExecuteResult } from "../../client/base_runtime.ts";
import { RuntimeManager } from "../../client/manager.ts";
import type { RunOptions } from "../../client/remote_runtime.ts";
import { LANGUAGES } from "../../languages/catalog.ts";
import type { FromAlone, ToAlone } from "./alone_messages.ts";
import type { MemoryFiles } from "./memory_files.ts";
import { makeFiles } from "./page_platform.ts";

const ENDED = { type: "Stopped", message: "the worker was ended", line: null, column: null, traceback: "" };

/** A manager of all languages, and their files: those of /workspace go into each run and come back with its end. */
export function openAlone(): { manager: RuntimeManager; files: MemoryFiles } {
  const manager = new RuntimeManager();
  const files = makeFiles();
  for (const language of LANGUAGES) manager.registerRuntime(new AloneRuntime(language, files));
  return { manager, files };
}

class AloneRuntime extends BaseRuntime {
  #worker: Worker | null = null;
  #memory = 0;
  #options: RunOptions = {};
  #done: (result: ExecuteResult) => void = () => {};
  #loaded: (error: string | null) => void = () => {};

  constructor(name: string, private readonly files: MemoryFiles) {
    super(name);
  }

  override async load(): Promise<void> {
    const worker = new Worker(new URL("./alone.js", import.meta.url), { name: this.name, type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromAlone>) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#loaded(event.message || "its worker could not be started");
    };
    const error = await new Promise<string | null>((resolve) => {
      this.#loaded = resolve;
      this.#post({ op: "load" });
    });
    if (error !== null) {
      this.#end();
      throw new Error(error);
    }
    this.loaded = true;
  }

  override async execute(code: string, options: RunOptions = {}): Promise<ExecuteResult> {
    await this.ensureLoaded();
    this.#options = options;
    const began = performance.now();
    const result = await new Promise<ExecuteResult>((resolve) => {
      this.#done = resolve;
      this.#post({ op: "run", code, files: this.files.exportFiles() });
    });
    return { ...result, executionTime: performance.now() - began };
  }

  /** Ends the worker: variables, and what the code has written to files, are gone. */
  override interrupt(): void {
    this.#end();
    const lost = { error: ENDED, exitCode: 137, output: "", executionTime: 0, timedOut: false, state: "lost" as const };
    this.#done({ success: false, returnValue: null, ...lost });
  }

  override memory(): number {
    return this.#memory;
  }

  override dispose(): Promise<void> {
    this.#end();
    return super.dispose();
  }

  #receive(message: FromAlone): void {
    switch (message.op) {
      case "loaded":
        this.#memory = message.memory;
        return this.#loaded(message.error);
      case "output":
        return void this.log(message.text, message.stream);
      case "display":
        return this.#options.onDisplay?.(message.display);
      case "question":
        return void this.#ask(message.prompt, message.password);
      case "done":
        this.#memory = message.memory;
        this.files.replaceFiles(message.files);
        return this.#done(message.result);
    }
  }

  async #ask(prompt: string, password: boolean): Promise<void> {
    const line = await this.#options.onInput?.(prompt, password) ?? null;
    this.#post({ op: "line", line });
  }

  #post(message: ToAlone): void {
    this.#worker?.postMessage(message);
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#memory = 0;
    this.loaded = false;
  }
}
