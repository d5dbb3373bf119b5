import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { OPEN, OpenRequests, REQUEST_WINDOW } from "./requests.ts";
import { RequestError } from "./request_errors.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import { RequestRelay } from "../router/request_relay.ts";
import type { WorkerSlot } from "../router/worker_slot.ts";

/** The worker's end, with what it posted. */
class Bench {
  readonly posted: FromWorker[] = [];
  readonly #cancels = new Set<(error: Error) => void>();
  readonly asks = new OpenRequests(
    (message) => void this.posted.push(message),
    (start) =>
      new Promise((resolve, reject) => {
        this.#cancels.add(reject);
        start(resolve);
      }),
  );

  cancel(): void {
    for (const reject of this.#cancels) reject(new Error("interrupted"));
  }

  get ops(): string[] {
    return this.posted.map((message) => message.op);
  }
}

const bytes = (size: number) => new Uint8Array(size);

Deno.test("a question goes out with its bytes and its answer comes back with others", async () => {
  const bench = new Bench();
  const asked = bench.asks.ask(3, { what: "x" }, new Uint8Array([1, 2]));
  deepStrictEqual(bench.posted, [
    { op: "ask", id: 3, ask: 1, question: { what: "x" }, complete: false },
    { op: "piece", ask: 1, data: new Uint8Array([1, 2]) },
    { op: "end", ask: 1 },
  ]);
  bench.asks.receive({ op: "piece", ask: 1, data: bytes(2) });
  bench.asks.receive({ op: "answered", ask: 1, data: { a: 1 } });
  bench.asks.receive({ op: "end", ask: 1, error: null });
  deepStrictEqual(await asked.data, { a: 1 });
  strictEqual((await asked.read())?.length, 2);
  strictEqual(await asked.read(), null);
});

Deno.test("bytes wait until there is room for them on the other side", () => {
  const bench = new Bench();
  bench.asks.ask(1, { what: "x" }, [bytes(REQUEST_WINDOW), bytes(REQUEST_WINDOW)]);
  const sent = () => bench.posted.reduce((sum, each) => sum + (each.op === "piece" ? each.data.length : 0), 0);
  strictEqual(sent(), REQUEST_WINDOW);
  bench.asks.receive({ op: "more", ask: 1, bytes: REQUEST_WINDOW });
  strictEqual(sent(), 2 * REQUEST_WINDOW);
  bench.asks.receive({ op: "more", ask: 1, bytes: 1 });
  strictEqual(bench.ops.at(-1), "end");
});

Deno.test("what was read makes room for more", async () => {
  const bench = new Bench();
  const asked = bench.asks.ask(1, { what: "x" });
  for (let i = 0; i < 2; i++) bench.asks.receive({ op: "piece", ask: 1, data: bytes(REQUEST_WINDOW / 4) });
  await asked.read();
  deepStrictEqual(bench.posted.at(-1), { op: "more", ask: 1, bytes: REQUEST_WINDOW / 4 });
});

Deno.test("a refusal rejects the answer, and a failure on the way the reading", async () => {
  const bench = new Bench();
  const refused = bench.asks.ask(1, { what: "x" });
  bench.asks.receive({ op: "end", ask: 1, error: { type: "NotAllowed", message: "no" } });
  await rejects(() => refused.data, (error) => error instanceof RequestError && error.type === "NotAllowed");
  const broken = bench.asks.ask(1, { what: "x" });
  bench.asks.receive({ op: "answered", ask: 2, data: 1 });
  bench.asks.receive({ op: "piece", ask: 2, data: bytes(1) });
  bench.asks.receive({ op: "end", ask: 2, error: { type: "Timeout", message: "slow" } });
  strictEqual(await broken.data, 1);
  strictEqual((await broken.read())?.length, 1);
  await rejects(() => broken.read(), RequestError);
});

Deno.test("a cancelled run ends the wait, and closing reaches the host once", async () => {
  const bench = new Bench();
  const asked = bench.asks.ask(1, { what: "x" });
  const waiting = asked.data;
  bench.cancel();
  await rejects(() => waiting, /interrupted/);
  asked.close();
  asked.close();
  deepStrictEqual(bench.ops.filter((op) => op === "drop"), ["drop"]);
});

Deno.test("a question that is too long is not sent", async () => {
  const bench = new Bench();
  const asked = bench.asks.ask(1, { what: "x", text: "a".repeat(2 << 20) });
  deepStrictEqual(bench.posted, []);
  await rejects(() => asked.data, RequestError);
});

Deno.test("a body that was left open goes out as it is written", async () => {
  const bench = new Bench();
  const asked = bench.asks.ask(1, { what: "x" }, OPEN);
  strictEqual(asked.write(bytes(REQUEST_WINDOW)), 0);
  strictEqual(asked.write(bytes(10)), 10);
  const room = asked.until("room");
  strictEqual(await asked.until("room", { ms: 1 }), false);
  bench.asks.receive({ op: "more", ask: 1, bytes: 10 });
  strictEqual(await room, true);
  asked.finish();
  strictEqual(bench.ops.at(-1), "end");
});

Deno.test("questions beyond those that may be open wait for their turn", () => {
  const bench = new Bench();
  const asked = Array.from({ length: 35 }, (_, number) => bench.asks.ask(1, { what: "x" }, bytes(number % 2)));
  const numbers = () => bench.posted.flatMap((message) => message.op === "ask" ? [message.ask] : []);
  strictEqual(numbers().length, 32);
  asked[33].close();
  bench.asks.receive({ op: "end", ask: 5, error: null });
  asked[7].close();
  deepStrictEqual(numbers().slice(32), [33, 35]);
  deepStrictEqual(bench.posted.filter((message) => message.op === "drop"), [{ op: "drop", ask: 8 }]);
});

Deno.test("a wait ends with its time, and a calm one is not cancelled", async () => {
  const bench = new Bench();
  const asked = bench.asks.ask(1, { what: "x" });
  strictEqual(asked.next(), undefined);
  strictEqual(await asked.until("bytes", { ms: 1 }), false);
  const [calm, other] = [asked.until("answered", { calm: true }), asked.until("answered")];
  bench.cancel();
  await rejects(other);
  bench.asks.receive({ op: "answered", ask: 1, data: 1 });
  strictEqual(await calm, true);
  bench.asks.receive({ op: "end", ask: 1, error: null });
  strictEqual(asked.next(), null);
  strictEqual(asked.ended, true);
});

/** A slot as far as the relay sees it. */
function slot(): { slot: WorkerSlot; got: ToWorker[] } {
  const got: ToWorker[] = [];
  return { slot: { post: (message: ToWorker) => got.push(message) } as unknown as WorkerSlot, got };
}

Deno.test("the relay keeps the questions of two workers apart", () => {
  const sent: unknown[] = [];
  const relay = new RequestRelay((message) => sent.push(message));
  const [one, two] = [slot(), slot()];
  relay.fromWorker(one.slot, { op: "ask", id: 1, ask: 1, question: { what: "x" }, complete: true });
  relay.fromWorker(two.slot, { op: "ask", id: 1, ask: 1, question: { what: "y" }, complete: true });
  relay.fromHost({ op: "answered", ask: 2, data: "for two" });
  deepStrictEqual(one.got, []);
  deepStrictEqual(two.got, [{ op: "answered", ask: 1, data: "for two" }]);
  relay.forget(two.slot);
  deepStrictEqual(sent.at(-1), { op: "drop", ask: 2 });
  relay.fromHost({ op: "end", ask: 2, error: null });
  strictEqual(two.got.length, 1);
});

Deno.test("a worker that asks too much at once is refused", () => {
  const relay = new RequestRelay(() => {});
  const { slot: asker, got } = slot();
  for (let ask = 1; ask <= 65; ask++) {
    relay.fromWorker(asker, { op: "ask", id: 1, ask, question: { what: "x" }, complete: true });
  }
  deepStrictEqual(got.map((message) => "ask" in message && message.ask), [65]);
});
