import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Command, CommandContext } from "../shell/processes/command.ts";
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
  const note = (who: string, argv: readonly string[]) => (calls.push(`${who}: ${argv.join(" ")}`), Promise.resolve(0));
  const host: Command = { name: "pip", run: ({ argv }) => note("host", argv) };
  const pip = pipCommand(host, (language, argv) => note(language, argv));
  for (const line of ["pip install x", "pip install -e ."]) {
    await pip.run({ argv: line.split(" ") } as unknown as CommandContext);
  }
  deepStrictEqual([pip.name, calls], ["pip", ["host: pip install x", "python: python3 -m pip install -e ."]]);
});
