/** All programs of the shell: ours, just-bash's where we have none, and those of the caller. */
import { Bash, type Command as JustBashCommand, InMemoryFs } from "just-bash";
import { bashCommands, loadModules } from "../commands/index.ts";
import { loadCommands, streamingCommands } from "../shell/commands/index.ts";
import { bashCommand } from "../shell/processes/bash_command.ts";
import type { Command } from "../shell/processes/command.ts";
import { adaptCommand } from "./adapter.ts";
import { LIMITS } from "./limits.ts";

/** Commands of just-bash that are still used: what is not among them is ours, or not there. */
const STOCK = "html-to-markdown xan yq".split(" ");

/** A later one replaces an earlier one of the same name. */
export function allCommands(given: (Command | JustBashCommand)[] = []): Command[] {
  const bash = new Bash({ fs: new InMemoryFs(), executionLimits: LIMITS, defenseInDepth: false });
  const { commands: stock } = bash as unknown as { commands: Map<string, JustBashCommand> };
  const adapt = (command: Command | JustBashCommand) =>
    "run" in command ? command : adaptCommand(command, stock.get(command.name));
  const shells = ["bash", "sh", "dash"].map(bashCommand);
  const kept = STOCK.flatMap((name) => stock.get(name) ?? []);
  return [...kept, ...bashCommands, ...streamingCommands, ...shells, ...given].map(adapt);
}

/** Loads the modules of all commands, so that their compiled code is kept for later starts. */
export async function loadAllCommands(): Promise<void> {
  await Promise.all([loadCommands(), loadModules()]);
}
