import { KEPT, OutputLog } from "./output_log.ts";

function assertEquals(found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  }
}

Deno.test("text of one stream is one entry, in order with displays", async () => {
  const log = new OutputLog();
  void log.write("a", "stdout");
  void log.write("b", "stdout");
  log.show({ "text/plain": "x" });
  await log.write("c", "stderr");
  const found = log.entries.map((entry) => entry.kind === "text" ? [entry.stream, entry.text] : "display");
  assertEquals(found, [["stdout", "ab"], "display", ["stderr", "c"]]);
});

Deno.test("of a flood the last is kept, and what is not is counted", async () => {
  const log = new OutputLog();
  for (let count = 0; count < 50; count++) void log.write("x".repeat(10_000), "stdout");
  await log.write("end", "stdout");
  const kept = log.entries.reduce((sum, entry) => sum + (entry.kind === "text" ? entry.text.length : 0), 0);
  assertEquals(kept + log.dropped, 500_003);
  assertEquals(kept <= KEPT, true);
});
