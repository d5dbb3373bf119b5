/** uname, id, hostname and the like. They describe the sandbox, never the host. */
import { isTerminal } from "../../descriptors/terminal.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { complain, print } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { Command } from "../../processes/command.ts";
import { HOST_NAME } from "../../processes/kernel.ts";
import { userOf } from "./processes.ts";

const SYSTEM: Record<string, string> = {
  s: "Linux",
  n: HOST_NAME,
  r: "6.1.0-cloche",
  v: "#1 SMP PREEMPT_DYNAMIC",
  m: "x86_64",
  p: "unknown",
  i: "unknown",
  o: "GNU/Linux",
};
const UNAME = {
  all: "a",
  "kernel-name": "s",
  nodename: "n",
  "kernel-release": "r",
  "kernel-version": "v",
  machine: "m",
  processor: "p",
  "hardware-platform": "i",
  "operating-system": "o",
};
const UID = "1000";

function refuseOperands(given: Given): void {
  if (given.operands.length > 0) throw new UsageError(`extra operand '${given.operands[0]}'`, 1);
}

const uname = defineTool("uname", { letters: "asnrvmpio", long: UNAME }, ({ context, given }) => {
  refuseOperands(given);
  const asked = [..."snrvmpio"].filter((letter) => given.has(letter));
  const letters = given.has("a") ? [..."snrvmo"] : asked.length > 0 ? asked : ["s"];
  return print(context, `${letters.map((letter) => SYSTEM[letter]).join(" ")}\n`);
});

const ID = { user: "u", group: "g", groups: "G", name: "n", real: "r", zero: "z", context: "Z" };

const id = defineTool("id", { letters: "ugGnrzaZ", long: ID }, async ({ context, given }) => {
  const name = userOf(context);
  const kinds = ["u", "g", "G"].filter((letter) => given.has(letter));
  if (given.has("Z")) throw new CommandError("--context (-Z) works only on an SELinux-enabled kernel");
  if (kinds.length > 1) throw new CommandError('cannot print "only" of more than one choice');
  if (kinds.length === 0 && (given.has("n") || given.has("r"))) {
    throw new CommandError("cannot print only names or real IDs in default format");
  }
  let code = 0;
  for (const asked of given.operands.length > 0 ? given.operands : [name]) {
    const user = [[name, UID], ["root", "0"]].find((each) => each.includes(asked));
    if (!user) {
      complain(context, `id: '${asked}': no such user`);
      code = 1;
      continue;
    }
    const [title, number] = user;
    const whole = `uid=${number}(${title}) gid=${number}(${title}) groups=${number}(${title})`;
    const text = kinds.length === 0 ? whole : given.has("n") ? title : number;
    await print(context, `${text}${given.has("z") ? "\0" : "\n"}`);
  }
  return code;
});

const groups = defineTool("groups", {}, async ({ context, given }) => {
  const name = userOf(context);
  if (given.operands.length === 0) return await print(context, `${name}\n`);
  let code = 0;
  for (const asked of given.operands) {
    if (asked === name) await print(context, `${name} : ${name}\n`);
    else {
      complain(context, `groups: '${asked}': no such user`);
      code = 1;
    }
  }
  return code;
});

function userTool(name: string): Command {
  return defineTool(name, {}, ({ context, given }) => {
    refuseOperands(given);
    return print(context, `${userOf(context)}\n`);
  });
}

/** Nobody has logged in. */
function nobody(name: string, letters: string): Command {
  return defineTool(name, { letters }, () => 0);
}

const HOSTNAME = { short: "s", fqdn: "f", long: "f", "ip-address": "i", "all-ip-addresses": "I", domain: "d" };

const hostname = defineTool("hostname", { letters: "sfiIdAy", long: HOSTNAME }, ({ context, given }) => {
  if (given.operands.length > 0) throw new CommandError("you must be root to change the host name");
  if (given.has("d") || given.has("y")) return print(context, "\n");
  return print(context, given.has("i") || given.has("I") ? "127.0.0.1\n" : `${HOST_NAME}\n`);
});

const arch = defineTool("arch", {}, ({ context, given }) => {
  refuseOperands(given);
  return print(context, "x86_64\n");
});

const nproc = defineTool("nproc", { letters: "ai:", long: { all: "a", ignore: "i" } }, ({ context, given }) => {
  refuseOperands(given);
  const ignored = given.get("i");
  if (ignored !== undefined && !/^\d+$/.test(ignored)) throw new CommandError(`invalid number: '${ignored}'`);
  return print(context, "1\n");
});

const tty = defineTool(
  "tty",
  { letters: "s", long: { silent: "s", quiet: "s" }, code: 2 },
  async ({ context, given }) => {
    if (given.operands.length > 0) throw new UsageError(`extra operand '${given.operands[0]}'`, 2);
    const terminal = isTerminal(context.fds, 0);
    if (!given.has("s")) await print(context, terminal ? "/dev/pts/0\n" : "not a tty\n");
    return terminal ? 0 : 1;
  },
);

const sync = defineTool("sync", { letters: "df", long: { data: "d", "file-system": "f" } }, ({ context, given }) => {
  let code = 0;
  for (const name of given.operands) {
    try {
      context.files.stat(context.files.resolve(context.cwd, name));
    } catch (error) {
      complain(context, `sync: error opening '${name}': ${reasonOf(error)}`);
      code = 1;
    }
  }
  return code;
});

function describeUptime(minutes: number): string {
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const part = (value: number, name: string) => value > 0 ? [`${value} ${name}${value === 1 ? "" : "s"}`] : [];
  const parts = [...part(days, "day"), ...part(hours, "hour"), ...part(rest, "minute")];
  return parts.length > 0 ? parts.join(", ") : "0 minutes";
}

const uptime = defineTool("uptime", { letters: "ps", long: { pretty: "p", since: "s" } }, ({ context, given }) => {
  const minutes = Math.floor(performance.now() / 60_000);
  const shown = (date: Date) => date.toISOString().slice(0, 19).replace("T", " ");
  if (given.has("s")) return print(context, `${shown(new Date(Date.now() - performance.now()))}\n`);
  if (given.has("p")) return print(context, `up ${describeUptime(minutes)}\n`);
  const clock = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
  const since = minutes < 60 ? `${minutes} min` : clock;
  return print(context, ` ${shown(new Date()).slice(11)} up ${since},  0 users,  load average: 0.00, 0.00, 0.00\n`);
});

export const infoCommands: Command[] = [
  uname,
  id,
  groups,
  userTool("whoami"),
  userTool("logname"),
  nobody("users", ""),
  nobody("who", "abdHlmpqrstTuw"),
  nobody("w", "hsfoi"),
  hostname,
  arch,
  nproc,
  tty,
  sync,
  uptime,
];
