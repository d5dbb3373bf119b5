import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FromWorker, Init, ToWorker } from "../protocol.ts";
import { WorkerSlot } from "./worker_slot.ts";

const REST = { language: "bash", assets: "/a" } as unknown as Omit<Init, "shared">;

class Bench {
  readonly posted: ToWorker[] = [];
  readonly heard: FromWorker[] = [];
  readonly failures: string[] = [];
  terminated = 0;
  say: (message: FromWorker) => void = () => {};
  fail: (text: string) => void = () => {};
  started: string | undefined;
  begin: (rest: Omit<Init, "shared">) => void = () => {};

  readonly slot = new WorkerSlot(
    "bash",
    () => new Promise((resolve) => this.begin = resolve),
    (language, receive, failed) => {
      this.started = language;
      this.say = receive;
      this.fail = failed;
      return { post: (message) => void this.posted.push(message), terminate: () => void this.terminated++ };
    },
    (_slot, message) => void this.heard.push(message),
    (_slot, text) => void this.failures.push(text),
  );

  get ops(): string[] {
    return this.posted.map((message) => message.op);
  }
}

const READY: FromWorker = { op: "ready", memory: 5 };
const ENV: ToWorker = { op: "env", env: { A: "1" } };

async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("a worker is started at once and gets its language as soon as that is known", async () => {
  const bench = new Bench();
  strictEqual(bench.started, "bash");
  await settled();
  deepStrictEqual(bench.ops, []);
  bench.begin(REST);
  await settled();
  deepStrictEqual(bench.posted, [{ op: "init", init: { ...REST, shared: bench.slot.shared.buffer } }]);
});

Deno.test("work waits until the worker is ready and then goes out in order", async () => {
  const bench = new Bench();
  bench.slot.post({ op: "stop_background" });
  bench.slot.post(ENV);
  bench.begin(REST);
  await settled();
  deepStrictEqual(bench.ops, ["init"]);
  bench.say(READY);
  deepStrictEqual(bench.ops, ["init", "stop_background", "env"]);
  bench.slot.post({ op: "stop_program", program: 1 });
  deepStrictEqual(bench.ops, ["init", "stop_background", "env", "stop_program"]);
});

Deno.test("answers that come in one go leave in one message", async () => {
  const bench = new Bench();
  bench.say(READY);
  const messages = [1, 2].map((request) => ({ op: "end", request, error: null }) as const);
  for (const message of messages) bench.slot.post(message);
  await settled();
  bench.slot.post(messages[0]);
  await settled();
  deepStrictEqual(bench.posted, [{ op: "batch", messages }, messages[0]]);
});

Deno.test("a cancel for a worker that is not ready has nobody to reach", () => {
  const bench = new Bench();
  bench.slot.post({ op: "cancel", cancel: 1 });
  bench.say(READY);
  deepStrictEqual(bench.ops, []);
  bench.slot.post({ op: "cancel", cancel: 2 });
  deepStrictEqual(bench.ops, ["cancel"]);
});

Deno.test("being ready is reported with the worker's memory, and counts once", () => {
  const bench = new Bench();
  strictEqual(bench.slot.ready, false);
  bench.say(READY);
  bench.say({ op: "ready", memory: 7 });
  strictEqual(bench.slot.ready, true);
  strictEqual(bench.slot.memory, 5);
});

Deno.test("every message is handed on, failures too", () => {
  const bench = new Bench();
  bench.say(READY);
  bench.say({ op: "cancelled", cancel: 3 });
  bench.fail("out of memory");
  deepStrictEqual(bench.heard, [READY, { op: "cancelled", cancel: 3 }]);
  deepStrictEqual(bench.failures, ["out of memory"]);
});

Deno.test("a terminated worker gets nothing more, not even what had waited", () => {
  const bench = new Bench();
  bench.slot.post(ENV);
  bench.slot.terminate();
  strictEqual(bench.terminated, 1);
  bench.slot.post(ENV);
  deepStrictEqual(bench.ops, []);
  strictEqual(bench.slot.ready, false);
});

Deno.test("each slot has its own shared memory", () => {
  const [one, other] = [new Bench(), new Bench()];
  one.slot.shared.interrupt();
  strictEqual(other.slot.shared.interrupted, false);
});
