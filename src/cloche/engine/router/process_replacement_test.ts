import { deepStrictEqual } from "node:assert/strict";
import { ProcessReplacement } from "./process_replacement.ts";
import type { WorkerSlot } from "./worker_slot.ts";

class Bench {
  readonly abandoned: (string | null)[] = [];
  readonly posted: unknown[] = [];
  ready = true;
  readonly replacement = new ProcessReplacement(
    () => ({ ready: this.ready, post: (message: unknown) => this.posted.push(message) }) as unknown as WorkerSlot,
    () => "before",
    (shell) => void this.abandoned.push(shell),
  );
}

Deno.test("the shell is asked once and hands over its state once", () => {
  const { replacement, abandoned, posted } = new Bench();
  replacement.receive({ shell: "nobody asked" });
  replacement.begin();
  replacement.begin();
  deepStrictEqual([posted, abandoned], [[{ op: "query", id: 0, query: { kind: "save", code: "", cursor: 0 } }], []]);
  for (const nonsense of [null, undefined, 1, {}, { shell: 1 }, { error: "no" }]) replacement.receive(nonsense);
  deepStrictEqual(abandoned, []);
  replacement.receive({ shell: "after" });
  replacement.receive({ shell: "too late" });
  deepStrictEqual(abandoned, ["after"]);
});

Deno.test("without a shell, or with one that does not answer, the state is the one before", async () => {
  const none = new Bench();
  none.ready = false;
  none.replacement.begin();
  deepStrictEqual([none.posted, none.abandoned], [[], ["before"]]);
  const silent = new Bench();
  silent.replacement.begin();
  await new Promise((resolve) => setTimeout(resolve, 400));
  deepStrictEqual(silent.abandoned, ["before"]);
});
