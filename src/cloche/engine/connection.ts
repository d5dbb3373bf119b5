/** An engine for TypeScript: what the host's Python does over its socket, a page or a test does through this. */

import { Engine, type Outside } from "./engine.ts";
import type { Config, Display, FromHost, Language, Outcome, Question, RunRequest, Stream, ToHost } from "./protocol.ts";
import type { Wish } from "./protocol.ts";
import type { Code } from "./fs/files.ts";

/** What a platform gives: threads, files, and answers to what languages ask for. */
export interface Platform extends Pick<Outside, "spawn" | "assets" | "compile"> {
  /** Where the files of a language lie. */
  pack(language: Language): Promise<string>;
  /** Changes of files that a worker may not make itself. */
  aid(wish: Wish): Code | null;
  /** Answers what code asks of the world outside; rejects what is not allowed. */
  ask?(question: Question): Promise<unknown>;
}

export interface Watcher {
  output(stream: Stream, text: string): void;
  display?(display: Display): void;
  /** Null at the end of input. */
  input?(prompt: string, password: boolean): Promise<string | null>;
}

export interface Done {
  outcome: Outcome;
  state: "kept" | "lost";
}

interface Run {
  watcher: Watcher;
  decoders: Record<Stream, TextDecoder>;
  resolve(done: Done): void;
}

export class Connection {
  readonly #engine: Engine;
  readonly #runs = new Map<number, Run>();
  readonly #replies = new Map<number, (data: unknown) => void>();
  #last = 0;
  /** Why nothing works any more. */
  #failed: string | null = null;

  constructor(private readonly platform: Platform, config: Config) {
    this.#engine = new Engine({
      spawn: platform.spawn,
      assets: platform.assets,
      compile: platform.compile,
      send: (message) => this.#receive(message),
      output: (run, stream, data) => this.#output(run, stream, data),
    });
    this.#engine.receive({ op: "start", config });
  }

  run(language: Language, request: RunRequest, watcher: Watcher): Promise<Done> {
    if (this.#failed !== null) return Promise.reject(new Error(this.#failed));
    const id = ++this.#last;
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    return new Promise((resolve) => {
      this.#runs.set(id, { watcher, decoders, resolve });
      this.#engine.receive({ op: "run", id, language, request });
    });
  }

  /** Stops what runs; who does not come back within so many seconds is replaced. */
  interrupt(grace: number): void {
    this.#engine.receive({ op: "interrupt", grace });
  }

  setEnv(env: Record<string, string>): void {
    this.#engine.receive({ op: "env", env });
  }

  /** Sends a message that has one answer. */
  ask(message: Asked): Promise<unknown> {
    if (this.#failed !== null) return Promise.resolve({ error: this.#failed });
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#replies.set(id, resolve);
      this.#engine.receive({ ...message, id });
    });
  }

  #receive(message: ToHost): void {
    switch (message.op) {
      case "done":
        return this.#done(message.id, message);
      case "reply":
        this.#replies.get(message.id)?.(message.data);
        this.#replies.delete(message.id);
        return;
      case "display":
        return this.#runs.get(message.id)?.watcher.display?.(message.display);
      case "input":
        return void this.#input(message.id, message.prompt, message.password);
      case "pack":
        return void this.#pack(message.language);
      case "aid":
        return this.#engine.receive({ op: "aided", id: message.id, code: this.platform.aid(message.wish) });
      case "ask":
        return void this.#answer(message.ask, message.question);
      case "failed":
        return this.#fail(message.message);
      case "stuck":
        return this.#fail("a program could not be stopped: its thread goes on");
    }
  }

  async #output(id: number, stream: Stream, data: Uint8Array): Promise<void> {
    const run = this.#runs.get(id);
    const text = run?.decoders[stream].decode(data, { stream: true });
    if (text) run?.watcher.output(stream, text);
    return await Promise.resolve();
  }

  #done(id: number, { outcome, state }: Done): void {
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

  async #input(id: number, prompt: string, password: boolean): Promise<void> {
    const text = await this.#runs.get(id)?.watcher.input?.(prompt, password) ?? null;
    this.#engine.receive({ op: "answer", id, text });
  }

  async #pack(language: Language): Promise<void> {
    let [folder, error]: [string | null, string | null] = [null, null];
    try {
      folder = await this.platform.pack(language);
    } catch (failure) {
      error = failure instanceof Error ? failure.message : String(failure);
    }
    this.#engine.receive({ op: "pack", language, folder, error });
  }

  async #answer(ask: number, question: Question): Promise<void> {
    try {
      if (!this.platform.ask) throw new Error(`nobody answers questions about ${question.what} here`);
      this.#engine.receive({ op: "answered", ask, data: await this.platform.ask(question) });
      this.#engine.receive({ op: "end", ask, error: null });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#engine.receive({ op: "end", ask, error: { type: "Unavailable", message } });
    }
  }
}

/** Messages to the engine that have one answer, without their number. */
type Asked = FromHost extends infer Each
  ? Each extends { op: "query" | "reset" | "unload" | "languages"; id: number } ? Omit<Each, "id">
  : never
  : never;
