/** Commands whose code is loaded at their first call. */
import type { Command } from "../../processes/command.ts";

/** The names of a module's commands, and what loads it. Each command is one of its exports, or in a list of them. */
export type CommandModule = [names: string, load: () => Promise<object>];

export function lazyCommands(modules: CommandModule[]): Command[] {
  return modules.flatMap(([names, load]) => names.split(" ").map((name) => lazyCommand(name, load)));
}

/** Stands for a command until its module is loaded. */
function lazyCommand(name: string, load: () => Promise<object>): Command {
  let command: Command | undefined;
  return {
    name,
    run(context) {
      if (command) return command.run(context);
      return load().then((module) => (command = findCommand(module, name)).run(context));
    },
  };
}

function findCommand(module: object, name: string): Command {
  const found = Object.values(module).flat().find((item) => isCommand(item) && item.name === name);
  if (!found) throw new Error(`the command ${name} is missing from its module`);
  return found;
}

function isCommand(item: unknown): item is Command {
  return typeof item === "object" && item !== null && "name" in item && "run" in item;
}
