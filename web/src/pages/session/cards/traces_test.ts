import { splitTrace } from "./traces.ts";

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

const TRACE = 'Traceback (most recent call last):\n  File "x", line 1\nValueError: no';

Deno.test("the trace of an error is apart from what happened", () => {
  equal(splitTrace("It failed. Try again."), { message: "It failed. Try again.", trace: "" });
  equal(splitTrace(`It failed.\n\n${TRACE}\n`), { message: "It failed.", trace: TRACE });
  equal(splitTrace(TRACE), { message: "ValueError: no", trace: TRACE });
});
