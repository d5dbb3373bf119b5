/** uname, id, nproc and the like. They describe the sandbox, never the host. */
import { emptyResult } from "../just_bash/results.ts";
import { CommandError, type Context, defineCommand, readOptions, textResult } from "./command.ts";

const SYSTEM = {
  s: "Linux",
  n: "cloche",
  r: "6.1.0-cloche",
  v: "#1 SMP PREEMPT_DYNAMIC",
  m: "x86_64",
  p: "x86_64",
  i: "x86_64",
  o: "GNU/Linux",
};
const UID = 1000;

const uname = defineCommand("uname", (args) => {
  const given = readOptions(args, "asnrvmpio", {
    all: "a",
    "kernel-name": "s",
    nodename: "n",
    "kernel-release": "r",
    machine: "m",
    "operating-system": "o",
    processor: "p",
  });
  const letters = given.has("a") ? [..."snrvmo"] : [..."snrvmpio"].filter((letter) => given.has(letter));
  const shown = (letters.length > 0 ? letters : ["s"]).map((letter) => SYSTEM[letter as keyof typeof SYSTEM]);
  return textResult(shown.join(" ") + "\n");
});

function userOf(ctx: Context): string {
  return ctx.env.get("USER") || "user";
}

const id = defineCommand("id", (args, ctx) => {
  const given = readOptions(args, "ugGnrza", { user: "u", group: "g", groups: "G", name: "n", real: "r" });
  const name = userOf(ctx);
  const asked = given.rest[0];
  if (asked !== undefined && asked !== name && asked !== String(UID)) {
    throw new CommandError(`'${asked}': no such user`);
  }
  if (given.has("u") || given.has("g") || given.has("G")) return textResult(`${given.has("n") ? name : UID}\n`);
  return textResult(`uid=${UID}(${name}) gid=${UID}(${name}) groups=${UID}(${name})\n`);
});

const whoami = defineCommand("whoami", (_args, ctx) => textResult(userOf(ctx) + "\n"));
const logname = defineCommand("logname", (_args, ctx) => textResult(userOf(ctx) + "\n"));
const groups = defineCommand("groups", (_args, ctx) => textResult(userOf(ctx) + "\n"));
const hostname = defineCommand("hostname", () => textResult("cloche\n"));
const arch = defineCommand("arch", () => textResult("x86_64\n"));
const nproc = defineCommand("nproc", () => textResult("1\n"));
const tty = defineCommand("tty", () => textResult("not a tty\n", 1));
const sync = defineCommand("sync", () => emptyResult(0));

const uptime = defineCommand("uptime", (args) => {
  const minutes = Math.floor(performance.now() / 60000);
  const text = `up ${minutes} minute${minutes === 1 ? "" : "s"}`;
  return textResult(
    args.includes("-p")
      ? `${text}\n`
      : ` ${new Date().toISOString().slice(11, 19)} ${text},  1 user,  load average: 0.00, 0.00, 0.00\n`,
  );
});

const getconf = defineCommand("getconf", (args) => {
  const values: Record<string, string> = {
    _NPROCESSORS_ONLN: "1",
    _NPROCESSORS_CONF: "1",
    PAGE_SIZE: "4096",
    PAGESIZE: "4096",
    ARG_MAX: "2097152",
    LONG_BIT: "64",
  };
  const value = values[args[0] ?? ""];
  if (value === undefined) throw new CommandError(`Unrecognized variable \`${args[0] ?? ""}'`, 2);
  return textResult(value + "\n");
});

const locale = defineCommand(
  "locale",
  (args) => textResult(args.includes("-a") ? "C\nC.UTF-8\nPOSIX\n" : "LANG=C.UTF-8\nLC_ALL=\n"),
);

export const commands = [
  uname,
  id,
  whoami,
  logname,
  groups,
  hostname,
  arch,
  nproc,
  tty,
  sync,
  uptime,
  getconf,
  locale,
];
