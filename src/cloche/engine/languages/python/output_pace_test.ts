import { strictEqual } from "node:assert/strict";
import { SharedMemory } from "../../worker/shared_memory.ts";
import { OutputPace } from "./output_pace.ts";

Deno.test("a flood of lines is collected, and a trickle is not", () => {
  const shared = new SharedMemory();
  const pace = new OutputPace(shared);
  for (let i = 0; i < 100; i++) pace.count(10);
  strictEqual(shared.gathering, false);
  for (let i = 0; i < 5000; i++) pace.count(10);
  strictEqual(shared.gathering, true);
  strictEqual(shared.interruptByte[0], 23);
  strictEqual(pace.decide(), true);
  strictEqual(pace.decide(), false);
  strictEqual(shared.gathering, false);
});

Deno.test("a new program begins with lines, and an interrupt is not overwritten", () => {
  const shared = new SharedMemory();
  const pace = new OutputPace(shared);
  shared.interrupt();
  for (let i = 0; i < 5000; i++) pace.count(10);
  strictEqual(shared.interrupted, true);
  pace.reset();
  strictEqual(shared.gathering, false);
});
