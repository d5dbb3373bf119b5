import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { nameIndirect, nameIndirectArguments } from "./indirect.ts";

Deno.test("programs that a block or a variable names", () => {
  strictEqual(
    nameIndirect("system { $p } @a;"),
    "Cloche::system_as { $p } @a;",
  );
  strictEqual(
    nameIndirect("exec {'ls'}\n 'ls', '-l'"),
    "Cloche::exec_as {'ls'}\n 'ls', '-l'",
  );
  strictEqual(
    nameIndirect("system { $a{x}[0] } @a"),
    "Cloche::system_as { $a{x}[0] } @a",
  );
  strictEqual(nameIndirect("system $p @a"), "Cloche::system_as { $p } @a");
});

Deno.test("everything else stays as it is", () => {
  for (
    const source of [
      "system $p, @a",
      "system($p)",
      "system 'ls {a,b}'",
      "sub system { 1 } 2",
      "$x->system { 1 }",
      "print 'system { $p } @a'",
      "# system { $p } @a",
      "print <<E;\nsystem { $p } @a\nE\n",
      "$h{system}{x} = 1",
      "system $ENV{SHELL}",
      "%h = (system => { a => 1 })",
    ]
  ) strictEqual(nameIndirect(source), source);
});

Deno.test("code among the arguments", () => {
  const code = "system { $p } @a";
  deepStrictEqual(nameIndirectArguments(["-we", code, code]), [
    "-we",
    "Cloche::system_as { $p } @a",
    code,
  ]);
});
