/** Commands that read and write while they run. */
import type { Command } from "../processes/command.ts";
import { cat } from "./cat.ts";
import { head } from "./head.ts";
import { sleep } from "./sleep.ts";
import { systemCommands } from "./system_commands.ts";
import { tee } from "./tee.ts";
import { timeout } from "./timeout.ts";
import { yes } from "./yes.ts";

export const streamingCommands: Command[] = [cat, head, sleep, tee, timeout, yes, ...systemCommands];
