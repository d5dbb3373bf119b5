import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { makeDice, Scratch, waitSoon } from "../../testing/harness_test.ts";
import type { Display, FromHost, Outcome, ToHost } from "../../protocol.ts";
import { RUN_LIMITS } from "../../limits.ts";
import { testConfig } from "../../testing/engine_harness_test.ts";
import { Channel } from "./channel.ts";

const LIMIT = RUN_LIMITS.frameLimit;

interface Frame {
  type: number;
  body: Uint8Array;
}

/** Both ends of a socket: the engine's channel, and the host as plain bytes. */
class Pair implements Disposable {
  private constructor(readonly channel: Channel, readonly engine: Deno.Conn, readonly host: Deno.Conn) {}

  static async open(): Promise<Pair> {
    using scratch = new Scratch();
    const path = `${scratch.path}/s`;
    using listener = Deno.listen({ transport: "unix", path });
    const [engine, host] = await Promise.all([Deno.connect({ transport: "unix", path }), listener.accept()]);
    return new Pair(new Channel(engine, RUN_LIMITS), engine, host);
  }

  async frame(): Promise<Frame> {
    const head = await this.bytes(5);
    const length = new DataView(head.buffer).getUint32(0, true);
    return { type: head[4], body: await this.bytes(length - 1) };
  }

  async message(): Promise<ToHost> {
    const { type, body } = await this.frame();
    strictEqual(type, 0);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  }

  async bytes(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const data = new Uint8Array(count);
    for (let done = 0; done < count;) {
      const read = await waitSoon(this.host.read(data.subarray(done)), "the engine's bytes");
      ok(read !== null, "the channel was closed");
      done += read;
    }
    return data;
  }

  async write(data: Uint8Array): Promise<void> {
    for (let done = 0; done < data.length;) done += await this.host.write(data.subarray(done));
  }

  [Symbol.dispose](): void {
    for (const end of [this.engine, this.host]) {
      try {
        end.close();
      } catch (error) {
        if (!(error instanceof Deno.errors.BadResource)) throw error;
      }
    }
  }
}

function framed(message: FromHost): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(5 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length + 1, true);
  frame.set(body, 5);
  return frame;
}

function outcome(value: string): Outcome {
  return { value, error: null, exitCode: 0 };
}

Deno.test("a message is one frame of length, type and JSON", async () => {
  using pair = await Pair.open();
  pair.channel.send({ op: "failed", message: "grün €" });
  deepStrictEqual(await pair.message(), { op: "failed", message: "grün €" });
});

Deno.test("output frames carry every byte as it is", async () => {
  using pair = await Pair.open();
  const data = Uint8Array.from({ length: 1024 }, (_, i) => i);
  const left = [pair.channel.output(7, "stdout", data), pair.channel.output(0xfffffffe, "stderr", new Uint8Array(0))];
  const [out, err] = [await pair.frame(), await pair.frame()];
  await waitSoon(Promise.all(left));
  deepStrictEqual([out.type, err.type], [1, 2]);
  strictEqual(new DataView(out.body.buffer).getUint32(0, true), 7);
  strictEqual(new DataView(err.body.buffer).getUint32(0, true), 0xfffffffe);
  deepStrictEqual(out.body.subarray(4), data);
  strictEqual(err.body.length, 4);
});

Deno.test("messages and output leave in the order they were given", async () => {
  using pair = await Pair.open();
  const block = new Uint8Array(300_000);
  for (let i = 0; i < 10; i++) {
    void pair.channel.output(i, "stdout", block);
    pair.channel.send({ op: "reply", id: i, data: null });
  }
  for (let i = 0; i < 10; i++) {
    const { type, body } = await pair.frame();
    deepStrictEqual([type, body.length, new DataView(body.buffer).getUint32(0, true)], [1, block.length + 4, i]);
    deepStrictEqual(await pair.message(), { op: "reply", id: i, data: null });
  }
});

Deno.test("output settles only when it has left", async () => {
  using pair = await Pair.open();
  let settled = false;
  const large = pair.channel.output(1, "stdout", new Uint8Array(8 << 20)).then(() => settled = true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  strictEqual(settled, false);
  await pair.frame();
  await waitSoon(large);
});

Deno.test("messages of the host arrive whole under any chunking", async () => {
  const roll = makeDice(5);
  using pair = await Pair.open();
  const texts = Array.from({ length: 60 }, () => "ä€😀x".repeat(roll(roll(4) === 0 ? 20_000 : 20)));
  const messages = texts.map((data, request): FromHost => ({ op: "end", request, error: null, data }));
  const heard: FromHost[] = [];
  const receiving = pair.channel.receive((message) => void heard.push(message));
  const frames = messages.map(framed);
  const whole = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    whole.set(frame, at);
    at += frame.length;
  }
  for (at = 0; at < whole.length;) {
    const size = roll(3) === 0 ? 1 + roll(7) : 1 + roll(40_000);
    await pair.write(whole.subarray(at, at + size));
    at += size;
    if (roll(4) === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  pair.host.close();
  await waitSoon(receiving);
  deepStrictEqual(heard, messages);
});

Deno.test("receiving ends when the host hangs up, also in the middle of a frame", async () => {
  for (const bytes of [0, 2, 4, 9]) {
    using pair = await Pair.open();
    const heard: FromHost[] = [];
    const receiving = pair.channel.receive((message) => void heard.push(message));
    await pair.write(framed({ op: "interrupt", grace: 1 }).subarray(0, bytes));
    pair.host.close();
    await waitSoon(receiving);
    deepStrictEqual(heard, []);
  }
});

Deno.test("a frame over the limit is an error before it is read", async () => {
  using pair = await Pair.open();
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, LIMIT + 1, true);
  await pair.write(head);
  await rejects(waitSoon(pair.channel.receive(() => {})), /over the limit/);
});

Deno.test("limits are those of the configuration", async () => {
  using pair = await Pair.open();
  const limits = { ...RUN_LIMITS, frameLimit: 1000 };
  await pair.write(framed({ op: "start", config: { ...testConfig([]), limits } }));
  await pair.write(framed({ op: "end", request: 1, error: null, data: "x".repeat(1000) }));
  await rejects(waitSoon(pair.channel.receive(() => {})), /over the limit/);
  pair.channel.send({ op: "reply", id: 1, data: "x".repeat(1000) });
  const message = await pair.message();
  ok(message.op === "reply" && JSON.stringify(message.data).includes("over the limit of 1000"));
});

Deno.test("what is no JSON is an error", async () => {
  using pair = await Pair.open();
  await pair.write(new Uint8Array([2, 0, 0, 0, 0x7b, 0x7b]));
  await rejects(waitSoon(pair.channel.receive(() => {})), SyntaxError);
});

Deno.test("a message just within the limit is sent as it is", async () => {
  using pair = await Pair.open();
  const spare = JSON.stringify({ op: "reply", id: 1, data: "" }).length;
  const data = "x".repeat(LIMIT - spare);
  pair.channel.send({ op: "reply", id: 1, data });
  const { type, body } = await pair.frame();
  deepStrictEqual([type, body.length], [0, LIMIT]);
});

Deno.test("a result that is too large still ends its run, and says so", async () => {
  using pair = await Pair.open();
  pair.channel.send({ op: "done", id: 3, outcome: outcome("x".repeat(LIMIT)), state: "lost" });
  const message = await pair.message();
  ok(message.op === "done");
  deepStrictEqual([message.id, message.state, message.outcome.value], [3, "lost", null]);
  deepStrictEqual([message.outcome.error?.type, message.outcome.exitCode], ["OutputLimit", 1]);
  ok(message.outcome.error?.message.includes("over the limit"));
});

Deno.test("what is too large is counted in bytes, not in characters", async () => {
  using pair = await Pair.open();
  pair.channel.send({ op: "reply", id: 1, data: "€".repeat(LIMIT / 2) });
  const message = await pair.message();
  ok(message.op === "reply");
  ok(JSON.stringify(message.data).includes("over the limit"));
});

Deno.test("a display that is too large becomes a note", async () => {
  using pair = await Pair.open();
  const data = { "image/png": "x".repeat(LIMIT) };
  const display: Display = { kind: "update", data, metadata: { width: 1 }, displayId: "plot" };
  pair.channel.send({ op: "display", id: 4, display });
  const message = await pair.message();
  ok(message.op === "display");
  deepStrictEqual([message.id, message.display.kind, message.display.displayId], [4, "update", "plot"]);
  deepStrictEqual(Object.keys(message.display.data), ["text/plain"]);
  deepStrictEqual(message.display.metadata, {});
});

Deno.test("a reply or a prompt that is too large is answered without its content", async () => {
  using pair = await Pair.open();
  pair.channel.send({ op: "reply", id: 5, data: "x".repeat(LIMIT) });
  const asked = { op: "request", request: 6, run: 1, complete: true } as const;
  pair.channel.send({ ...asked, content: { kind: "input", prompt: "x".repeat(LIMIT), password: true } });
  const [reply, input] = [await pair.message(), await pair.message()];
  ok(reply.op === "reply" && JSON.stringify(reply.data).includes("over the limit"));
  deepStrictEqual(input, { ...asked, content: { kind: "input", prompt: "", password: true } });
});

Deno.test("a request that is too large is answered with the reason, as the host would answer it", async () => {
  using pair = await Pair.open();
  const heard: FromHost[] = [];
  const receiving = pair.channel.receive((message) => void heard.push(message));
  const content = { kind: "link", target: "x".repeat(LIMIT), path: "/p" };
  pair.channel.send({ op: "request", request: 1, run: 0, content, complete: true });
  const values = Array.from({ length: 300_000 }, () => 0);
  pair.channel.send({ op: "request", request: 2, run: 0, content: { kind: "fetch", values }, complete: false });
  pair.host.close();
  await waitSoon(receiving);
  const failures = heard.map((message) => message.op === "end" && [message.request, message.error?.type]);
  deepStrictEqual(failures, [[1, "TooLong"], [2, "TooLong"]]);
  match(JSON.stringify(heard[0]), /over the limit of 16777216/);
  match(JSON.stringify(heard[1]), /more than 250000 values/);
});

Deno.test("a process that fails or is stuck is replaced, however much it has to say", async () => {
  using pair = await Pair.open();
  pair.channel.send({ op: "failed", message: "x".repeat(LIMIT) });
  pair.channel.send({ op: "stuck", shell: "x".repeat(LIMIT) });
  const [failed, stuck] = [await pair.message(), await pair.message()];
  ok(failed.op === "failed" && failed.message.includes("over the limit"));
  deepStrictEqual(stuck, { op: "stuck", shell: null });
});

Deno.test("half a surrogate pair does not reach the host, whose reader refuses it", async () => {
  using pair = await Pair.open();
  pair.channel.send({ op: "done", id: 1, outcome: outcome("a\ud800b😀"), state: "kept" });
  const { body } = await pair.frame();
  const text = new TextDecoder().decode(body);
  ok(!/\\ud[89a-f]/i.test(text), text);
  strictEqual(JSON.parse(text).outcome.value, "a\ufffdb😀");
});

Deno.test("what is too deep or has too many values for the host becomes a note", async () => {
  using pair = await Pair.open();
  let deep: unknown = 1;
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];
  const many = Array.from({ length: 300_000 }, () => []);
  for (const [value, note] of [[deep, "in each other"], [many, "values"]]) {
    const display: Display = { kind: "display", data: { "application/json": value }, metadata: {}, displayId: null };
    pair.channel.send({ op: "display", id: 4, display });
    const message = await pair.message();
    ok(message.op === "display" && String(message.display.data["text/plain"]).includes(String(note)));
  }
});
