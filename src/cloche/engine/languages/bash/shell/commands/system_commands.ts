/** make, compression, archives, processes, dates and other tools of a system; each is loaded at its first call. */
import type { Command } from "../processes/command.ts";
import { lazyCommand } from "./lazy.ts";

export const systemCommands: Command[] = [
  lazyCommand("make", async () => (await import("./make/make.ts")).make),
  lazyCommand("gmake", async () => (await import("./make/make.ts")).make),
];
