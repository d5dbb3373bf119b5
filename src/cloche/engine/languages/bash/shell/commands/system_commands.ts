/** make, compression, archives, processes, dates and other tools of a system; each is loaded at its first call. */
import type { Command } from "../processes/command.ts";
import { lazyCommand } from "./lazy.ts";

/** Modules that have several commands. */
const MODULES: [names: string, load: () => Promise<Command[]>][] = [
  ["make gmake", async () => (await import("./make/make.ts")).makeCommands],
  [
    "xz unxz xzcat lzcat unlzma bzip2 bunzip2 bzcat zstd unzstd zstdcat",
    async () => (await import("./compression/commands.ts")).compressionCommands,
  ],
  ["date", async () => [(await import("./dates/date.ts")).date]],
  ["cal", async () => [(await import("./dates/cal.ts")).cal]],
  [
    "env printenv nohup nice setsid ionice stdbuf sudo time",
    async () => (await import("./system/wrappers.ts")).wrapperCommands,
  ],
  ["ps", async () => [(await import("./system/ps.ts")).ps]],
  ["pgrep pkill killall kill", async () => (await import("./system/kill_by_name.ts")).killCommands],
  ["dd", async () => [(await import("./system/dd.ts")).dd]],
  [
    "uname id groups whoami logname users who w hostname arch nproc tty sync uptime",
    async () => (await import("./system/info.ts")).infoCommands,
  ],
  ["openssl", async () => [(await import("./openssl/openssl.ts")).openssl]],
  ["ar", async () => [(await import("./archives/ar.ts")).ar]],
  ["cpio", async () => [(await import("./archives/cpio.ts")).cpio]],
  ["less more pager", async () => (await import("./terminal/pager.ts")).pagerCommands],
  ["watch", async () => [(await import("./terminal/watch.ts")).watch]],
];

async function findCommand(load: () => Promise<Command[]>, name: string): Promise<Command> {
  const found = (await load()).find((command) => command.name === name);
  if (!found) throw new Error(`${name} is missing from its module`);
  return found;
}

export const systemCommands: Command[] = MODULES.flatMap(([names, load]) =>
  names.split(" ").map((name) => lazyCommand(name, () => findCommand(load, name)))
);
