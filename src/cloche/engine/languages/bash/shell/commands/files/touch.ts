/** touch and truncate. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { codeOf, quote } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { parseStamp, parseTime } from "./times.ts";

const TOUCH = {
  letters: "acd:fhmr:t:",
  long: {
    "no-create": "c",
    "date=": "d",
    "no-dereference": "h",
    "reference=": "r",
    "time=": "time",
  },
  synopsis: "[OPTION]... FILE...",
};

/** The times to set; undefined keeps what is there. */
interface Times {
  atime: number | undefined;
  mtime: number | undefined;
}

export const touch = defineFileTool("touch", TOUCH, (tool) => {
  const { given, operands } = tool;
  const times = readTimes(tool);
  if (operands.length === 0) throw new UsageError("missing file operand");
  for (const name of operands) touchFile(tool, name, times, given.has("c", "h"));
});

function readTimes(tool: FileTool): Times {
  const { given, context: { env } } = tool;
  const now = Date.now();
  if (given.has("t") && given.has("d", "r")) {
    throw new UsageError("cannot specify times from more than one source");
  }
  let [atime, mtime] = [now, now];
  const reference = given.get("r");
  if (reference !== undefined) {
    try {
      ({ atime, mtime } = given.has("h") ? tool.lstat(reference) : tool.stat(reference));
    } catch (error) {
      throw new CommandError(`failed to get attributes of ${quote(reference)}: ${reasonOf(error)}`);
    }
  }
  const date = given.get("d");
  if (date !== undefined) {
    const parsed = [atime, mtime].map((base) => parseTime(date, base, env.TZ));
    if (parsed[0] === undefined || parsed[1] === undefined) {
      throw new CommandError(`invalid date format ${quote(date)}`);
    }
    [atime, mtime] = [parsed[0], parsed[1]];
  }
  const stamp = given.get("t");
  if (stamp !== undefined) {
    const parsed = parseStamp(stamp, now, env.TZ);
    if (parsed === undefined) throw new CommandError(`invalid date format ${quote(stamp)}`);
    [atime, mtime] = [parsed, parsed];
  }
  const word = given.get("time");
  const onlyAccess = given.has("a") || word !== undefined && ["atime", "access", "use"].includes(word);
  const onlyChange = given.has("m") || word !== undefined && ["mtime", "modify"].includes(word);
  if (word !== undefined && !onlyAccess && !onlyChange) {
    throw new UsageError(`invalid argument ${quote(word)} for '--time'`);
  }
  return {
    atime: onlyAccess || !onlyChange ? atime : undefined,
    mtime: onlyChange || !onlyAccess ? mtime : undefined,
  };
}

function touchFile(tool: FileTool, name: string, times: Times, keepAbsent: boolean): void {
  const { files, context } = tool;
  // `-` is the file that standard output goes to.
  const output = name === "-" ? context.fds.find(1)?.path : undefined;
  if (name === "-" && output === undefined) return;
  try {
    const path = output ?? tool.path(name);
    if (tool.given.has("h") && tool.findLstat(name)?.kind === "link") {
      return tool.report(`setting times of ${quote(name)}: Operation not supported`);
    }
    if (output === undefined && !tool.findStat(name)) {
      if (name.endsWith("/")) {
        return tool.report(
          `setting times of ${quote(name)}: ${
            tool.findLstat(name.slice(0, -1)) ? "Not a directory" : "No such file or directory"
          }`,
        );
      }
      if (keepAbsent) return;
      files.open(path, { read: false, write: true, create: true }, 0o666 & ~context.umask).close();
    }
    if (path.startsWith("/dev/")) return;
    const old = files.stat(path);
    files.setTimes(path, times.atime ?? old.atime, times.mtime ?? old.mtime);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.report(`cannot touch ${quote(name)}: ${reasonOf(error)}`);
  }
}

const TRUNCATE = {
  letters: "cor:s:",
  long: { "no-create": "c", "io-blocks": "o", "reference=": "r", "size=": "s" },
  synopsis: "OPTION... FILE...",
};
const UNITS = "KMGTPEZY";
/** What a file here can hold. */
const LARGEST = 2 ** 40;

export const truncate = defineFileTool("truncate", TRUNCATE, (tool) => {
  const { given, operands } = tool;
  if (!given.has("s", "r")) throw new UsageError("you must specify either '--size' or '--reference'");
  if (operands.length === 0) throw new UsageError("missing file operand");
  const change = given.has("s") ? readSize(given.get("s") ?? "", given.has("r")) : { sign: "", size: 0 };
  const reference = given.get("r");
  let base: number | undefined;
  if (reference !== undefined) {
    try {
      base = tool.stat(reference).size;
    } catch (error) {
      throw new CommandError(`cannot stat ${quote(reference)}: ${reasonOf(error)}`);
    }
  }
  for (const name of operands) resize(tool, name, change, base);
});

/** "+10K", "<5", "%512". */
function readSize(text: string, relative: boolean): { sign: string; size: number } {
  const [, sign, digits, unit, second] = /^\s*([-+<>/%]?)\s*(\d+)([KMGTPEZYkmgt]?)(B|iB)?$/.exec(text) ?? [];
  if (digits === undefined || second && !unit) throw new CommandError(`Invalid number: ${quote(text)}`);
  if (relative && sign === "") throw new UsageError("you must specify a relative '--size' with '--reference'");
  const size = Number(digits) * (second === "B" ? 1000 : 1024) ** (UNITS.indexOf(unit.toUpperCase() || "?") + 1);
  if ("/%".includes(sign) && sign !== "" && size === 0) throw new CommandError("division by zero");
  return { sign, size };
}

function resize(
  tool: FileTool,
  name: string,
  { sign, size }: { sign: string; size: number },
  base: number | undefined,
): void {
  const { files, context, given } = tool;
  const found = tool.findStat(name);
  if (!found && given.has("c")) return;
  const what = `cannot open ${quote(name)} for writing`;
  tool.try(what, () => {
    const stream = files.open(tool.path(name), { read: true, write: true, create: true }, 0o666 & ~context.umask);
    try {
      const old = base ?? stream.stat().size;
      const amount = given.has("o") ? size * 4096 : size;
      const target = given.has("s") ? targetSize(sign, amount, old) : old;
      if (target > LARGEST) return tool.report(`failed to truncate ${quote(name)} at ${target} bytes: File too large`);
      tool.try(`failed to truncate ${quote(name)} at ${target} bytes`, () => stream.truncate(target));
    } finally {
      stream.close();
    }
  });
}

function targetSize(sign: string, size: number, old: number): number {
  switch (sign) {
    case "+":
      return old + size;
    case "-":
      return Math.max(0, old - size);
    case "<":
      return Math.min(old, size);
    case ">":
      return Math.max(old, size);
    case "/":
      return Math.floor(old / size) * size;
    case "%":
      return Math.ceil(old / size) * size;
    default:
      return size;
  }
}
