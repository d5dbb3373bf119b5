/** ps: in the forms that people type. */
import { CommandError } from "../tool/errors.ts";
import { complain, print } from "../tool/tool.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import type { Process } from "../../processes/process.ts";
import { kernelOf, listProcesses, nameOfProcess, userOf } from "./processes.ts";

interface Shown {
  pid: number;
  ppid: number;
  title: string;
  name: string;
  started: number;
}

interface Column {
  head: string;
  width: number;
  right?: boolean;
  value(process: Shown, context: CommandContext): string;
}

const two = (value: number) => String(value).padStart(2, "0");

function clock(ms: number): string {
  const date = new Date(ms);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

function elapsed(process: Shown): string {
  const seconds = Math.max(0, Math.floor((Date.now() - process.started) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${two(hours)}:` : ""}${two(minutes)}:${two(seconds % 60)}`;
}

const column = (head: string, width: number, right: boolean, value: Column["value"]): Column => ({
  head,
  width,
  right,
  value,
});

const COLUMNS: Record<string, Column> = {
  pid: column("PID", 7, true, ({ pid }) => String(pid)),
  ppid: column("PPID", 7, true, ({ ppid }) => String(ppid)),
  pgid: column("PGID", 7, true, ({ pid }) => String(pid)),
  sid: column("SID", 7, true, () => "42"),
  user: column("USER", 8, false, (_, context) => userOf(context)),
  uname: column("USER", 8, false, (_, context) => userOf(context)),
  uid: column("UID", 5, true, () => "1000"),
  gid: column("GID", 5, true, () => "1000"),
  tty: column("TTY", 8, false, () => "pts/0"),
  tt: column("TT", 8, false, () => "pts/0"),
  time: column("TIME", 8, true, () => "00:00:00"),
  etime: column("ELAPSED", 11, true, elapsed),
  etimes: column("ELAPSED", 7, true, ({ started }) => String(Math.floor((Date.now() - started) / 1000))),
  stime: column("STIME", 5, false, ({ started }) => clock(started)),
  start: column("STARTED", 8, true, ({ started }) => clock(started)),
  start_time: column("START", 5, true, ({ started }) => clock(started)),
  lstart: column(
    "STARTED",
    24,
    true,
    ({ started }) => new Date(started).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (.*) GMT$/, "$1 $3 $2 $5 $4"),
  ),
  stat: column("STAT", 4, false, () => "S"),
  state: column("S", 1, false, () => "S"),
  s: column("S", 1, false, () => "S"),
  ni: column("NI", 3, true, () => "0"),
  nice: column("NI", 3, true, () => "0"),
  pri: column("PRI", 3, true, () => "19"),
  pcpu: column("%CPU", 4, true, () => "0.0"),
  "%cpu": column("%CPU", 4, true, () => "0.0"),
  c: column("C", 2, true, () => "0"),
  pmem: column("%MEM", 4, true, () => "0.0"),
  "%mem": column("%MEM", 4, true, () => "0.0"),
  vsz: column("VSZ", 6, true, () => "0"),
  rss: column("RSS", 5, true, () => "0"),
  comm: column("COMMAND", 15, false, ({ name }) => name),
  ucmd: column("CMD", 15, false, ({ name }) => name),
  args: column("COMMAND", 27, false, ({ title }) => title),
  command: column("COMMAND", 27, false, ({ title }) => title),
  cmd: column("CMD", 27, false, ({ title }) => title),
};

interface Request {
  columns: Column[];
  heads: Map<Column, string>;
  all: boolean;
  pids?: Set<number>;
  names?: Set<string>;
  noHead: boolean;
}

const FULL = ["uid", "pid", "ppid", "c", "stime", "tty", "time", "cmd"];
const BSD = ["user", "pid", "%cpu", "%mem", "vsz", "rss", "tty", "stat", "start_time", "time", "command"];
const USUAL = ["pid", "tty", "time", "ucmd"];

function addColumns(request: Request, list: string): void {
  for (const word of list.split(/[ ,]+/).filter((part) => part !== "")) {
    const [name, head] = word.split("=", 2);
    const known = COLUMNS[name.toLowerCase()];
    if (!known) throw new CommandError(`unknown user-defined format specifier "${name}"`);
    const own = { ...known };
    request.columns.push(own);
    if (head !== undefined) request.heads.set(own, head);
  }
}

function addNumbers(request: Request, text: string): void {
  request.pids ??= new Set();
  for (const word of text.split(/[ ,]+/)) {
    if (!/^\d+$/.test(word)) throw new CommandError("process ID list syntax error");
    request.pids.add(Number(word));
  }
}

function parse(args: readonly string[]): Request {
  const request: Request = { columns: [], heads: new Map(), all: false, noHead: false };
  let style = USUAL;
  for (let i = 0; i < args.length; i++) {
    const word = args[i];
    const value = (option: string) => {
      if (word.length > option.length) return word.slice(option.length);
      if (i + 1 >= args.length) throw new CommandError(`list of ${option} is missing`);
      return args[++i];
    };
    if (/^-?\d+$/.test(word)) addNumbers(request, word.replace(/^-/, ""));
    else if (/^--no-?head(?:er|ers|ing|ings)?$/.test(word)) request.noHead = true;
    else if (/^--(sort|forest|headers|width|cols|columns)\b/.test(word)) continue;
    else if (word.startsWith("--pid=")) addNumbers(request, word.slice(6));
    else if (word.startsWith("--format=")) addColumns(request, word.slice(9));
    else if (word.startsWith("-o") || word.startsWith("-O")) addColumns(request, value("-o"));
    else if (word.startsWith("-p")) addNumbers(request, value("-p"));
    else if (word.startsWith("-C")) request.names = new Set(value("-C").split(","));
    else if (/^-[uUGgt]/.test(word)) {
      value(word.slice(0, 2));
      request.all = true;
    } else {
      const letters = word.replace(/^-/, "");
      for (let at = 0; at < letters.length; at++) {
        const letter = letters[at];
        if (letter === "o") {
          addColumns(request, at + 1 < letters.length ? letters.slice(at + 1) : args[++i] ?? "");
          break;
        }
        if (!"aAdefFHjlLuxwwTchrZ".includes(letter)) throw new CommandError(`unsupported option '${word}'`);
        if ("AadexT".includes(letter)) request.all = true;
        if (letter === "f" || letter === "F") style = FULL;
        if (letter === "u" && !word.startsWith("-")) style = BSD;
        if ((letter === "x" || letter === "a") && !word.startsWith("-") && style === USUAL) {
          style = ["pid", "tty", "stat", "time", "command"];
        }
        if (letter === "h" && !word.startsWith("-")) request.noHead = true;
      }
    }
  }
  if (request.columns.length === 0) {
    request.columns = style.map((name) => ({ ...COLUMNS[name] }));
    if (style === FULL) request.columns[0] = { ...COLUMNS.user, head: "UID" };
  }
  return request;
}

function shownOf(process: Process): Shown {
  const { pid, parent, title, started } = process;
  return { pid, ppid: parent?.pid ?? 1, title, name: nameOfProcess(process), started };
}

export const ps: Command = {
  name: "ps",
  async run(context) {
    let request: Request;
    try {
      request = parse(context.argv.slice(1));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      complain(context, `error: ${error.message}\n\nUsage:\n ps [options]`);
      return 1;
    }
    const all = listProcesses(context).map(shownOf);
    const own = kernelOf(context).nextPid();
    all.push({ pid: own, ppid: context.pid, title: context.argv.join(" "), name: "ps", started: Date.now() });
    const { pids, names } = request;
    const shown = all.filter(({ pid, name }) => pids || names ? pids?.has(pid) || names?.has(name) : true);
    await print(context, render(request, shown, context));
    return shown.length > 0 ? 0 : 1;
  },
};

function render(request: Request, shown: Shown[], context: CommandContext): string {
  const { columns, heads } = request;
  const title = (column: Column) => heads.get(column) ?? column.head;
  const withHead = !request.noHead && columns.some((column) => title(column) !== "");
  const rows = [
    ...withHead ? [columns.map(title)] : [],
    ...shown.map((process) => columns.map((column) => column.value(process, context))),
  ];
  return rows.map((row) =>
    row.map((cell, i) => {
      const { width, right } = columns[i];
      if (right) return cell.padStart(width);
      return i === row.length - 1 ? cell : cell.padEnd(width);
    }).join(" ").trimEnd() + "\n"
  ).join("");
}
