import { writeLines } from "./write_lines.ts";

Deno.test("a file of events has one event a line, and all of it", async () => {
  const events = Array.from({ length: 5000 }, (_, id) => ({ id, timestamp: "", content: `line\n${id} ü` }));
  const lines = (await writeLines(events)).join("").trimEnd().split("\n");
  if (lines.length !== 5000) throw new Error(`${lines.length} lines`);
  if (lines.some((line, id) => JSON.parse(line).content !== `line\n${id} ü`)) throw new Error("another event");
});
