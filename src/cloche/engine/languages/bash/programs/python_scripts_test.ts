import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { PackageFiles } from "../../../fs/packages.ts";
import { makeBlob, makeZip } from "../../../testing/zip_files_test.ts";
import type { CommandContext } from "../shell/processes/command.ts";
import { packageCommands } from "./python_scripts.ts";

const POINTS = `[console_scripts]
black = black:patched_main
tool.x=pkg.cli : App.main [extra]
bad name = a:b
evil = a:b"; import os
[gui_scripts]
window = pkg:main
`;

function commands(points: string) {
  const data = makeZip([{ name: "black-1.dist-info/entry_points.txt", data: points }, { name: "x.py", data: "" }]);
  const files = new PackageFiles(() => makeBlob(data), [{ name: "black", version: "1", path: "/black" }]);
  const calls: string[][] = [];
  const found = packageCommands(files, (_, argv) => {
    calls.push(argv);
    return Promise.resolve(0);
  });
  return { found, calls };
}

Deno.test("console scripts are commands, and nothing else that entry points may say", () => {
  deepStrictEqual(commands(POINTS).found.map(({ name }) => name), ["black", "tool.x"]);
  deepStrictEqual(commands("").found, []);
});

Deno.test("a console script runs its function with the words it was given", async () => {
  const { found, calls } = commands(POINTS);
  await found[1].run({ argv: ["tool.x", "--a", "b c"] } as unknown as CommandContext);
  const [[python, flag, program, ...words]] = calls;
  deepStrictEqual([python, flag, words], ["python3", "-c", ["--a", "b c"]]);
  strictEqual(program, 'import sys; sys.argv[0] = "/usr/bin/tool.x"; from pkg.cli import App; sys.exit(App.main())');
});
