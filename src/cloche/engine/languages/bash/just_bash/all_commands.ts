/** All programs of the shell: ours, just-bash's where we have none, and those of the caller. */
// just-bash imports it, and it cannot be loaded any more once guests run.
import "node:module";
import type { Command as JustBashCommand } from "just-bash";
import { gitCommand } from "../git/command.ts";
import { loadCommands, streamingCommands } from "../shell/commands/index.ts";
import { bashCommand } from "../shell/processes/bash_command.ts";
import type { ProgramContext } from "../shell/execution/run_program.ts";
import type { Command } from "../shell/processes/command.ts";
import { loadLater } from "./command.ts";

/** Commands of just-bash that are still used: what is not among them is ours, or not there. */
const STOCK = "html-to-markdown xan yq".split(" ");

const loadRg = () => import("../rg/rg.ts");
const loadStock = () => import("./stock.ts");
const loadAdapter = () => import("./adapter.ts");

const ADAPTED = [
  gitCommand(),
  loadLater("rg", async () => (await loadRg()).rg),
  ...STOCK.map((name) => loadLater(name, async () => (await loadStock()).findStock(name))),
];

/** A later one replaces an earlier one of the same name. */
export function allCommands(given: (Command | JustBashCommand)[] = []): Command[] {
  const shells = ["bash", "sh", "dash"].map(bashCommand);
  return [...ADAPTED, ...streamingCommands, ...shells, ...given].map(adaptCommand);
}

/** One of just-bash's interface as one of the shell's: what that takes is loaded at the first call. */
function adaptCommand(command: Command | JustBashCommand): Command {
  if ("run" in command) return command;
  return {
    name: command.name,
    run: async (context) => (await loadAdapter()).runAdapted(command, context as ProgramContext),
  };
}

/** Loads the modules of all commands, so that their compiled code is kept for later starts. */
export async function loadAllCommands(): Promise<void> {
  await Promise.all([loadCommands(), loadRg(), loadStock(), loadAdapter()]);
}
