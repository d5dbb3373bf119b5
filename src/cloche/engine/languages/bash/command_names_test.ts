import { deepStrictEqual, ok } from "node:assert/strict";
import { SHELL_COMMANDS } from "./command_list.ts";
import { COMMAND_NAMES } from "./command_names.ts";
import { Bench } from "./harness_test.ts";

Deno.test("every command of the shell is listed, and no other", async () => {
  await using bench = new Bench();
  const names = (await bench.out("ls /usr/bin")).trim().split("\n");
  deepStrictEqual(SHELL_COMMANDS.toSorted(), names.sort());
});

Deno.test("the commands of languages and package managers are there too", () => {
  for (const name of ["python3", "node", "perl", "pip", "npm", "curl"]) ok(COMMAND_NAMES.has(name), name);
});
