import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Package } from "../../../fs/packages.ts";
import { SinkStream } from "../shell/descriptors/devices.ts";
import { DescriptorTable } from "../shell/descriptors/table.ts";
import type { CommandContext } from "../shell/processes/command.ts";
import { npxCommand, type Program, programCommands, programsOf } from "./package_programs.ts";

function npm(name: string, at = `javascript/node_modules/${name}`): Package {
  return { name, version: "1", path: "", language: "javascript", at };
}

function programs(files: Record<string, unknown>, packages: Package[]): string[][] {
  const read = (path: string) => {
    const about = files[path.replace("/opt/languages/", "")];
    return about === undefined
      ? null
      : new TextEncoder().encode(typeof about === "string" ? about : JSON.stringify(about));
  };
  return programsOf(packages, read).map(({ name, language, file }) => [name, language, file]);
}

Deno.test("packages of npm, RubyGems and Composer say which programs they bring", () => {
  const gem: Package = { name: "rouge", version: "4", path: "", language: "ruby", at: "ruby/rouge-4" };
  const php: Package = { name: "a/b", version: "1", path: "", language: "php", at: "php/a/b" };
  const files = {
    "javascript/node_modules/@s/one/package.json": { name: "@s/one", bin: "./cli.js" },
    "javascript/node_modules/two/package.json": { name: "two", bin: { a: "bin/a.js", b: "b.mjs" } },
    "ruby/rouge-4/cloche.json": { executables: ["rougify"], bindir: "exe" },
    "php/a/b/composer.json": { bin: ["bin/tool"] },
  };
  deepStrictEqual(programs(files, [npm("@s/one"), npm("two"), gem, php]), [
    ["one", "javascript", "/opt/languages/javascript/node_modules/@s/one/cli.js"],
    ["a", "javascript", "/opt/languages/javascript/node_modules/two/bin/a.js"],
    ["b", "javascript", "/opt/languages/javascript/node_modules/two/b.mjs"],
    ["rougify", "ruby", "/opt/languages/ruby/rouge-4/exe/rougify"],
    ["tool", "php", "/opt/languages/php/a/b/bin/tool"],
  ]);
});

Deno.test("programs that lead out of a package, have odd names, or belong to another's own package are none", () => {
  const bin = { "a b": "a.js", "../x": "x.js", up: "../../up.js", root: "/etc/x", none: 1, $: "y.js" };
  const files = {
    "javascript/node_modules/odd/package.json": { bin },
    "javascript/node_modules/odd/node_modules/inner/package.json": { name: "inner", bin: "i.js" },
    "javascript/node_modules/broken/package.json": "{",
    "javascript/node_modules/list/package.json": [1],
  };
  const inner = npm("inner", "javascript/node_modules/odd/node_modules/inner");
  deepStrictEqual(programs(files, [npm("odd"), inner, npm("broken"), npm("list"), npm("absent")]), []);
});

Deno.test("a program is run by its language, with the words it was given", async () => {
  const calls: unknown[] = [];
  const program: Program = { name: "tool", language: "ruby", file: "/opt/languages/ruby/t-1/exe/tool" };
  const [command] = programCommands([program], (language, argv) => {
    calls.push([language, argv]);
    return Promise.resolve(0);
  });
  await command.run({ argv: ["tool", "-a", "b c"] } as unknown as CommandContext);
  deepStrictEqual(calls, [["ruby", ["ruby", program.file, "-a", "b c"]]]);
});

function npx(installed = 0) {
  const log: string[][] = [];
  const here: Program[] = [];
  let said = "";
  const fds = new DescriptorTable();
  fds.set(2, new SinkStream("pipe", (bytes) => said += new TextDecoder().decode(bytes)));
  const spawn = (argv: string[]) => {
    log.push(argv);
    here[0] = { name: "moo", language: "javascript", file: "/opt/languages/javascript/node_modules/cow/cli.js" };
    return { pid: 1, done: installed, kill() {} };
  };
  const command = npxCommand(() => here, (_, argv) => (log.push(argv), Promise.resolve(0)));
  const run = async (...args: string[]) => {
    const code = await command.run({ argv: ["npx", ...args], fds, spawn } as unknown as CommandContext);
    return { code, said };
  };
  return { log, run };
}

Deno.test("npx installs what is missing once, and runs the one program of a package by the package's name", async () => {
  const { log, run } = npx();
  await run("-y", "cow", "hello", "-y");
  await run("cow", "again");
  await run("cow@2", "new");
  await run("-p", "cow", "moo");
  const cli = "/opt/languages/javascript/node_modules/cow/cli.js";
  deepStrictEqual(log, [
    ["npm", "install", "--silent", "cow"],
    ["node", cli, "hello", "-y"],
    ["node", cli, "again"],
    ["npm", "install", "--silent", "cow@2"],
    ["node", cli, "new"],
    ["npm", "install", "--silent", "cow"],
    ["node", cli],
  ]);
});

Deno.test("npx installs nothing for what the shell itself runs", async () => {
  const { log, run } = npx();
  await run("tsx", "a.ts", "x");
  deepStrictEqual(log, [["tsx", "a.ts", "x"]]);
});

Deno.test("npx says what it lacks", async () => {
  strictEqual((await npx().run()).code, 2);
  strictEqual((await npx().run("sheep")).said, "npx: sheep brings no command\n");
  strictEqual((await npx(1).run("cow")).code, 1);
});
