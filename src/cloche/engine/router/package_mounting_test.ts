import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { PackageMounting } from "./package_mounting.ts";
import type { ToWorker } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

const ONE = [{ name: "one", version: "1", path: "/one" }];
const TWO = [...ONE, { name: "two", version: "1", path: "/two" }];

function slot() {
  const posted: ToWorker[] = [];
  return {
    posted,
    slot: { process: 0, post: (message: ToWorker) => void posted.push(message) } as unknown as WorkerSlot,
  };
}

function start() {
  const replies: [number, unknown][] = [];
  return { replies, mounting: new PackageMounting((id, data) => void replies.push([id, data])) };
}

Deno.test("the host gets a reply when every worker has the packages", () => {
  const { replies, mounting } = start();
  const [a, b] = [slot(), slot()];
  mounting.set(1, ONE, [a.slot, b.slot]);
  deepStrictEqual(a.posted, [{ op: "packages", id: 1, packages: ONE }]);
  mounting.done(1, a.slot, null);
  mounting.done(1, a.slot, null);
  strictEqual(replies.length, 0);
  mounting.done(1, b.slot, null);
  deepStrictEqual(replies, [[1, {}]]);
  strictEqual(mounting.packages, ONE);
});

Deno.test("without workers the host gets a reply at once, and later ones start with the packages", () => {
  const { replies, mounting } = start();
  mounting.set(1, ONE, []);
  deepStrictEqual(replies, [[1, {}]]);
  strictEqual(mounting.packages, ONE);
});

Deno.test("a worker that is gone is not waited for", () => {
  const { replies, mounting } = start();
  const [a, b] = [slot(), slot()];
  mounting.set(1, ONE, [a.slot, b.slot]);
  mounting.done(1, a.slot, null);
  mounting.gone(b.slot);
  deepStrictEqual(replies, [[1, {}]]);
});

Deno.test("when one worker cannot read a package, all go back to what they had", () => {
  const { replies, mounting } = start();
  const [a, b] = [slot(), slot()];
  mounting.packages = ONE;
  mounting.set(7, TWO, [a.slot, b.slot]);
  mounting.done(7, a.slot, "damaged");
  mounting.done(7, b.slot, null);
  deepStrictEqual(replies, [[7, { error: "damaged" }]]);
  strictEqual(mounting.packages, ONE);
  for (const { posted } of [a, b]) deepStrictEqual(posted.at(-1), { op: "packages", id: 7, packages: ONE });
  mounting.done(7, a.slot, null);
  strictEqual(replies.length, 1);
});

Deno.test("an answer that nobody asked for changes nothing", () => {
  const { replies, mounting } = start();
  mounting.done(3, slot().slot, "no");
  deepStrictEqual([replies, mounting.packages], [[], []]);
});

Deno.test("a worker that stands still is not waited for, and gets the packages with its answer", () => {
  const { replies, mounting } = start();
  const [a, b] = [slot(), slot()];
  Object.assign(a.slot, { blocked: true });
  mounting.set(1, ONE, [a.slot, b.slot]);
  mounting.done(1, b.slot, null);
  deepStrictEqual(replies, [[1, {}]]);
  deepStrictEqual([
    mounting.takeMissedPackages(b.slot),
    mounting.takeMissedPackages(a.slot),
    mounting.takeMissedPackages(a.slot),
  ], [undefined, ONE, undefined]);
});

Deno.test("one that begins to stand still meanwhile is not waited for any more", () => {
  const { replies, mounting } = start();
  const a = slot();
  mounting.set(1, ONE, [a.slot]);
  mounting.noteBlocked(a.slot);
  mounting.noteBlocked(a.slot);
  mounting.done(1, a.slot, null);
  deepStrictEqual([replies, mounting.takeMissedPackages(a.slot)], [[[1, {}]], ONE]);
});
