import { strictEqual } from "node:assert/strict";
import { Bench } from "../harness_test.ts";
import { reasonOf, sayPlainly } from "./file_errors.ts";

Deno.test("errors of files read as on a real machine", () => {
  const cases: Record<string, string> = {
    "cat: x: EACCES: permission denied, open '/etc/x'": "cat: x: Permission denied",
    "mv: cannot move 'a' to 'b': EROFS: read-only file system, '/mnt/b'":
      "mv: cannot move 'a' to 'b': Read-only file system",
    "tee: ENOSPC: no space left on device, write": "tee: No space left on device",
    "split: EACCES: permission denied, '/etc/xaa'": "split: /etc/xaa: Permission denied",
    "nl: ENOENT: no such file or directory, '/workspace/a/b'": "nl: a/b: No such file or directory",
    "patch: EACCES: permission denied, '<path>'": "patch: Permission denied",
    "ln: y: EEXIST: file already exists, symlink 'x' -> 'y'": "ln: y: File exists",
    "bash: f: maximum recursion depth (9) exceeded, increase executionLimits.maxCallDepth":
      "bash: f: maximum recursion depth (9) exceeded",
    "say: EVERYTHING: is fine": "say: EVERYTHING: is fine",
    "note: see ENOENT": "note: see ENOENT",
  };
  for (const [raw, plain] of Object.entries(cases)) strictEqual(sayPlainly(raw, "/workspace"), plain);
  strictEqual(reasonOf(Object.assign(new Error("EPERM: no"), { code: "EPERM" })), "Operation not permitted");
  strictEqual(reasonOf(new Error("something else")), "something else");
});

Deno.test("what a script itself says is left as it is", async () => {
  await using bench = new Bench();
  const text = "x: EACCES: permission denied, open 'y'";
  strictEqual((await bench.run(`echo "${text}" >&2`)).err, `${text}\n`);
});
