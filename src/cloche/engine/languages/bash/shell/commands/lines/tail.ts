/** tail. */
import { FileError } from "../../../../../fs/files.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { type CommandContext, Killed } from "../../processes/command.ts";
import { readCount } from "../tool/counts.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { CHUNK } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { listProcesses } from "../system/processes.ts";

const USAGE = {
  letters: "n:c:fFqvzs:",
  long: {
    "lines=": "n",
    "bytes=": "c",
    "follow?": "f",
    quiet: "q",
    silent: "q",
    verbose: "v",
    "zero-terminated": "z",
    "sleep-interval=": "s",
    "pid=": "pid",
    retry: "retry",
    "max-unchanged-stats=": "max",
  },
};
const POLL_MS = 100;

interface Wanted {
  count: number;
  bytes: boolean;
  /** From this line or byte on, not the last ones. */
  fromStart: boolean;
  end: number;
}

function readWanted({ given }: Tool): Wanted {
  const bytes = given.last("n", "c") === "c";
  const word = given.get(bytes ? "c" : "n") ?? "10";
  const count = readCount(word.replace(/^[-+]/, ""), `invalid number of ${bytes ? "bytes" : "lines"}`);
  return { count, bytes, fromStart: word.startsWith("+"), end: given.has("z") ? 0 : 10 };
}

const tail = defineTool(
  "tail",
  USAGE,
  async (tool) => {
    const { given, context } = tool;
    const wanted = readWanted(tool);
    const names = tool.inputs;
    const out = context.fds.get(1);
    const titled = given.has("v") || names.length > 1 && !given.has("q");
    const follows = given.has("f", "F");
    if (!["name", "descriptor"].includes(given.get("f") ?? "name")) {
      throw new UsageError(`invalid argument '${given.get("f")}' for '--follow'`);
    }
    const followed: Followed[] = [];
    let shown: string | undefined;
    const title = async (name: string, again = false) => {
      if (!titled || shown === name && !again) return;
      const label = name === "-" ? "standard input" : name;
      await out.write(tool.coding.encode(`${shown === undefined ? "" : "\n"}==> ${label} <==\n`));
      shown = name;
    };
    for (const name of names) {
      let stream: OpenStream;
      try {
        stream = tool.open(name);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        const folder = error.code === "EISDIR";
        if (folder) await title(name);
        tool.report(
          folder
            ? `error reading '${name}': ${reasonOf(error)}`
            : `cannot open '${name}' for reading: ${reasonOf(error)}`,
        );
        if (given.has("F", "retry") && !folder) followed.push({ name, stream: undefined });
        continue;
      }
      await title(name, true);
      await copyEnd(tool, stream, out, wanted);
      if (follows && (name !== "-" || stream.kind === "file")) followed.push({ name, stream });
      else if (name !== "-") stream.close();
    }
    if (follows && followed.length > 0) await follow(tool, followed, title);
    return tool.code;
  },
  (args) => {
    const [, sign, digits, unit, follow] = /^([-+])(\d+)([lcb]?)(f?)$/.exec(args[0] ?? "") ?? [];
    if (digits === undefined) return args;
    const count = `${sign === "+" ? "+" : ""}${digits}${unit === "b" ? "b" : ""}`;
    return [unit === "c" || unit === "b" ? "-c" : "-n", count, ...follow ? ["-f"] : [], ...args.slice(1)];
  },
);

async function copyEnd(tool: Tool, from: OpenStream, to: OpenStream, wanted: Wanted): Promise<void> {
  if (wanted.fromStart) return await copyFrom(tool, from, to, wanted);
  if (from.kind === "file" && wanted.bytes && from.stat().size > 0) {
    const { size } = from.stat();
    if (size > wanted.count) from.seek(size - wanted.count, "start");
    return await copyFrom(tool, from, to, { ...wanted, count: 0 });
  }
  const kept: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await from.read(CHUNK);
    if (chunk === undefined) break;
    await tool.attend();
    kept.push(chunk);
    size += wanted.bytes ? chunk.length : count(chunk, wanted.end);
    // The first piece is not needed if what follows has enough.
    for (let first = kept[0]; kept.length > 1; first = kept[0]) {
      const part = wanted.bytes ? first.length : count(first, wanted.end);
      if (size - part <= wanted.count) break;
      size -= part;
      kept.shift();
    }
  }
  const all = concatBytes(kept);
  await to.write(all.subarray(wanted.bytes ? Math.max(0, all.length - wanted.count) : lastLines(all, wanted)));
}

function count(bytes: Uint8Array, end: number): number {
  let found = 0;
  for (let at = bytes.indexOf(end); at >= 0; at = bytes.indexOf(end, at + 1)) found++;
  return found;
}

/** Where the last lines begin. */
function lastLines(bytes: Uint8Array, { count, end }: Wanted): number {
  if (count === 0) return bytes.length;
  let at = bytes.length - (bytes.at(-1) === end ? 1 : 0);
  for (let left = count; left > 0; left--) {
    at = at > 0 ? bytes.lastIndexOf(end, at - 1) : -1;
    if (at < 0) return 0;
  }
  return at + 1;
}

async function copyFrom(tool: Tool, from: OpenStream, to: OpenStream, wanted: Wanted): Promise<void> {
  let skip = Math.max(0, wanted.count - 1);
  for (;;) {
    const chunk = await from.read(CHUNK);
    if (chunk === undefined) return;
    await tool.attend();
    let at = 0;
    if (wanted.bytes) {
      at = Math.min(skip, chunk.length);
      skip -= at;
    } else {
      for (; skip > 0; skip--) {
        const next = chunk.indexOf(wanted.end, at);
        if (next < 0) {
          at = chunk.length;
          break;
        }
        at = next + 1;
      }
    }
    if (at < chunk.length) await to.write(chunk.subarray(at));
  }
}

interface Followed {
  name: string;
  /** Undefined while there is no such file. */
  stream: OpenStream | undefined;
}

/** Prints what is added to files until it is ended. */
async function follow(tool: Tool, files: Followed[], title: (name: string) => Promise<void>): Promise<void> {
  const out = tool.context.fds.get(1);
  const seconds = Number(tool.given.get("s") ?? POLL_MS / 1000);
  if (!(seconds >= 0)) throw new CommandError(`invalid number of seconds: '${tool.given.get("s")}'`);
  const positions = files.map(({ stream }) => stream?.stat().size ?? 0);
  const word = tool.given.get("pid");
  if (word !== undefined && !/^\d+$/.test(word)) throw new CommandError(`invalid PID: '${word}'`);
  const byName = tool.given.has("F") || tool.given.get("f") === "name";
  for (;;) {
    const last = word !== undefined && !listProcesses(tool.context).some(({ pid }) => pid === Number(word));
    for (const [i, file] of files.entries()) {
      if (byName && file.stream && isReplaced(tool, file)) {
        tool.complain(`'${file.name}' has been replaced;  following new file`);
        file.stream.close();
        file.stream = tool.open(file.name);
        positions[i] = 0;
      }
      if (!file.stream) {
        try {
          file.stream = tool.open(file.name);
          tool.complain(`'${file.name}' has appeared;  following new file`);
        } catch {
          continue;
        }
      }
      const { size } = file.stream.stat();
      if (size < positions[i]) {
        tool.complain(`${file.name}: file truncated`);
        file.stream.seek(0, "start");
      }
      positions[i] = size;
      for (let chunk = await file.stream.read(CHUNK); chunk !== undefined; chunk = await file.stream.read(CHUNK)) {
        await title(file.name);
        await out.write(chunk);
      }
    }
    if (last) return;
    await pause(Math.min(seconds * 1000, 1000), tool.context, out);
  }
}

/** Whether another file has the name now. */
function isReplaced(tool: Tool, { name, stream }: Followed): boolean {
  if (name === "-") return false;
  try {
    return tool.context.files.stat(tool.context.files.resolve(tool.context.cwd, name)).ino !== stream?.stat().ino;
  } catch {
    return false;
  }
}

async function pause(ms: number, { signal }: CommandContext, out: OpenStream): Promise<void> {
  let withdraw = () => {};
  const broken = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const stop = () => {
      clearTimeout(timer);
      resolve(true);
    };
    signal.addEventListener("abort", stop, { once: true });
    const unbroken = out.onBroken(stop);
    withdraw = () => {
      signal.removeEventListener("abort", stop);
      unbroken();
    };
  });
  withdraw();
  if (broken) throw signal.reason instanceof Killed ? signal.reason : new Killed(13);
}

export const commands = [tail];
