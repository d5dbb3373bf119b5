import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { PendingWaits } from "./waits.ts";

function forever(waits: PendingWaits, forProgram = false): Promise<never> {
  return waits.add<never>(() => () => {}, forProgram);
}

Deno.test("a wait that is settled is cleaned up once, and a cancel no longer reaches it", async () => {
  const waits = new PendingWaits();
  let cleaned = 0;
  let settle: (value: number) => void = () => {};
  const wait = waits.add<number>((resolve) => {
    settle = resolve;
    return () => cleaned++;
  });
  settle(3);
  strictEqual(await wait, 3);
  waits.cancel(false);
  strictEqual(cleaned, 1);
});

Deno.test("a cancel ends every wait and says whether there was one", async () => {
  const waits = new PendingWaits();
  const told: boolean[] = [];
  waits.onCancel((waited) => told.push(waited));
  const ended = [forever(waits), forever(waits, true)].map((wait) => rejects(wait, { name: "Cancelled" }));
  waits.cancel(false);
  await Promise.all(ended);
  waits.cancel(false);
  deepStrictEqual(told, [true, false]);
});

Deno.test("where the signal was taken, only waits for other programs end", async () => {
  const waits = new PendingWaits();
  const told: boolean[] = [];
  waits.onCancel((waited) => told.push(waited));
  let over = false;
  const other = forever(waits).catch(() => over = true);
  const program = rejects(forever(waits, true), { name: "Cancelled" });
  waits.cancel(true);
  await program;
  deepStrictEqual([over, told], [false, []]);
  strictEqual(waits.endLatest(), true);
  await other;
  strictEqual(waits.endLatest(), false);
});
