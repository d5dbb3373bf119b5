import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { RUN_LIMITS } from "../limits.ts";
import { OPEN, OpenRequests } from "./requests.ts";
import { RequestError } from "./request_errors.ts";
import type { FromWorker } from "../protocol.ts";
import { PendingWaits } from "./waits.ts";

const REQUEST_WINDOW = RUN_LIMITS.requestWindow;

/** The worker's end, with what it posted. */
class Bench {
  readonly posted: FromWorker[] = [];
  readonly #waits = new PendingWaits();
  readonly requests = new OpenRequests(
    (message) => void this.posted.push(message),
    (start, forProgram) => this.#waits.add(start, forProgram),
    RUN_LIMITS,
  );

  cancel(): void {
    this.#waits.cancel(false);
  }

  get ops(): string[] {
    return this.posted.map((message) => message.op);
  }
}

const bytes = (size: number) => new Uint8Array(size);

Deno.test("a question goes out with its bytes and its answer comes back with others", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(3, { kind: "x" }, new Uint8Array([1, 2]));
  deepStrictEqual(bench.posted, [
    { op: "request", request: 1, run: 3, content: { kind: "x" }, complete: false },
    { op: "chunk", request: 1, data: new Uint8Array([1, 2]) },
    { op: "end", request: 1 },
  ]);
  bench.requests.receive({ op: "chunk", request: 1, data: bytes(2) });
  bench.requests.receive({ op: "response", request: 1, data: { a: 1 } });
  bench.requests.receive({ op: "end", request: 1, error: null });
  deepStrictEqual(await asked.data, { a: 1 });
  strictEqual((await asked.read())?.length, 2);
  strictEqual(await asked.read(), null);
});

Deno.test("bytes wait until there is room for them on the other side", () => {
  const bench = new Bench();
  bench.requests.open(1, { kind: "x" }, [bytes(REQUEST_WINDOW), bytes(REQUEST_WINDOW)]);
  const sent = () => bench.posted.reduce((sum, each) => sum + (each.op === "chunk" ? each.data.length : 0), 0);
  strictEqual(sent(), REQUEST_WINDOW);
  bench.requests.receive({ op: "credit", request: 1, bytes: REQUEST_WINDOW });
  strictEqual(sent(), 2 * REQUEST_WINDOW);
  bench.requests.receive({ op: "credit", request: 1, bytes: 1 });
  strictEqual(bench.ops.at(-1), "end");
});

Deno.test("what was read makes room for more", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(1, { kind: "x" });
  for (let i = 0; i < 2; i++) bench.requests.receive({ op: "chunk", request: 1, data: bytes(REQUEST_WINDOW / 4) });
  await asked.read();
  deepStrictEqual(bench.posted.at(-1), { op: "credit", request: 1, bytes: REQUEST_WINDOW / 4 });
});

Deno.test("a refusal rejects the answer, and a failure on the way the reading", async () => {
  const bench = new Bench();
  const refused = bench.requests.open(1, { kind: "x" });
  bench.requests.receive({ op: "end", request: 1, error: { type: "NotAllowed", message: "no" } });
  await rejects(() => refused.data, (error) => error instanceof RequestError && error.type === "NotAllowed");
  const broken = bench.requests.open(1, { kind: "x" });
  bench.requests.receive({ op: "response", request: 2, data: 1 });
  bench.requests.receive({ op: "chunk", request: 2, data: bytes(1) });
  bench.requests.receive({ op: "end", request: 2, error: { type: "Timeout", message: "slow" } });
  strictEqual(await broken.data, 1);
  strictEqual((await broken.read())?.length, 1);
  await rejects(() => broken.read(), RequestError);
});

Deno.test("a cancelled run ends the wait, and closing reaches the host once", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(1, { kind: "x" });
  const waiting = asked.data;
  bench.cancel();
  await rejects(() => waiting, /interrupted/);
  asked.close();
  asked.close();
  deepStrictEqual(bench.ops.filter((op) => op === "abort"), ["abort"]);
});

Deno.test("a question that is too long is not sent", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(1, { kind: "x", text: "a".repeat(2 << 20) });
  deepStrictEqual(bench.posted, []);
  await rejects(() => asked.data, RequestError);
});

Deno.test("a body that was left open goes out as it is written", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(1, { kind: "x" }, OPEN);
  strictEqual(asked.write(bytes(REQUEST_WINDOW)), 0);
  strictEqual(asked.write(bytes(10)), 10);
  const room = asked.until("room");
  strictEqual(await asked.until("room", { ms: 1 }), false);
  bench.requests.receive({ op: "credit", request: 1, bytes: 10 });
  strictEqual(await room, true);
  asked.finish();
  strictEqual(bench.ops.at(-1), "end");
});

Deno.test("questions beyond those that may be open wait for their turn", () => {
  const bench = new Bench();
  const asked = Array.from({ length: 35 }, (_, number) => bench.requests.open(1, { kind: "x" }, bytes(number % 2)));
  const numbers = () => bench.posted.flatMap((message) => message.op === "request" ? [message.request] : []);
  strictEqual(numbers().length, 32);
  asked[33].close();
  bench.requests.receive({ op: "end", request: 5, error: null });
  asked[7].close();
  deepStrictEqual(numbers().slice(32), [33, 35]);
  deepStrictEqual(bench.posted.filter((message) => message.op === "abort"), [{ op: "abort", request: 8 }]);
});

Deno.test("a wait ends with its time, and a calm one is not cancelled", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(1, { kind: "x" });
  strictEqual(asked.next(), undefined);
  strictEqual(await asked.until("bytes", { ms: 1 }), false);
  const [calm, other] = [asked.until("answered", { calm: true }), asked.until("answered")];
  bench.cancel();
  await rejects(other);
  bench.requests.receive({ op: "response", request: 1, data: 1 });
  strictEqual(await calm, true);
  bench.requests.receive({ op: "end", request: 1, error: null });
  strictEqual(asked.next(), null);
  strictEqual(asked.ended, true);
});

Deno.test("an answer may come with the end", async () => {
  const bench = new Bench();
  const asked = bench.requests.open(1, { kind: "x" });
  bench.requests.receive({ op: "end", request: 1, error: null, data: { exit: 0 } });
  deepStrictEqual([await asked.data, await asked.read()], [{ exit: 0 }, null]);
});

Deno.test("one that has no bytes settles with its data, however many others are open", async () => {
  const bench = new Bench();
  for (let number = 0; number < 40; number++) bench.requests.open(1, { kind: "x" });
  const answers = [1, 2, 3].map(() => bench.requests.call(7, { kind: "input", prompt: "" }));
  const content = { kind: "input", prompt: "" };
  deepStrictEqual(bench.posted.at(-1), { op: "request", request: 43, run: 7, content, complete: true });
  bench.requests.receive({ op: "end", request: 42, error: null });
  bench.requests.receive({ op: "end", request: 41, error: null, data: "first" });
  bench.requests.receive({ op: "end", request: 43, error: { type: "TooMany", message: "no" } });
  deepStrictEqual([await answers[0], await answers[1]], ["first", null]);
  await rejects(answers[2], RequestError);
  strictEqual(bench.ops.includes("abort"), false);
});

Deno.test("a stop asks for the end, and what comes of it is the answer", async () => {
  const bench = new Bench();
  const stop = new AbortController();
  const answer = bench.requests.call(1, { kind: "program" }, stop.signal);
  stop.abort();
  deepStrictEqual(bench.posted.at(-1), { op: "abort", request: 1 });
  bench.requests.receive({ op: "end", request: 1, error: null, data: 130 });
  strictEqual(await answer, 130);
});

Deno.test("a cancel ends a question to the user, and leaves the end of programs to the router", async () => {
  const bench = new Bench();
  const waits = ["input", "program"].map((kind) => rejects(bench.requests.call(1, { kind })));
  bench.cancel();
  await Promise.all(waits);
  deepStrictEqual(bench.posted.slice(2), [{ op: "abort", request: 1 }]);
});
