import { strictEqual } from "node:assert/strict";
import { addHint } from "./run_outcome.ts";
import type { Outcome } from "../protocol.ts";

function failed(message: string, traceback: string): Outcome {
  return { value: null, error: { type: "E", message, line: 1, column: null, traceback }, exitCode: 1 };
}

Deno.test("a hint stands in the traceback once, and where there is one", () => {
  strictEqual(addHint(failed("no\nhint: do it", "E: no\n  at 1\n")).error?.traceback, "E: no\n  at 1\nhint: do it");
  strictEqual(
    addHint(failed("no\nhint: do it", "E: no\nhint: do it\n  at 1")).error?.traceback,
    "E: no\nhint: do it\n  at 1",
  );
  strictEqual(addHint(failed("no\nhint: do it", "")).error?.traceback, "");
  strictEqual(addHint(failed("no", "E: no")).error?.traceback, "E: no");
  strictEqual(addHint({ value: "1", error: null, exitCode: 0 }).error, null);
});
