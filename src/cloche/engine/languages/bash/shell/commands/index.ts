/** Commands that read and write while they run. */
import type { Command } from "../processes/command.ts";
import { cat } from "./cat.ts";
import { head } from "./head.ts";
import { sleep } from "./sleep.ts";
import { tee } from "./tee.ts";
import { timeout } from "./timeout.ts";
import { yes } from "./yes.ts";

/** Commands whose module is large, and is read at the first call. */
const awk = (name: string) => load(name, async () => (await import("./awk/command.ts")).awk);

function load(name: string, read: () => Promise<Command>): Command {
  let command: Command | undefined;
  return {
    name,
    run(context) {
      return command ? command.run(context) : read().then((loaded) => (command = loaded).run(context));
    },
  };
}

export const streamingCommands: Command[] = [
  cat,
  head,
  sleep,
  tee,
  timeout,
  yes,
  ...["awk", "gawk", "mawk", "nawk"].map(awk),
];
