/** xargs: builds command lines from its input. */
import { defineFileTool, type FileTool } from "../file_tool.ts";
import { CommandError, UsageError } from "../../tool/errors.ts";
import type { Given } from "../../tool/options.ts";
import { unescapeText } from "../../../../text/escapes.ts";
import { encodeText, toArray } from "../../../../text/byte_strings.ts";
import { quoteBackslash } from "../../../expansion/quote.ts";
import { EMPTY, type Item, readDelimited, readQuoted } from "./items.ts";

/** As many bytes as a command line has if -s says nothing. */
const DEFAULT_SIZE = 131_072;
/** Above, a code is what the command itself has chosen. */
const LAST_SIGNAL = 31;
const [FAILED, ABORTED, KILLED, NOT_FOUND] = [123, 124, 125, 127];

const GRAMMAR = {
  letters: "0a:E:e::i::I:l::L:n:prs:tP:d:xo",
  long: {
    null: "0",
    "arg-file=": "a",
    "delimiter=": "d",
    "eof?": "e",
    "replace?": "i",
    "max-lines?": "l",
    "max-args=": "n",
    "max-procs=": "P",
    "max-chars=": "s",
    "no-run-if-empty": "r",
    interactive: "p",
    verbose: "t",
    exit: "x",
    "open-tty": "o",
    "show-limits": "show-limits",
    "process-slot-var=": "slot",
  },
  strict: true,
  synopsis: "[OPTION]... COMMAND [INITIAL-ARGS]...",
};

interface Plan {
  words: string[];
  replace: string | undefined;
  mostItems: number;
  mostLines: number;
  mostBytes: number;
  /** A line that cannot be had whole is a mistake. */
  exact: boolean;
  processes: number;
  slotName: string | undefined;
}

export const xargs = defineFileTool("xargs", GRAMMAR, async (tool) => {
  const { given } = tool;
  if (given.has("p")) throw new CommandError("failed to open /dev/tty for reading: No such device or address");
  warnOfConflicts(tool);
  const plan = makePlan(given);
  const file = given.get("a");
  const stream = file === undefined ? tool.context.fds.get(0) : tool.context.open(file, { read: true, write: false });
  const runner = new Runner(tool, plan, file !== undefined);
  try {
    await feed(runner, plan, readItems(stream, given, plan), given.has("r"));
  } finally {
    await runner.finish();
    if (file !== undefined) stream.close();
  }
  return runner.code;
});

const NAMES: Record<string, string> = {
  I: "--replace/-I/-i",
  i: "--replace/-I/-i",
  L: "--max-lines",
  l: "--max-lines",
  n: "--max-args",
};

/** -I, -L and -n exclude each other: the last one counts. */
function warnOfConflicts(tool: FileTool): void {
  const kinds = tool.given.list.map(([key]) => key).filter((key) => NAMES[key] !== undefined);
  for (const [i, key] of kinds.slice(1).entries()) {
    const [before, after] = [NAMES[kinds[i]], NAMES[key]];
    if (before === after) continue;
    tool.complain(
      `warning: options ${before} and ${after} are mutually exclusive, ignoring previous ${before} value`,
    );
  }
}

function makePlan(given: Given): Plan {
  const words = given.operands.length > 0 ? given.operands : ["echo"];
  const kind = given.last("I", "i", "L", "l", "n");
  const replaces = kind === "I" || kind === "i";
  const lines = kind === "L" || kind === "l";
  const bytes = count(given, "s", DEFAULT_SIZE);
  const plan: Plan = {
    words,
    replace: replaces ? given.get(kind) ?? "{}" : undefined,
    mostItems: given.has("n") && !replaces && !lines ? count(given, "n", 1) : Infinity,
    mostLines: lines ? count(given, kind, 1) : Infinity,
    mostBytes: Math.min(bytes, DEFAULT_SIZE * 16),
    exact: given.has("x") || replaces || lines,
    processes: count(given, "P", 1, 0) || Infinity,
    slotName: given.get("slot"),
  };
  const fixed = size(words);
  if (fixed > plan.mostBytes) throw new CommandError("cannot fit single argument within argument list size limit");
  return plan;
}

function count(given: Given, letter: string, otherwise: number, least = 1): number {
  const text = given.get(letter);
  if (text === undefined) return otherwise;
  if (!/^[-+]?\d+$/.test(text)) {
    throw new UsageError(`invalid number "${text}" for -${letter} option`);
  }
  if (Number(text) < least) {
    throw new UsageError(`value ${text} for -${letter} option should be >= ${least}`);
  }
  return Number(text);
}

function size(words: string[]): number {
  return words.reduce((sum, word) => sum + encodeText(word).length + 1, 0);
}

function readItems(stream: Parameters<typeof readDelimited>[0], given: Given, plan: Plan): AsyncGenerator<Item> {
  const delimiter = given.last("0", "d");
  if (delimiter !== undefined) {
    return readDelimited(stream, delimiter === "0" ? 0 : delimiterByte(given.get("d") ?? ""));
  }
  const stop = given.get(given.last("E", "e") ?? "E");
  return readQuoted(stream, plan.replace !== undefined, stop === "" ? undefined : stop);
}

function delimiterByte(text: string): number {
  const { bytes } = unescapeText(encodeText(text), "format");
  if (bytes.length !== 1) {
    throw new CommandError(
      "Invalid input delimiter specification " + text +
        ": the delimiter must be either a single character or an escape sequence starting with \\.",
    );
  }
  return bytes.charCodeAt(0);
}

/** Makes command lines of items, and has them run. */
async function feed(runner: Runner, plan: Plan, items: AsyncGenerator<Item>, skipEmpty: boolean): Promise<void> {
  const fixed = size(plan.words);
  let line: string[] = [];
  let [bytes, lines, ran] = [fixed, 0, false];
  const flush = async () => {
    ran = true;
    const words = line;
    [line, bytes, lines] = [[], fixed, 0];
    return await runner.run([...plan.words, ...words]);
  };
  for await (const { text, ends } of items) {
    const isBlank = text === "";
    if (plan.replace !== undefined) {
      if (isBlank) continue;
      const { replace } = plan;
      const item = text === EMPTY ? "" : text;
      const words = plan.words.map((word) => replace === "" ? word : word.replaceAll(replace, item));
      if (size(words) > plan.mostBytes) throw new CommandError("argument line too long");
      ran = true;
      if (!await runner.run(words)) return;
      continue;
    }
    if (isBlank && !(plan.mostLines === Infinity && runner.delimited)) continue;
    const item = text === EMPTY ? "" : text;
    const length = encodeText(item).length + 1;
    if (bytes + length > plan.mostBytes) {
      if (line.length === 0 || plan.exact) throw new CommandError("argument line too long");
      if (!await flush()) return;
      if (bytes + length > plan.mostBytes) throw new CommandError("argument line too long");
    }
    line.push(item);
    bytes += length;
    if (ends) lines++;
    if (line.length < plan.mostItems && lines < plan.mostLines) continue;
    if (!await flush()) return;
  }
  if (line.length > 0 || !ran && !skipEmpty && plan.replace === undefined) await flush();
}

/** Starts the commands, as many at once as -P says. */
class Runner {
  code = 0;
  readonly delimited: boolean;
  #stopped = false;
  readonly #running = new Map<number, Promise<void>>();

  constructor(private readonly tool: FileTool, private readonly plan: Plan, private readonly keepInput: boolean) {
    this.delimited = tool.given.has("0", "d");
  }

  /** Whether to go on afterwards. */
  async run(argv: string[]): Promise<boolean> {
    const { tool, plan } = this;
    await tool.attend();
    tool.context.signal.throwIfAborted();
    if (this.#running.size >= plan.processes) await Promise.race(this.#running.values());
    if (this.#stopped) return false;
    if (tool.given.has("t")) {
      const line = argv.map((word) => word === "" ? "''" : quoteBackslash(word)).join(" ");
      await tool.context.fds.find(2)?.write(toArray(encodeText(`${line}\n`)));
    }
    if (!tool.context.has(argv[0])) {
      tool.complain(`${argv[0]}: No such file or directory`);
      this.#stop(NOT_FOUND);
      return false;
    }
    const slot = this.#slot();
    const fds = tool.context.fds.fork();
    if (!this.keepInput) fds.set(0, tool.files.open("/dev/null", { read: true, write: false }));
    const env = plan.slotName === undefined ? undefined : { ...tool.context.env, [plan.slotName]: String(slot) };
    const { done } = tool.context.spawn(argv, { fds, env });
    const ended = async () => {
      const code = await done;
      this.#running.delete(slot);
      this.#note(argv[0], code);
    };
    if (done instanceof Promise) {
      this.#running.set(slot, ended());
      if (plan.processes === 1) await this.#running.get(slot);
    } else this.#note(argv[0], done);
    return !this.#stopped;
  }

  #slot(): number {
    let slot = 0;
    while (this.#running.has(slot)) slot++;
    return slot;
  }

  #note(name: string, code: number): void {
    if (code === 255) {
      this.tool.complain(`${name}: exited with status 255; aborting`);
      this.#stop(ABORTED);
    } else if (code > 128 && code <= 128 + LAST_SIGNAL) {
      this.tool.complain(`${name}: terminated by signal ${code - 128}`);
      this.#stop(KILLED);
    } else if (code === 126 || code === 127) this.#stop(code);
    else if (code !== 0 && this.code === 0) this.code = FAILED;
  }

  #stop(code: number): void {
    this.#stopped = true;
    if (this.code === 0 || code >= KILLED) this.code = code;
  }

  async finish(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
