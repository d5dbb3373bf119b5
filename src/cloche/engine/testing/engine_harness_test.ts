/** An engine with workers that do what a test says; contains no tests. */

import { ok, strictEqual } from "node:assert/strict";
import { Engine } from "../router/engine.ts";
import { makeConfig } from "../client/engine_config.ts";
import { RUN_LIMITS } from "../limits.ts";
import { waitSoon } from "./harness_test.ts";
import type {
  Config,
  ExecRequest,
  ExecResult,
  FromWorker,
  Language,
  Outcome,
  Stream,
  ToHost,
  ToWorker,
} from "../protocol.ts";
import { SharedMemory } from "../worker/shared_memory.ts";

export const REQUEST = { code: "1", stdin: null, interactive: false, profile: false };
export const EXEC: ExecRequest = {
  argv: ["ls"],
  stdin: null,
  cwd: "/",
  env: { A: "1" },
  live: false,
  merge: false,
  flows: undefined,
};
export const RESULT: ExecResult = { exitCode: 3, stdout: new Uint8Array([1]), stderr: new Uint8Array([2]) };
export const GRACE = 0.02;

export function testConfig(preload: Language[]): Config {
  const limits = { ...RUN_LIMITS, filesLimit: 1, workerLimit: 4 };
  return makeConfig({ folders: [], env: { BASE: "1" }, snapshot: "/s", memory: 1, limits, preload });
}

export function makeOutcome(value: string): Outcome {
  return { value, error: null, exitCode: 0 };
}

/** A worker that does what the test says. */
export class FakeWorker {
  readonly posted: ToWorker[] = [];
  terminated = false;

  constructor(
    readonly language: Language,
    readonly say: (message: FromWorker) => void,
    readonly die: (text: string) => void,
  ) {}

  get shared(): SharedMemory {
    const init = this.of("init")[0];
    ok(init, "the worker was not initialised");
    return new SharedMemory(init.init.shared);
  }

  /** The number of an interpreter that runs one program. */
  get process(): number {
    return this.of("init")[0]?.init.process ?? 0;
  }

  of<Op extends ToWorker["op"]>(op: Op): Extract<ToWorker, { op: Op }>[] {
    return this.posted.filter((message): message is Extract<ToWorker, { op: Op }> => message.op === op);
  }

  ready(): void {
    this.say({ op: "ready", memory: 0 });
  }

  done(id: number, value = "ok", fatal = false): void {
    this.say({ op: "done", id, outcome: makeOutcome(value), fatal });
  }

  call(run: number, request: number, language: Language): void {
    this.say({
      op: "request",
      request,
      run,
      content: { kind: "program", language, program: EXEC },
      complete: true,
    });
  }

  /** Stops what it has called. */
  abort(request: number): void {
    this.say({ op: "abort", request });
  }

  /** The results of what it has called: its own number, and the exit code. */
  async results(): Promise<[number, ExecResult][]> {
    await waitUntilSettled();
    return this.of("end").map(({ request, data }) => [request, data as ExecResult]);
  }
}

export class Bench {
  readonly workers: FakeWorker[] = [];
  readonly sent: ToHost[] = [];
  readonly outputs: { run: number; stream: Stream; data: Uint8Array; leave: () => void }[] = [];
  #wake: () => void = () => {};

  readonly engine = new Engine({
    assets: "/assets",
    compile: () => Promise.resolve({} as WebAssembly.Module),
    spawn: (language, receive, failed) => {
      const worker = new FakeWorker(language as Language, receive, failed);
      this.workers.push(worker);
      return {
        post: (message) => void worker.posted.push(...message.op === "batch" ? message.messages : [message]),
        terminate: () => void (worker.terminated = true),
      };
    },
    send: (message) => {
      this.sent.push(message);
      this.#wake();
    },
    output: (run, stream, data) => new Promise((leave) => this.outputs.push({ run, stream, data, leave })),
  });

  /** With both languages ready. */
  static async ready(): Promise<Bench> {
    const bench = new Bench();
    bench.engine.receive({ op: "start", config: testConfig(["python", "bash"]) });
    await waitUntilSettled();
    for (const worker of bench.workers) worker.ready();
    return bench;
  }

  /** The current worker of a language. */
  worker(language: Language): FakeWorker {
    const found = this.workers.filter((worker) =>
      worker.language === language && !worker.terminated && worker.process === 0
    );
    strictEqual(found.length, 1, `${language} has ${found.length} workers`);
    return found[0];
  }

  get python(): FakeWorker {
    return this.worker("python");
  }

  /** The interpreters that run one program each, or wait for one. */
  get processes(): FakeWorker[] {
    return this.workers.filter((worker) => worker.process > 0 && !worker.terminated);
  }

  get bash(): FakeWorker {
    return this.worker("bash");
  }

  run(id: number, language: Language): void {
    this.engine.receive({ op: "run", id, language, request: REQUEST });
  }

  of<Op extends ToHost["op"]>(op: Op): Extract<ToHost, { op: Op }>[] {
    return this.sent.filter((message): message is Extract<ToHost, { op: Op }> => message.op === op);
  }

  /** The state of each run that has ended. */
  get ended(): [number, string][] {
    return this.of("done").map((message) => [message.id, message.state]);
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await waitSoon(new Promise<void>((resolve) => this.#wake = resolve), "the engine");
  }
}

/** Lets everything happen that is pending. */
export async function waitUntilSettled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

export async function afterGrace(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, GRACE * 1000 + 20));
}
