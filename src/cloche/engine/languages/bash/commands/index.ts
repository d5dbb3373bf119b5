/** The commands added to just-bash's, or put in place of them; each group is loaded when one of it is first used. */
import type { Command } from "just-bash";
import { gitCommand } from "../git/command.ts";

type Group = () => Promise<{ commands: Command[] }>;

const GROUPS: [names: string, load: Group][] = [
  ["sleep", () => import("./sleep.ts")],
  ["xxd hexdump od", () => import("./hex.ts")],
  ["diff cmp", () => import("./diff/diff.ts")],
  ["patch", () => import("./diff/patch.ts")],
  ["zip unzip", () => import("./zip/zip.ts")],
  ["cksum sum sha384sum sha512sum", () => import("./checksums.ts")],
  ["head cut uniq paste split shuf seq yes", () => import("./line_tools.ts")],
  ["ls", () => import("./ls/ls.ts")],
  ["tr wc", () => import("./character_tools.ts")],
  ["sort", () => import("./sort.ts")],
  ["xargs", () => import("./xargs.ts")],
  ["grep egrep fgrep", () => import("./grep.ts")],
  ["rg", () => import("../rg/command.ts")],
  ["date", () => import("./date.ts")],
  ["bc", () => import("./bc/bc.ts")],
  ["sed find expr cp tar awk", () => import("./just_bash_commands.ts")],
  ["rm mv", () => import("./rm_mv.ts")],
  ["stat", () => import("./stat.ts")],
  ["mktemp install realpath truncate dd unlink link", () => import("./file_tools.ts")],
  [
    "sudo nohup nice ionice stdbuf setsid env printenv bash sh dash clear reset stty tput",
    () => import("./wrappers.ts"),
  ],
  [
    "uname id whoami logname groups hostname arch nproc tty sync df free uptime getconf locale",
    () => import("./system_info.ts"),
  ],
  [
    "apt apt-get brew yum dnf apk docker systemctl ssh mkfifo sqlite3",
    () => import("./unavailable.ts"),
  ],
];

/** Commands whose module is read at the first call. */
export const commands: Command[] = [
  ...GROUPS.flatMap(([names, load]) => names.split(" ").map((name) => lazy(name, load))),
  gitCommand(),
];

function lazy(name: string, load: Group): Command {
  let command: Command | undefined;
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      command ??= (await load()).commands.find((item) => item.name === name);
      if (!command) throw new Error(`${name} is missing from its module`);
      return await command.execute(args, ctx);
    },
  };
}
