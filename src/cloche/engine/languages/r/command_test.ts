import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Program, readCommand } from "./command.ts";

function read(words: string[]): Program {
  const program = readCommand(words);
  if (typeof program === "string") throw new Error(program);
  return program;
}

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
  strictEqual(read(["R", "--slave", "--no-save"]).file, "-");
  strictEqual(read(["R", "-f", "x.R"]).file, "x.R");
  strictEqual(read(["R", "--file=x.R", "--args", "1"]).file, "x.R");
  deepStrictEqual(read(["R", "-e", "1", "--args", "a"]).args.slice(-2), ["--args", "a"]);
  strictEqual(read(["Rscript", "-"]).file, "-");
});

Deno.test("the version is no program", () => {
  strictEqual(readCommand(["R", "--version"]), "version");
  strictEqual(readCommand(["Rscript", "--version"]), "version");
  strictEqual(readCommand(["Rscript", "--help"]), "help");
  strictEqual(readCommand(["R", "-e"]), "-e needs an expression");
  strictEqual(read(["Rscript", "x.R", "--help"]).file, "x.R");
});
