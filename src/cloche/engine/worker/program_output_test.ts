import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { OutputBuffer } from "./output_buffer.ts";
import { SharedMemory } from "./shared_memory.ts";
import { ProgramOutput } from "./program_output.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function print(wanted: { lines: number; bytes: number } | undefined, texts: string[], merge = false) {
  const shared = new SharedMemory();
  const outputBuffer = new OutputBuffer({ sent: 0, output: () => {} }, shared);
  const printed = new ProgramOutput({ outputBuffer, shared, sendOutput: () => false }, { live: false, merge, wanted });
  for (const text of texts) printed.write(text.startsWith("!") ? "stderr" : "stdout", encoder.encode(text));
  const told = shared.interrupted;
  const { exitCode, stdout, stderr } = printed.result(0);
  strictEqual(shared.interrupted, false);
  return { told, exitCode, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("what is printed is kept, each stream by itself or both as one", () => {
  deepStrictEqual(print(undefined, ["a", "!b", "c"]), { told: false, exitCode: 0, out: "ac", err: "!b" });
  deepStrictEqual(print(undefined, ["a", "!b", "c"], true), { told: false, exitCode: 0, out: "a!bc", err: "" });
});

Deno.test("a program is stopped when it goes on after its reader has left", () => {
  const line = "x".repeat(99) + "\n";
  const wanted = { lines: 2, bytes: Infinity };
  const little = print(wanted, [line, line, line, "!e"]);
  deepStrictEqual(little, { told: false, exitCode: 0, out: line + line, err: "!e" });
  const much = print(wanted, Array(100).fill(line));
  deepStrictEqual(much, { told: true, exitCode: 141, out: line + line, err: "" });
  const bytes = print({ lines: Infinity, bytes: 150 }, Array(100).fill(line));
  deepStrictEqual(bytes, { told: true, exitCode: 141, out: line + line, err: "" });
});

Deno.test("too much for a pipe ends the program with a word of why", () => {
  const piece = "x".repeat(1 << 20);
  const { told, exitCode, out, err } = print(undefined, Array(70).fill(piece));
  deepStrictEqual([told, exitCode, out.length >> 20], [true, 141, 64]);
  strictEqual(err, "stopped: too much was printed into a pipe\n");
});
