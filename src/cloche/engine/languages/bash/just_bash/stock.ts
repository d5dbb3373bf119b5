/** What is used of just-bash itself. */
import { Bash, type Command, type IFileSystem, InMemoryFs } from "just-bash";
import { LIMITS } from "./limits.ts";

let commands: Map<string, Command> | undefined;

/** One of its own commands. */
export function findStock(name: string): Command {
  if (!commands) {
    const bash = new Bash({ fs: new InMemoryFs(), executionLimits: LIMITS, defenseInDepth: false });
    commands = (bash as unknown as { commands: Map<string, Command> }).commands;
  }
  const found = commands.get(name);
  if (!found) throw new Error(`just-bash has no ${name}`);
  return found;
}

/** Files in memory, for the devices. */
export function openMemoryFiles(): IFileSystem {
  return new InMemoryFs();
}
