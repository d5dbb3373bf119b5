import { deepStrictEqual } from "node:assert/strict";
import { COMMAND_NAMES } from "./command_names.ts";
import { type CommandServices, sandboxCommands } from "./programs/sandbox_commands.ts";

Deno.test("every command of a sandbox's shell is listed, and no other", () => {
  const names = new Set(sandboxCommands({} as CommandServices).map(({ name }) => name));
  deepStrictEqual([...COMMAND_NAMES].sort(), [...names].sort());
});

Deno.test("words that only a shell understands are no programs", () => {
  const words = ["alias", "unalias", "cd", "history", "help", "export", "source"];
  deepStrictEqual(words.filter((name) => COMMAND_NAMES.has(name)), []);
});
