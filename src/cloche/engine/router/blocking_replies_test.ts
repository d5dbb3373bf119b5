import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { BlockingReplies } from "./blocking_replies.ts";
import { RUN_LIMITS } from "../limits.ts";
import type { Package } from "../fs/packages.ts";
import type { ExecResult, FromHost, HostRequest, LanguageStates, ToHost } from "../protocol.ts";
import { BlockingRequests } from "../worker/blocking_requests.ts";
import { Interrupted, RequestError } from "../worker/request_errors.ts";
import { SharedMemory } from "../worker/shared_memory.ts";
import type { ProgramCalls } from "./programs/program_calls.ts";
import { RequestRelay } from "./request_relay.ts";
import type { WorkerSlot } from "./worker_slot.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

type Answer = (result: ExecResult) => void;

/** A worker and the main thread in one: what the worker posts is answered before it waits. */
class Pair {
  readonly shared = new SharedMemory();
  readonly slot = { shared: this.shared, blocked: false } as WorkerSlot;
  readonly sent: ToHost[] = [];
  readonly replies = new BlockingReplies(() => this.news);
  readonly relay: RequestRelay;
  /** What the host does with a request that reaches it. */
  onSent: (message: ToHost) => void = () => {};
  /** Packages that have changed meanwhile. */
  news: Package[] | undefined;
  readonly set: Package[][] = [];

  constructor(runProgram: (answer: Answer) => void = () => {}) {
    const programs = { begin: (...[, , , answer]: Parameters<ProgramCalls["begin"]>) => runProgram(answer) };
    this.relay = new RequestRelay({
      send: (message) => {
        this.sent.push(message);
        this.onSent(message);
      },
      replies: this.replies,
      programs: programs as ProgramCalls,
      languages: () => ({}) as LanguageStates,
      limits: () => RUN_LIMITS,
      blocked: () => {},
    });
  }

  begin(request: number, run: number, content: HostRequest): void {
    this.relay.fromWorker(this.slot, { op: "request", request, run, content, complete: true, blocking: true });
  }

  /** The host answers each request so. */
  answer(act: (request: number, content: HostRequest) => Extract<FromHost, { request: number }>[]): void {
    this.onSent = (message) => {
      if (message.op !== "request") return;
      for (const each of act(message.request, message.content)) this.relay.fromHost(each);
    };
  }

  blocking(): BlockingRequests {
    return new BlockingRequests(
      this.shared,
      (...asked) => this.begin(...asked),
      () => this.replies.next(this.slot),
      (packages) => void this.set.push(packages),
    );
  }
}

Deno.test("a request is answered with data and bytes, however many", () => {
  const pair = new Pair();
  const large = bytes("x".repeat(300_000));
  pair.answer((request, { kind }) => {
    strictEqual(kind, "thing");
    return [
      { op: "response", request, data: { found: 1 } },
      { op: "chunk", request, data: large },
      { op: "end", request, error: null },
    ];
  });
  const { data, body } = pair.blocking().request(7, { kind: "thing" });
  deepStrictEqual([data, text(body) === text(large)], [{ found: 1 }, true]);
  strictEqual(pair.slot.blocked, false);
  ok(pair.sent.some((message) => message.op === "credit" && message.bytes === large.length));
});

Deno.test("a refusal is an error with the host's words", () => {
  const pair = new Pair();
  pair.answer((request) => [{ op: "end", request, error: { type: "NotAllowed", message: "not today" } }]);
  throws(() => pair.blocking().request(1, { kind: "thing" }), (error) => {
    ok(error instanceof RequestError);
    return error.type === "NotAllowed" && error.message === "not today";
  });
});

Deno.test("input is asked for by its run, and its end is null", () => {
  const pair = new Pair();
  const lines = ["first", undefined];
  pair.answer((request, content) => {
    deepStrictEqual(content, { kind: "input", prompt: "? ", password: true });
    return [{ op: "end", request, error: null, data: lines.shift() }];
  });
  const blocking = pair.blocking();
  deepStrictEqual([blocking.input(5, "? ", true), blocking.input(5, "? ", true)], ["first", null]);
  deepStrictEqual(pair.sent.map((message) => message.op === "request" && message.run), [5, 5]);
});

Deno.test("an interrupt ends the wait, and a late answer goes nowhere", () => {
  const pair = new Pair();
  pair.onSent = (message) => {
    if (message.op === "request") pair.shared.interrupt();
  };
  const blocking = pair.blocking();
  throws(() => blocking.request(1, { kind: "slow" }), Interrupted);
  pair.relay.wake(pair.slot);
  const asked = pair.sent.find((message) => message.op === "request");
  ok(asked?.op === "request");
  deepStrictEqual(pair.sent.at(-1), { op: "abort", request: asked.request });
  pair.relay.fromHost({ op: "end", request: asked.request, error: null, data: "late" });
  pair.shared.clear();
  pair.answer((request) => [{ op: "end", request, error: null, data: "mine" }]);
  strictEqual(blocking.input(2, "", false), "mine");
});

Deno.test("an answer that the worker has given up is passed over where it comes before the next request does", () => {
  const pair = new Pair();
  const blocking = new BlockingRequests(
    pair.shared,
    (request, run, content) => {
      // The answer to the one before it was written meanwhile.
      pair.shared.writeReply(request - 1, bytes("late"));
      pair.replies.write(pair.slot, request, { data: [run, content.kind], body: bytes("") });
    },
    () => {},
    () => {},
  );
  deepStrictEqual(blocking.request(1, { kind: "thing" }).data, [1, "thing"]);
  pair.shared.writeReply(7, bytes("late"));
  strictEqual(pair.shared.awaitReply(8, { ms: 1 }), null);
});

Deno.test("a change of a file waits through an interrupt, and brings no packages", () => {
  const pair = new Pair();
  pair.news = [];
  pair.shared.interrupt();
  pair.answer((request, { path }) => [{ op: "end", request, error: null, data: path === "/b" ? null : "EEXIST" }]);
  const blocking = pair.blocking();
  const link = (path: string) => blocking.changeFile({ kind: "link", target: "a", path });
  deepStrictEqual([link("/b"), link("/c")], [null, "EEXIST"]);
  pair.answer((request) => [{ op: "end", request, error: { type: "TooMany", message: "" } }]);
  strictEqual(link("/b"), "EIO");
  deepStrictEqual(pair.set, []);
});

Deno.test("a worker that waits for a command gets its two streams apart", async () => {
  const source = `
    import { BlockingRequests } from "${new URL("../worker/blocking_requests.ts", import.meta.url)}";
    import { SharedMemory } from "${new URL("../worker/shared_memory.ts", import.meta.url)}";
    self.onmessage = ({ data }) => {
      const blocking = new BlockingRequests(
        new SharedMemory(data), (...asked) => self.postMessage({ asked }), () => self.postMessage({ read: true }),
      );
      const request = { script: "x", stdin: null, cwd: "/", env: {}, live: false, merge: false };
      const { exitCode, stdout, stderr } = blocking.exec(3, "bash", request);
      const decoder = new TextDecoder();
      self.postMessage({ result: [exitCode, stdout.length, decoder.decode(stderr)] });
    };`;
  const result: ExecResult = { exitCode: 4, stdout: new Uint8Array(200_000), stderr: bytes("oh") };
  const pair = new Pair((answer) => answer(result));
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "application/javascript" })), {
    type: "module",
  });
  const answer = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      if (data.asked) pair.begin(...data.asked as Parameters<Pair["begin"]>);
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
  pair.answer((request) => {
    pair.news = [gem];
    return [{ op: "end", request, error: null, data: { installed: [] } }];
  });
  const content = { kind: "provide", language: "ruby", name: "rainbow" };
  deepStrictEqual(pair.blocking().request(1, content).data, { installed: [] });
  deepStrictEqual(pair.set, [[gem]]);
});

Deno.test("the answer of a command that was given up is not the next one's", () => {
  const answers: Answer[] = [];
  const pair = new Pair((answer) => answers.push(answer));
  const program = { script: "x", stdin: null, cwd: "/", env: {}, live: false, merge: false };
  pair.begin(1, 1, { kind: "program", language: "bash", program });
  pair.relay.wake(pair.slot);
  pair.begin(2, 2, { kind: "program", language: "bash", program });
  answers[0]({ exitCode: 1, stdout: bytes("late"), stderr: bytes("") });
  strictEqual(pair.slot.blocked, true);
  answers[1]({ exitCode: 0, stdout: bytes("mine"), stderr: bytes("") });
  strictEqual(pair.slot.blocked, false);
  ok(text(pair.shared.awaitReply(2)?.data ?? bytes("")).endsWith("mine"));
  deepStrictEqual(pair.sent, []);
});
