import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { decodeField, packFields, unpackFields } from "./field_lists.ts";
import { localProgram, readCall } from "./programs.ts";
import { SCRATCH } from "./vm/memory_layout.ts";
import { Stacks } from "./vm/large_stacks.ts";

const base = { stdin: null, cwd: "/", env: {}, live: false, merge: false };

Deno.test("a list goes through the channel as it is", () => {
  const fields = ["", "a\nb", "\u{1f33f}", new Uint8Array([0, 255])];
  deepStrictEqual(unpackFields(packFields(fields)).map((field) => [...field]).at(-1), [0, 255]);
  deepStrictEqual(unpackFields(packFields(fields)).slice(0, 3).map((field) => decodeField(field)), fields.slice(0, 3));
  deepStrictEqual(unpackFields(packFields(["whole", "cut"]).subarray(0, -1)).map((field) => decodeField(field)), [
    "whole",
  ]);
  deepStrictEqual(unpackFields(new Uint8Array([255, 255, 255, 255, 1])), []);
});

Deno.test("a program is read from its fields, whatever is missing", () => {
  const { request, kept } = readCall(
    unpackFields(packFields(["argv", "kmi", "/tmp", "in", "2", "echo", "x", "A", "1", "odd"])),
  );
  deepStrictEqual([request.argv, request.cwd, request.env, request.merge, kept], [
    ["echo", "x"],
    "/tmp",
    { A: "1" },
    true,
    true,
  ]);
  strictEqual(decodeField(request.stdin ?? undefined), "in");
  strictEqual(readCall([]).request.script, "");
});

Deno.test("only plain commands are started here", () => {
  const script = (text: string) => localProgram({ ...base, script: text });
  deepStrictEqual(script("ruby -e 'puts 1' \"a b\" x"), ["ruby", "-e", "puts 1", "a b", "x"]);
  for (const other of ["ruby x | sort", "ruby $X", "ruby x > y", "rubyx", "echo ruby", 'ruby "$X"', "ruby 'open", ""]) {
    strictEqual(script(other), null, other);
  }
  deepStrictEqual(localProgram({ ...base, argv: ["ruby", "a|b"] }), ["ruby", "a|b"]);
});

Deno.test("a stack that was taken apart is put back, and no other", () => {
  const memory = new WebAssembly.Memory({ initial: 4 });
  const [bytes, stacks] = [new Uint8Array(memory.buffer), new Stacks()];
  bytes[SCRATCH] = 7;
  stacks.save(memory, 1, 100);
  bytes[SCRATCH] = 0;
  stacks.restore(memory, 1, 100);
  strictEqual(bytes[SCRATCH], 7);
  throws(() => stacks.restore(memory, 2, 100), RangeError);
  throws(() => stacks.restore(memory, 1, 99), RangeError);
  throws(() => stacks.save(memory, 1, 1 << 30), RangeError);
});
