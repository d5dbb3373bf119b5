/** Commands that read and write while they run. */
import type { Command } from "../processes/command.ts";
import { cat } from "./cat.ts";
import { fileCommands } from "./files/index.ts";
import { head } from "./head.ts";
import { lazyCommand } from "./lazy.ts";
import { sleep } from "./sleep.ts";
import { systemCommands } from "./system_commands.ts";
import { tee } from "./tee.ts";
import { textCommands } from "./text/index.ts";
import { timeout } from "./timeout.ts";
import { yes } from "./yes.ts";

const awk = (name: string) => lazyCommand(name, async () => (await import("./awk/command.ts")).awk);

export const streamingCommands: Command[] = [
  cat,
  head,
  sleep,
  tee,
  timeout,
  yes,
  ...["awk", "gawk", "mawk", "nawk"].map(awk),
  ...fileCommands,
  ...textCommands,
  ...systemCommands,
];
