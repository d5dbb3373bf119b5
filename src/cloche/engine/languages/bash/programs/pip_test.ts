import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { OpenRequest } from "../../../worker/requests.ts";
import { SinkStream } from "../shell/descriptors/devices.ts";
import { DescriptorTable } from "../shell/descriptors/table.ts";
import type { CommandContext } from "../shell/processes/command.ts";
import { namesProject, pipCommands } from "./pip.ts";

const LISTS: Record<string, string> = { "plain.txt": "x>=1\n# ./not\n", "own.txt": "x\n-e .\n", "lib.txt": "./lib\n" };
const read = (path: string) => LISTS[path] ?? "";

Deno.test("folders and archives are projects; names, wheels and files of requirements are not", () => {
  for (
    const args of [
      "install .",
      "install -e .",
      "install ./lib",
      "install .[dev]",
      "install -q ../x",
      "install --editable=lib",
      "install x-1.0.tar.gz",
      "install -r own.txt",
      "install --requirement=lib.txt",
    ]
  ) strictEqual(namesProject(args.split(" "), read), true, args);
  for (
    const args of [
      "install requests",
      "install ./x-1-py3-none-any.whl",
      "install -r ./r.txt",
      "install -r plain.txt",
      "install https://x.org/x.tar.gz",
      "list",
      "show ./x",
    ]
  ) strictEqual(namesProject(args.split(" "), read), false, args);
});

function pip(answer: unknown) {
  const calls: string[] = [];
  const ask = ({ args }: { args?: string[] }) => {
    calls.push(`host: ${args?.join(" ")}`);
    return { read: () => Promise.resolve(null), data: Promise.resolve(answer), close() {} } as unknown as OpenRequest;
  };
  const start = (
    language: string,
    argv: string[],
  ) => (calls.push(`${language}: ${argv.join(" ")}`), Promise.resolve(0));
  const [command] = pipCommands(ask as never, () => {}, start);
  const fds = new DescriptorTable();
  for (const fd of [1, 2]) fds.set(fd, new SinkStream("pipe", (bytes) => calls.push(new TextDecoder().decode(bytes))));
  const run = async (line: string) =>
    await command.run({ argv: line.split(" "), fds, cwd: "/" } as unknown as CommandContext);
  return { calls, run };
}

Deno.test("projects go to Python, everything else to the host", async () => {
  const { calls, run } = pip({ exit: 3 });
  strictEqual(await run("pip install x"), 3);
  strictEqual(await run("pip install -e ."), 0);
  deepStrictEqual(calls, ["host: install x", "python: python3 -m pip install -e ."]);
});

Deno.test("what has no wheel is built by Python", async () => {
  const { calls, run } = pip({ exit: 1, source: "x==1", error: "no wheel" });
  strictEqual(await run("pip install y"), 0);
  deepStrictEqual(calls, ["host: install y", "python: python3 -m pip --from-source x==1 no wheel install y"]);
});
