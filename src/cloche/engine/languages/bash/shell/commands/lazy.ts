/** Commands whose code is loaded at their first call. */
import type { Command } from "../processes/command.ts";

/** Stands for a command of a module until that is loaded. */
export function lazyCommand(name: string, load: () => Promise<Command>): Command {
  let command: Command | undefined;
  return {
    name,
    run(context) {
      if (command) return command.run(context);
      return load().then((loaded) => (command = loaded).run(context));
    },
  };
}
