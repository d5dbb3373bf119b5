import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { makeDice, waitSoon } from "../testing/harness_test.ts";
import { OutputBuffer } from "./output_buffer.ts";
import type { Stream } from "../protocol.ts";
import { costOfOutput, SharedMemory } from "./shared_memory.ts";
import { decodeLatin1, encodeLatin1 } from "../text/bytes.ts";

const BLOCK = 64 << 10;

class Bench {
  readonly posts: { run: number; stream: Stream; text: string }[] = [];
  readonly shared = new SharedMemory();
  readonly outputBuffer = new OutputBuffer(
    { sent: 0, output: (run, stream, _, data) => this.#take(run, stream, data) },
    this.shared,
  );
  #arrived: () => void = () => {};

  /** Bytes on their way. */
  get pending(): number {
    return new Int32Array(this.shared.buffer)[1];
  }

  get texts(): string[] {
    return this.posts.map((post) => post.text);
  }

  write(stream: Stream, text: string): void {
    this.outputBuffer.write(stream, encodeLatin1(text));
  }

  next(): Promise<void> {
    return waitSoon(new Promise((resolve) => this.#arrived = resolve), "output");
  }

  #take(run: number, stream: Stream, data: Uint8Array): void {
    this.posts.push({ run, stream, text: decodeLatin1(data) });
    this.#arrived();
  }
}

Deno.test("small writes are collected into one block", () => {
  const bench = new Bench();
  for (let i = 0; i < 10; i++) bench.write("stdout", `${i}`);
  strictEqual(bench.posts.length, 0);
  bench.outputBuffer.flush();
  deepStrictEqual(bench.texts, ["0123456789"]);
});

Deno.test("the streams keep their order", () => {
  const bench = new Bench();
  bench.write("stdout", "1");
  bench.write("stderr", "2");
  bench.write("stderr", "3");
  bench.write("stdout", "4");
  bench.outputBuffer.flush();
  deepStrictEqual(bench.posts.map((post) => [post.stream, post.text]), [["stdout", "1"], ["stderr", "23"], [
    "stdout",
    "4",
  ]]);
});

Deno.test("a full block leaves at once and the rest follows", () => {
  const bench = new Bench();
  bench.write("stdout", "x".repeat(BLOCK - 1));
  strictEqual(bench.posts.length, 0);
  bench.write("stdout", "yz");
  deepStrictEqual(bench.posts.map((post) => post.text.length), [BLOCK]);
  bench.outputBuffer.flush();
  strictEqual(bench.texts[1], "z");
});

Deno.test("a write larger than a block is cut into blocks", () => {
  const bench = new Bench();
  bench.write("stdout", "x".repeat(3 * BLOCK + 5));
  bench.outputBuffer.flush();
  deepStrictEqual(bench.posts.map((post) => post.text.length), [BLOCK, BLOCK, BLOCK, 5]);
});

Deno.test("output that nobody follows up leaves by itself", async () => {
  const bench = new Bench();
  const arrived = bench.next();
  bench.write("stdout", "alone");
  await arrived;
  deepStrictEqual(bench.texts, ["alone"]);
});

Deno.test("code that never yields still sends what has waited long enough", () => {
  const bench = new Bench();
  bench.write("stdout", "a");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  bench.write("stdout", "b");
  deepStrictEqual(bench.texts, ["ab"]);
});

Deno.test("each block belongs to the run that was open when it was written", () => {
  const bench = new Bench();
  bench.outputBuffer.open(1);
  bench.write("stdout", "one");
  bench.outputBuffer.open(2);
  bench.write("stdout", "two");
  bench.outputBuffer.flush();
  deepStrictEqual(bench.posts.map((post) => [post.run, post.text]), [[1, "one"], [2, "two"]]);
});

Deno.test("nothing is sent when nothing was written", () => {
  const bench = new Bench();
  bench.outputBuffer.flush();
  bench.write("stdout", "");
  bench.outputBuffer.flush();
  bench.outputBuffer.open(3);
  strictEqual(bench.posts.length, 0);
});

Deno.test("what is on its way is counted until it is delivered", () => {
  const bench = new Bench();
  bench.write("stdout", "12345");
  strictEqual(bench.pending, 0);
  bench.outputBuffer.flush();
  const cost = (length: number) => costOfOutput(new Uint8Array(length));
  strictEqual(bench.pending, cost(5));
  bench.write("stderr", "678");
  bench.outputBuffer.flush();
  strictEqual(bench.pending, cost(5) + cost(3));
  bench.shared.releaseOutput(cost(5));
  strictEqual(bench.pending, cost(3));
});

Deno.test("a block is its own memory: later writes do not change it", () => {
  const bench = new Bench();
  const kept: Uint8Array<ArrayBuffer>[] = [];
  const outputBuffer = new OutputBuffer(
    { sent: 0, output: (_run, _stream, _block, data) => void kept.push(data) },
    bench.shared,
  );
  outputBuffer.write("stdout", encodeLatin1("first"));
  outputBuffer.flush();
  outputBuffer.write("stdout", encodeLatin1("XXXXX"));
  outputBuffer.flush();
  strictEqual(decodeLatin1(kept[0]), "first");
  strictEqual(kept[0].buffer.byteLength, 5);
});

Deno.test("whatever is written arrives whole, in order and on its stream", () => {
  const roll = makeDice(11);
  const bench = new Bench();
  const written: [Stream, string][] = [];
  for (let i = 0; i < 300; i++) {
    const stream = roll(3) === 0 ? "stderr" : "stdout";
    const text = String.fromCharCode(65 + i % 26).repeat(roll(i % 20 === 0 ? 200_000 : 300));
    bench.write(stream, text);
    written.push([stream, text]);
    if (roll(10) === 0) bench.outputBuffer.flush();
  }
  bench.outputBuffer.flush();
  const joined = (list: [Stream, string][]) => {
    const blocks: [Stream, string][] = [];
    for (const [stream, text] of list) {
      const last = blocks.at(-1);
      if (last?.[0] === stream) last[1] += text;
      else if (text) blocks.push([stream, text]);
    }
    return blocks;
  };
  ok(bench.posts.every((post) => post.text.length <= BLOCK && post.text.length > 0));
  // Assertions on megabytes are slow to explain; equality is enough.
  ok(JSON.stringify(joined(bench.posts.map((p) => [p.stream, p.text]))) === JSON.stringify(joined(written)));
});

Deno.test("what a busy worker has collected can be looked at, and is not sent twice", () => {
  const bench = new Bench();
  bench.outputBuffer.open(7);
  bench.write("stderr", "ab");
  const found = bench.shared.peekBlock();
  deepStrictEqual([found?.run, found?.stream, decodeLatin1(found?.data ?? new Uint8Array(0))], [7, "stderr", "ab"]);
  bench.outputBuffer.flush();
  strictEqual(bench.shared.peekBlock(), null);
});
