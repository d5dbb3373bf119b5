import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { waitSoon } from "../testing/harness_test.ts";
import { OUTPUT_WINDOW, SharedMemory } from "./shared_memory.ts";

interface Task {
  buffer: SharedArrayBuffer;
  announce?: number;
}

/** The same file is the worker's side: what blocks there must not block the test. */
if (self.name === "other side") {
  const scope = self as unknown as { postMessage(said: unknown): void; onmessage: (event: MessageEvent<Task>) => void };
  scope.onmessage = ({ data: { buffer, announce } }) => {
    const shared = new SharedMemory(buffer);
    if (announce === undefined) {
      scope.postMessage("please");
      scope.postMessage({ answer: shared.awaitReply(1)?.data[0] });
    } else {
      scope.postMessage("begun");
      shared.reserveOutput(announce);
      scope.postMessage("through");
    }
  };
}

/** A worker with what it has said so far. */
class Other implements Disposable {
  readonly heard: unknown[] = [];
  readonly #worker = new Worker(import.meta.url, { name: "other side", type: "module" });
  #wake: () => void = () => {};

  constructor() {
    this.#worker.onmessage = (event) => {
      this.heard.push(event.data);
      this.#wake();
    };
  }

  ask(task: Task): void {
    this.#worker.postMessage(task);
  }

  async hears(count: number): Promise<void> {
    while (this.heard.length < count) {
      await waitSoon(new Promise<void>((resolve) => this.#wake = resolve), "the worker");
    }
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("an interrupt is seen until it is cleared, and Pyodide finds the signal's number", () => {
  const shared = new SharedMemory();
  strictEqual(shared.interrupted, false);
  shared.interrupt();
  strictEqual(shared.interrupted, true);
  strictEqual(shared.interruptByte[0], 2);
  shared.clear();
  strictEqual(shared.interrupted, false);
  strictEqual(shared.interruptByte[0], 0);
});

Deno.test("Pyodide takes the interrupt by writing zero into its byte", () => {
  const shared = new SharedMemory();
  shared.interrupt();
  shared.interruptByte[0] = 0;
  strictEqual(shared.interrupted, false);
});

Deno.test("both sides see the same words", () => {
  const one = new SharedMemory();
  const other = new SharedMemory(one.buffer);
  one.interrupt();
  strictEqual(other.interrupted, true);
});

Deno.test("output within the window does not wait", () => {
  const shared = new SharedMemory();
  shared.reserveOutput(OUTPUT_WINDOW);
  shared.reserveOutput(1);
  strictEqual(new Int32Array(shared.buffer)[1], OUTPUT_WINDOW + 1);
});

Deno.test("beyond the window a worker waits until enough is delivered", async () => {
  using other = new Other();
  const shared = new SharedMemory();
  shared.reserveOutput(OUTPUT_WINDOW + 10);
  other.ask({ buffer: shared.buffer, announce: 7 });
  await other.hears(1);
  shared.releaseOutput(9);
  await pause(60);
  deepStrictEqual(other.heard, ["begun"]);
  shared.releaseOutput(1);
  await other.hears(2);
  strictEqual(new Int32Array(shared.buffer)[1], OUTPUT_WINDOW + 7);
});

Deno.test("an interrupt lets a waiting worker through", async () => {
  using other = new Other();
  const shared = new SharedMemory();
  shared.reserveOutput(OUTPUT_WINDOW * 2);
  other.ask({ buffer: shared.buffer, announce: 7 });
  await other.hears(1);
  await pause(40);
  strictEqual(other.heard.length, 1);
  shared.interrupt();
  await other.hears(2);
});

Deno.test("a worker that waits gets the answer to its own request", async () => {
  using other = new Other();
  const shared = new SharedMemory();
  other.ask({ buffer: shared.buffer });
  await other.hears(1);
  shared.writeReply(7, Uint8Array.of(8));
  await pause(20);
  shared.writeReply(1, Uint8Array.of(9));
  await other.hears(2);
  deepStrictEqual(other.heard, ["please", { answer: 9 }]);
});

Deno.test("an answer that comes before the wait is not missed, also by one who was interrupted", () => {
  const shared = new SharedMemory();
  shared.interrupt();
  shared.writeReply(3, Uint8Array.of(1));
  deepStrictEqual(shared.awaitReply(3), { data: Uint8Array.of(1), last: true });
  strictEqual(shared.awaitReply(4), null);
});

Deno.test("a wait that no interrupt ends has an end all the same", () => {
  const shared = new SharedMemory();
  shared.interrupt();
  const begin = performance.now();
  strictEqual(shared.awaitReply(1, { ms: 100, uninterrupted: true }), null);
  ok(performance.now() - begin >= 99);
});
