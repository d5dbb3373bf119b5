import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { OutputBuffer } from "../output_buffer.ts";
import { SharedMemory } from "../shared_memory.ts";
import { ProgramOutput } from "./output.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Printing {
  merge?: boolean;
  flows?: "output";
  /** Whether somebody reads what flows. */
  read?: boolean;
}

function print(texts: string[], { merge = false, flows, read = true }: Printing = {}) {
  const shared = new SharedMemory();
  const outputBuffer = new OutputBuffer({ sent: 0, output: () => {} }, shared);
  const sent: string[] = [];
  const sendOutput = (program: number, stream: string, data: Uint8Array) => {
    sent.push(`${program} ${stream} ${data.length}`);
    return read;
  };
  const printed = new ProgramOutput({ outputBuffer, shared, sendOutput }, { live: false, merge, flows, program: 7 });
  for (const text of texts) printed.write(text.startsWith("!") ? "stderr" : "stdout", encoder.encode(text));
  const told = shared.interrupted;
  const { exitCode, stdout, stderr } = printed.result(0);
  strictEqual(shared.interrupted, false);
  return { told, exitCode, out: decoder.decode(stdout), err: decoder.decode(stderr), sent };
}

Deno.test("what is printed is kept, each stream by itself or both as one", () => {
  const whole = { told: false, exitCode: 0, sent: [] };
  deepStrictEqual(print(["a", "!b", "c"]), { ...whole, out: "ac", err: "!b" });
  deepStrictEqual(print(["a", "!b", "c"], { merge: true }), { ...whole, out: "a!bc", err: "" });
});

const LINE = "x".repeat(99) + "\n";

Deno.test("what flows leaves in pieces, and the rest with the result", () => {
  const { sent, out, exitCode } = print(Array(400).fill(LINE), { flows: "output" });
  strictEqual(exitCode, 0);
  const bytes = sent.map((each) => Number(each.replace("7 stdout ", "")));
  strictEqual(bytes.reduce((sum, each) => sum + each, out.length), 40_000);
  strictEqual(bytes.length > 0, true);
});

Deno.test("a program is stopped when it goes on after its reader has left", () => {
  const little = print(Array(400).fill(LINE).concat("!e"), { flows: "output", read: true });
  deepStrictEqual([little.told, little.exitCode], [false, 0]);
  const much = print(Array(400).fill(LINE), { flows: "output", read: false });
  deepStrictEqual([much.told, much.exitCode], [true, 141]);
});

Deno.test("too much to keep ends the program with a word of why", () => {
  const piece = "x".repeat(1 << 20);
  const { told, exitCode, out, err } = print(Array(70).fill(piece));
  deepStrictEqual([told, exitCode, out.length >> 20], [true, 141, 64]);
  strictEqual(err, "stopped: too much was printed\n");
});
