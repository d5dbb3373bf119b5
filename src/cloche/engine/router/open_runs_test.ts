import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Outcome, ToHost } from "../protocol.ts";
import { OpenRuns } from "./open_runs.ts";

const OUTCOME: Outcome = { value: "1", error: null, exitCode: 0 };

class Bench {
  readonly told: unknown[] = [];
  readonly runs = new OpenRuns(
    (message: ToHost) => this.told.push(message),
    (run) => this.told.push(`over ${run}`),
  );
}

Deno.test("a run is answered once, and is over before the host hears of it", () => {
  const { runs, told } = new Bench();
  runs.begin(1, "lua");
  runs.end(1, OUTCOME, "lost");
  runs.end(1, OUTCOME, "kept");
  strictEqual(runs.close(1), false);
  deepStrictEqual(told, ["over 1", { op: "done", id: 1, outcome: OUTCOME, state: "lost" }]);
});

Deno.test("an answer says whether an interrupt came before the end", () => {
  const { runs, told } = new Bench();
  runs.begin(1, "lua");
  runs.begin(2, "lua");
  strictEqual(runs.close(1), true);
  runs.noteInterrupt();
  strictEqual(runs.close(2), true);
  for (const run of [1, 2]) runs.answer(run, OUTCOME, "kept");
  const answers = told.filter((each) => typeof each === "object");
  deepStrictEqual(answers.map((each) => (each as { interrupted?: boolean }).interrupted), [false, true]);
});

Deno.test("the runs of one language end without the others", () => {
  const { runs, told } = new Bench();
  runs.begin(1, "lua");
  runs.begin(2, "ruby");
  runs.begin(3, "lua");
  runs.endAll("lua", OUTCOME, "lost");
  deepStrictEqual([...runs.languages], [[2, "ruby"]]);
  strictEqual(told.length, 4);
});
