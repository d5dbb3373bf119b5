import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { errorOf, type Fault } from "./errors.ts";
import { sourceOf } from "./source.ts";

function describe(fault: Partial<Fault>, code = "", refusals = new Map<string, string>()) {
  return errorOf({ type: 1, message: "", file: "<cell>", line: 1, ...fault }, { code, name: "<cell>", refusals });
}

Deno.test("an exception that nobody caught has its class, message and line", () => {
  const message = "Uncaught App\\Oops: no in x:1 in <cell>:3\nStack trace:\n#0 <cell>(5): f()\n#1 {main}\n  thrown";
  const error = describe({ message, line: 3 });
  deepStrictEqual([error.type, error.message, error.line], ["App\\Oops", "no in x:1", 3]);
  strictEqual(
    error.traceback,
    "Fatal error: Uncaught App\\Oops: no in x:1 in <cell>:3\nStack trace:\n#0 <cell>(5): f()\n#1 {main}",
  );
});

Deno.test("of a chain the last one counts", () => {
  const message = "Uncaught A: one in <cell>:1\nStack trace:\n#0 {main}\n\nNext B: two in <cell>:2\nStack trace:\n" +
    "#0 {main}\n  thrown";
  const error = describe({ message, line: 2 });
  deepStrictEqual([error.type, error.message], ["B", "two"]);
});

Deno.test("an error in a file is in the line that called it", () => {
  const message = "Uncaught Error: x in /workspace/a.php:9\nStack trace:\n#0 /workspace/a.php(3): g()\n" +
    "#1 <cell>(4): f()\n#2 {main}\n  thrown";
  strictEqual(describe({ message, file: "/workspace/a.php", line: 9 }).line, 4);
  strictEqual(describe({ message: "x", file: "/workspace/a.php", line: 9 }).line, null);
});

Deno.test("a text that is like no exception is reported as it is", () => {
  const error = describe({ message: "Uncaught whatever\n  thrown" });
  deepStrictEqual([error.type, error.message], ["FatalError", "whatever"]);
});

Deno.test("an open bracket is in the line where it began", () => {
  const error = describe({ type: 4, message: "Unclosed '{' on line 2", line: 7 });
  deepStrictEqual([error.type, error.line], ["ParseError", 2]);
});

Deno.test("hints", () => {
  const hint = (message: string, code = "", type = 1, line = 1) => describe({ message, type, line }, code).message;
  const uncaught = (text: string) => `Uncaught Error: ${text} in <cell>:1\nStack trace:\n#0 {main}\n  thrown`;
  ok(hint('syntax error, unexpected variable "$b"', "$a = 1\n$b = 2;", 4, 2).endsWith("at the end of line 1?"));
  ok(!hint('syntax error, unexpected token "="', "$a = 1;\n$b = = 2;", 4, 2).includes("hint"));
  ok(hint(uncaught("Call to undefined function mysqli_connect()")).includes("extension mysqli"));
  ok(hint(uncaught("Call to undefined function proc_open()")).includes("shell_exec"));
  ok(hint(uncaught('Class "Fiber" not found')).includes("generators"));
  ok(hint(uncaught('Undefined constant "total"')).includes("$total"));
  ok(!hint(uncaught('Class "Mine" not found')).includes("hint"));
  const refusals = new Map([["A\\B", "no package is known for it"]]);
  ok(
    describe({ message: uncaught('Class "A\\B" not found') }, "", refusals).message.endsWith(
      "no package is known for it",
    ),
  );
});

Deno.test("a cell becomes a file whose lines are where they were", () => {
  strictEqual(sourceOf("echo 1;\necho 2;"), "<?php echo 1;\necho 2;");
  strictEqual(sourceOf("<?php\necho 1;"), "<?php \necho 1;");
  strictEqual(sourceOf("\n\n <?PHP echo 1;"), "<?php \n\n echo 1;");
  strictEqual(sourceOf("#!/usr/bin/env php\n<?php echo 1;"), "<?php \n echo 1;");
  strictEqual(sourceOf("\n<?= 1 ?>"), "<?php \n?><?= 1 ?>");
  strictEqual(sourceOf("<p>\n<?= 1 ?></p>"), "<p>\n<?= 1 ?></p>");
  strictEqual(sourceOf("<<<A\n<?= 1\nA"), "<?php <<<A\n<?= 1\nA");
  strictEqual(sourceOf("<?phpx"), "<?php <?phpx");
});
