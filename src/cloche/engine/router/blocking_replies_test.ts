import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { BlockingReplies } from "./blocking_replies.ts";
import type { Package } from "../fs/packages.ts";
import type { BlockingRequest, ExecResult, ToHost } from "../protocol.ts";
import { BlockingRequests } from "../worker/blocking_requests.ts";
import { Interrupted, RequestError } from "../worker/request_errors.ts";
import { SharedMemory } from "../worker/shared_memory.ts";
import type { WorkerSlot } from "./worker_slot.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

/** A worker and the main thread in one: what the worker posts is answered before it waits. */
class Pair {
  readonly shared = new SharedMemory();
  readonly slot = { shared: this.shared, waits: false } as WorkerSlot;
  readonly sent: ToHost[] = [];
  readonly replies: BlockingReplies;
  /** What the host does with a request that reaches it. */
  onSent: (message: ToHost) => void = () => {};
  /** Packages that have changed meanwhile. */
  news: Package[] | undefined;
  readonly set: Package[][] = [];

  constructor(exec: () => Promise<ExecResult> = () => Promise.reject(new Error("none"))) {
    this.replies = new BlockingReplies(
      (message) => {
        this.sent.push(message);
        this.onSent(message);
      },
      exec,
      () => this.news,
    );
  }

  blocking(): BlockingRequests {
    return new BlockingRequests(
      this.shared,
      (run: number, wanted: BlockingRequest) => this.replies.take(this.slot, run, wanted),
      () => this.replies.next(this.slot),
      (packages) => void this.set.push(packages),
    );
  }
}

Deno.test("a question is answered with data and bytes, however many", () => {
  const pair = new Pair();
  const large = bytes("x".repeat(300_000));
  pair.onSent = (message) => {
    if (message.op !== "request") return;
    strictEqual(message.content.kind, "thing");
    pair.replies.fromHost({ op: "response", request: message.request, data: { found: 1 } });
    pair.replies.fromHost({ op: "chunk", request: message.request, data: large });
    pair.replies.fromHost({ op: "end", request: message.request, error: null });
  };
  const { data, body } = pair.blocking().ask(7, { kind: "thing" });
  deepStrictEqual([data, text(body) === text(large)], [{ found: 1 }, true]);
  strictEqual(pair.slot.waits, false);
  ok(pair.sent.some((message) => message.op === "credit" && message.bytes === large.length));
});

Deno.test("a refusal is an error with the host's words", () => {
  const pair = new Pair();
  pair.onSent = (message) => {
    if (message.op !== "request") return;
    pair.replies.fromHost({ op: "end", request: message.request, error: { type: "NotAllowed", message: "not today" } });
  };
  throws(() => pair.blocking().ask(1, { kind: "thing" }), (error) => {
    ok(error instanceof RequestError);
    return error.type === "NotAllowed" && error.message === "not today";
  });
});

Deno.test("input is asked for by its run, and its end is null", () => {
  const pair = new Pair();
  const lines = ["first", null];
  pair.onSent = (message) => {
    ok(message.op === "input");
    deepStrictEqual([message.id, message.prompt, message.password], [5, "? ", true]);
    strictEqual(pair.replies.answerInput(5, lines.shift() ?? null), true);
  };
  const blocking = pair.blocking();
  deepStrictEqual([blocking.input(5, "? ", true), blocking.input(5, "? ", true)], ["first", null]);
  strictEqual(pair.replies.answerInput(5, "late"), false);
});

Deno.test("an interrupt ends the wait, and a late answer goes nowhere", () => {
  const pair = new Pair();
  pair.onSent = (message) => {
    if (message.op === "request") pair.shared.interrupt();
  };
  throws(() => pair.blocking().ask(1, { kind: "slow" }), Interrupted);
  pair.replies.forget(pair.slot);
  const asked = pair.sent.find((message) => message.op === "request");
  ok(asked?.op === "request");
  deepStrictEqual(pair.sent.at(-1), { op: "abort", request: asked.request });
  strictEqual(pair.replies.fromHost({ op: "end", request: asked.request, error: null }), true);
  pair.shared.clear();
  pair.onSent = (message) => {
    if (message.op === "input") pair.replies.answerInput(message.id, "mine");
  };
  strictEqual(pair.blocking().input(2, "", false), "mine");
});

Deno.test("answers to other questions are none of its", () => {
  strictEqual(new Pair().replies.fromHost({ op: "end", request: 3, error: null }), false);
});

Deno.test("a worker that waits for a command gets its two streams apart", async () => {
  const source = `
    import { BlockingRequests } from "${new URL("../worker/blocking_requests.ts", import.meta.url)}";
    import { SharedMemory } from "${new URL("../worker/shared_memory.ts", import.meta.url)}";
    self.onmessage = ({ data }) => {
      const blocking = new BlockingRequests(
        new SharedMemory(data), (run, wanted) => self.postMessage({ run, wanted }), () => self.postMessage({ read: true }),
      );
      const request = { script: "x", stdin: null, cwd: "/", env: {}, live: false, merge: false };
      const { exitCode, stdout, stderr } = blocking.exec(3, "bash", request);
      const decoder = new TextDecoder();
      self.postMessage({ result: [exitCode, stdout.length, decoder.decode(stderr)] });
    };`;
  const result: ExecResult = { exitCode: 4, stdout: new Uint8Array(200_000), stderr: bytes("oh") };
  const pair = new Pair(() => Promise.resolve(result));
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "application/javascript" })), {
    type: "module",
  });
  const answer = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      if (data.wanted) pair.replies.take(pair.slot, data.run, data.wanted);
      else if (data.read) pair.replies.next(pair.slot);
      else resolve(data.result);
    };
    worker.postMessage(pair.shared.buffer);
  });
  worker.terminate();
  deepStrictEqual(answer, [4, 200_000, "oh"]);
});

Deno.test("packages that came meanwhile are there before the answer is", () => {
  const pair = new Pair();
  const gem: Package = { name: "rainbow", version: "3", path: "/rainbow", language: "ruby", at: "ruby/rainbow-3" };
  pair.onSent = (message) => {
    if (message.op !== "request") return;
    pair.news = [gem];
    pair.replies.fromHost({ op: "response", request: message.request, data: { installed: [] } });
    pair.replies.fromHost({ op: "end", request: message.request, error: null });
  };
  const content = { kind: "provide", language: "ruby", name: "rainbow" };
  deepStrictEqual(pair.blocking().ask(1, content).data, { installed: [] });
  deepStrictEqual(pair.set, [[gem]]);
});

Deno.test("the answer of a command that was given up is not the next one's", async () => {
  const answers: ((result: ExecResult) => void)[] = [];
  const pair = new Pair(() => new Promise((resolve) => answers.push(resolve)));
  const request = { script: "x", stdin: null, cwd: "/", env: {}, live: false, merge: false };
  const wanted: BlockingRequest = { kind: "program", language: "bash", request };
  pair.replies.take(pair.slot, 1, wanted);
  pair.replies.forget(pair.slot);
  pair.replies.take(pair.slot, 2, { ...wanted });
  answers[0]({ exitCode: 1, stdout: bytes("late"), stderr: bytes("") });
  await Promise.resolve();
  await Promise.resolve();
  strictEqual(pair.slot.waits, true);
  answers[1]({ exitCode: 0, stdout: bytes("mine"), stderr: bytes("") });
  await Promise.resolve();
  await Promise.resolve();
  strictEqual(pair.slot.waits, false);
  ok(text(pair.shared.awaitReply()?.data ?? bytes("")).endsWith("mine"));
});
