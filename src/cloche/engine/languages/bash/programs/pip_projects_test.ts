import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Command, ResolvedCommandContext } from "just-bash";
import { namesProject, pipCommand } from "./pip_projects.ts";

Deno.test("folders are projects; names, wheels and files of requirements are not", () => {
  for (
    const args of [
      "install .",
      "install -e .",
      "install ./lib",
      "install .[dev]",
      "install -q ../x",
      "install --editable=lib",
    ]
  ) {
    strictEqual(namesProject(args.split(" ")), true, args);
  }
  for (const args of ["install requests", "install ./x-1-py3-none-any.whl", "install -r ./r.txt", "list", "show ./x"]) {
    strictEqual(namesProject(args.split(" ")), false, args);
  }
});

Deno.test("projects go to Python, everything else to the host", async () => {
  const calls: string[] = [];
  const done = { stdout: "", stderr: "", exitCode: 0 };
  const host: Command = {
    name: "pip",
    execute: (args) => (calls.push(`host ${args.join(" ")}`), Promise.resolve(done)),
  };
  const pip = pipCommand(host, (argv) => (calls.push(argv.join(" ")), Promise.resolve(done)));
  await pip.execute(["install", "x"], {} as ResolvedCommandContext);
  await pip.execute(["install", "-e", "."], {} as ResolvedCommandContext);
  deepStrictEqual([pip.name, calls], ["pip", ["host install x", "python3 -m pip install -e ."]]);
});
