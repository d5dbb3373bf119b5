import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Bell } from "./bell.ts";
import { MemoryBudget } from "../memory_budget.ts";
import { SharedPipe, WAIT } from "./shared_pipe.ts";

const bell = new Bell(new MemoryBudget().buffer);

function makePipe(): SharedPipe {
  const pipe = new SharedPipe(bell);
  pipe.hold("read");
  pipe.hold("write");
  return pipe;
}

Deno.test("bytes come out as they went in, across the end of the ring", () => {
  const pipe = makePipe();
  const other = new SharedPipe(bell, pipe.buffer);
  for (let round = 0; round < 5; round++) {
    const data = Uint8Array.from({ length: 50_000 }, (_, at) => (at * 7 + round) & 0xff);
    strictEqual(pipe.write(data), data.length);
    const got = new Uint8Array(data.length);
    strictEqual(other.read(got), data.length);
    deepStrictEqual(got, data);
  }
});

Deno.test("a reader waits until there is something, or nobody can write", () => {
  const pipe = makePipe();
  strictEqual(pipe.read(new Uint8Array(4)), WAIT);
  pipe.write(Uint8Array.of(1, 2));
  strictEqual(pipe.read(new Uint8Array(4)), 2);
  pipe.release("write");
  strictEqual(pipe.read(new Uint8Array(4)), 0);
});

Deno.test("a writer waits for room, and learns that nobody reads", () => {
  const pipe = makePipe();
  strictEqual(pipe.write(new Uint8Array(70_000)), 65536);
  strictEqual(pipe.write(Uint8Array.of(1)), WAIT);
  pipe.read(new Uint8Array(100));
  strictEqual(pipe.write(new Uint8Array(101)), WAIT);
  strictEqual(pipe.write(new Uint8Array(100)), 100);
  pipe.release("read");
  strictEqual(pipe.write(Uint8Array.of(1)), 0);
});

Deno.test("whoever waits hears the bell", async () => {
  const pipe = makePipe();
  const { rings } = bell;
  const heard = bell.next(rings);
  pipe.write(Uint8Array.of(1));
  await heard;
  await bell.next(rings);
});
