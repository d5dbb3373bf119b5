/** uname, id, df, ps and the like. They describe the sandbox, never the host. */
import { FIXED_LIMITS, RUN_LIMITS } from "../../../limits.ts";
import { emptyResult } from "../interpreter/just_bash_types.ts";
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
const MEMORY_KB = FIXED_LIMITS.memoryMb * 1024;
const DISK_KB = RUN_LIMITS.filesLimit / 1024;

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

function human(kb: number): string {
  const units = ["K", "M", "G"];
  let value = kb;
  while (value >= 1024 && units.length > 1) {
    value /= 1024;
    units.shift();
  }
  return `${value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value)}${units[0]}`;
}

const df = defineCommand("df", (args) => {
  const given = readOptions(args, "hkmTaPilHB:t:x:", {
    "human-readable": "h",
    "print-type": "T",
    all: "a",
    portability: "P",
  });
  const size = (kb: number) =>
    given.has("h") || given.has("H") ? human(kb) : String(given.has("m") ? Math.ceil(kb / 1024) : kb);
  const mounts = given.rest.length > 0 ? given.rest.map(() => "/workspace") : ["/workspace"];
  const head = given.has("h") || given.has("H") ? "Size" : given.has("m") ? "1M-blocks" : "1K-blocks";
  const rows = mounts.map((mount) =>
    `${"sandbox".padEnd(14)} ${size(DISK_KB).padStart(9)} ${"0".padStart(9)} ${
      size(DISK_KB).padStart(9)
    }   0% ${mount}\n`
  );
  return textResult(
    `${"Filesystem".padEnd(14)} ${head.padStart(9)} ${"Used".padStart(9)} Available Use% Mounted on\n${rows.join("")}`,
  );
});

const free = defineCommand("free", (args) => {
  const given = readOptions(args, "hmgkbs:c:tw", { human: "h", mega: "m", giga: "g" });
  const size = (kb: number) =>
    given.has("h")
      ? `${human(kb)}i`
      : String(given.has("m") ? Math.floor(kb / 1024) : given.has("g") ? Math.floor(kb / 1048576) : kb);
  const row = (name: string, values: number[]) =>
    name.padEnd(8) + values.map((value) => size(value).padStart(12)).join("") + "\n";
  const head = " ".repeat(8) +
    ["total", "used", "free", "shared", "buff/cache", "available"].map((name) => name.padStart(12)).join("");
  return textResult(`${head}\n${row("Mem:", [MEMORY_KB, 0, MEMORY_KB, 0, 0, MEMORY_KB])}${row("Swap:", [0, 0, 0])}`);
});

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
  df,
  free,
  uptime,
  getconf,
  locale,
];
