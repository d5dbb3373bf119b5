/** The commands that are added to just-bash's or replace them; each module is loaded on first use. */
import type { Command } from "just-bash";
import { gitCommand } from "../git/command.ts";
import { MODULES } from "./command_modules.ts";

/** Commands whose module is read at the first call. */
export const bashCommands: Command[] = [...MODULES.map(([name, load]) => lazy(name, load)), gitCommand()];

export async function loadModules(): Promise<void> {
  await Promise.all(MODULES.map(([, load]) => load()));
}

function lazy(name: string, load: (typeof MODULES)[number][1]): Command {
  let command: Command | undefined;
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      command ??= (await load()).commands.find((item) => item.name === name);
      if (!command) throw new Error(`${name} is missing from its module`);
      return await command.execute(args, ctx);
    },
  };
}
