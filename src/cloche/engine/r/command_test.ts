import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readCommand } from "./command.ts";

const EXECUTABLE = ["/usr/lib/R/bin/exec/R", "--no-echo", "--no-restore"];

Deno.test("Rscript runs a file, and what follows are its arguments", () => {
  deepStrictEqual(readCommand(["Rscript", "--vanilla", "x.R", "-e", "--flag", "a b"]), {
    code: null,
    file: "x.R",
    args: [...EXECUTABLE, "--file=x.R", "--args", "-e", "--flag", "a b"],
  });
});

Deno.test("expressions are joined by lines", () => {
  const program = readCommand(["Rscript", "-e", "1", "-e", "2", "arg"]);
  deepStrictEqual(program, { code: "1\n2", file: "-e", args: [...EXECUTABLE, "-e", "--args", "arg"] });
});

Deno.test("R takes its program from standard input, a file or the line", () => {
  strictEqual(readCommand(["R", "--slave", "--no-save"])?.file, "-");
  strictEqual(readCommand(["R", "-f", "x.R"])?.file, "x.R");
  strictEqual(readCommand(["R", "--file=x.R", "--args", "1"])?.file, "x.R");
  deepStrictEqual(readCommand(["R", "-e", "1", "--args", "a"])?.args.slice(-2), ["--args", "a"]);
  strictEqual(readCommand(["Rscript", "-"])?.file, "-");
  strictEqual(readCommand(["R", "-e"])?.code, "");
});

Deno.test("the version is no program", () => {
  strictEqual(readCommand(["R", "--version"]), null);
  strictEqual(readCommand(["Rscript", "--version"]), null);
});
