/** pgrep, pkill, killall and kill. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { complain, print } from "../tool/tool.ts";
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import { RegexError } from "../../../text/regex/syntax.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import type { Process } from "../../processes/process.ts";
import { listSignals, nameOf, SIGTERM } from "../../processes/signals.ts";
import { kernelOf, listProcesses, nameOfProcess, parseSignal } from "./processes.ts";

const LONG = {
  full: "f",
  exact: "x",
  "list-name": "l",
  "list-full": "a",
  newest: "n",
  oldest: "o",
  count: "c",
  inverse: "v",
  "ignore-case": "i",
  parent: "P",
  euid: "u",
  uid: "U",
  delimiter: "d",
  signal: "s",
  echo: "e",
};

/** `-9` and `-KILL` among the arguments become `-s`. */
function nameSignal(takes: string): (args: string[]) => string[] {
  return (args) => {
    const words: string[] = [];
    for (let i = 0; i < args.length; i++) {
      const word = args[i];
      const number = /^-(\d+|[A-Z][A-Z0-9]+)$/.test(word) ? parseSignal(word.slice(1)) : undefined;
      words.push(...number === undefined ? [word] : ["-s", word.slice(1)]);
      if (/^-.$/.test(word) && takes.includes(word[1])) words.push(...args.slice(++i, i + 1));
    }
    return words;
  };
}

function signalOf(given: Given): number {
  const word = given.get("s");
  const signal = word === undefined ? SIGTERM : parseSignal(word);
  if (signal === undefined) throw new CommandError(`Unknown signal "${word}".`, 2);
  return signal;
}

type Act = (context: CommandContext, found: Process[], given: Given) => Promise<number>;

function search(name: string, letters: string, act: Act): Command {
  return defineTool(name, { letters, long: LONG, code: 2 }, async ({ context, given }) => {
    const [pattern, extra] = given.operands;
    if (extra !== undefined) throw new UsageError("only one pattern can be provided", 2);
    const filters = ["P", "u", "U", "n", "o"].some((letter) => given.has(letter));
    if (pattern === undefined && !filters) throw new UsageError("no matching criteria specified", 2);
    return await act(context, findMatches(context, pattern, given), given);
  }, nameSignal("PuUds"));
}

function compile(source: string, ignoreCase: boolean): Matcher {
  try {
    return compileRegex(source, { extended: true, ignoreCase });
  } catch (error) {
    if (error instanceof RegexError) throw new CommandError(`regex error: ${error.message}`, 2);
    throw error;
  }
}

function findMatches(context: CommandContext, pattern: string | undefined, given: Given): Process[] {
  const source = pattern === undefined ? "" : given.has("x") ? `^(${pattern})$` : pattern;
  const expression = compile(source, given.has("i"));
  const parents = given.get("P")?.split(",").map(Number);
  const text = (process: Process) => given.has("f") ? process.title : nameOfProcess(process);
  const found = listProcesses(context).filter((process) => {
    if (process.pid === context.pid) return false;
    if (parents && !parents.includes(process.parent?.pid ?? 1)) return false;
    return expression.test(text(process)) !== given.has("v");
  });
  if (given.has("n")) return found.slice(-1);
  return given.has("o") ? found.slice(0, 1) : found;
}

const pgrep = search("pgrep", "fxlanocviP:u:U:d:s:", async (context, found, given) => {
  const line = (process: Process) =>
    given.has("a")
      ? `${process.pid} ${process.title}`
      : given.has("l")
      ? `${process.pid} ${nameOfProcess(process)}`
      : `${process.pid}`;
  const end = given.get("d") ?? "\n";
  if (given.has("c")) await print(context, `${found.length}\n`);
  else if (found.length > 0) await print(context, `${found.map(line).join(end)}\n`);
  return found.length > 0 ? 0 : 1;
});

const pkill = search("pkill", "fxnocviP:u:U:s:e", async (context, found, given) => {
  const signal = signalOf(given);
  for (const process of found) {
    process.kill(signal);
    if (given.has("e")) await print(context, `${nameOfProcess(process)} killed (pid ${process.pid})\n`);
  }
  if (given.has("c")) await print(context, `${found.length}\n`);
  return found.length > 0 ? 0 : 1;
});

const KILLALL = {
  signal: "s",
  quiet: "q",
  verbose: "v",
  exact: "e",
  wait: "w",
  "ignore-case": "I",
  regexp: "r",
  list: "l",
};

const killall = defineTool(
  "killall",
  { letters: "s:qvewIru:l", long: KILLALL },
  async ({ context, given }) => {
    if (given.has("l")) {
      return await print(context, `${listSignals().map(([, name]) => name).slice(0, 31).join(" ")}\n`);
    }
    if (given.operands.length === 0) throw new CommandError("no process name specified");
    const signal = signalOf(given);
    let code = 0;
    for (const word of given.operands) {
      const expression = given.has("r") ? compile(word, given.has("I")) : undefined;
      const fold = (name: string) => given.has("I") ? name.toLowerCase() : name;
      const matches = (name: string) => expression?.test(name) ?? fold(name) === fold(word);
      const found = listProcesses(context).filter((process) =>
        process.pid !== context.pid && matches(nameOfProcess(process))
      );
      for (const process of found) {
        process.kill(signal);
        if (given.has("v")) complain(context, `Killed ${word}(${process.pid}) with signal ${signal}`);
        if (given.has("w")) await process.done;
      }
      if (found.length > 0) continue;
      if (!given.has("q")) complain(context, `${word}: no process found`);
      code = 1;
    }
    return code;
  },
  nameSignal("suo"),
);

/** The program; the shell has a builtin of the same name. */
const kill: Command = {
  name: "kill",
  async run(context) {
    const args = context.argv.slice(1);
    if (args[0] === "-l" || args[0] === "-L") {
      const names = args.slice(1).map((word) => nameOf(Number(word)) ?? parseSignal(word));
      return await print(context, `${(names.length > 0 ? names : listSignals().map(([, name]) => name)).join("\n")}\n`);
    }
    let signal: number | undefined = SIGTERM;
    if (args[0] === "-s" || args[0] === "--signal") signal = parseSignal(args.splice(0, 2)[1] ?? "");
    else if (/^-\w/.test(args[0] ?? "")) signal = parseSignal((args.shift() ?? "").slice(1));
    if (args[0] === "--") args.shift();
    if (signal === undefined) {
      complain(context, "kill: invalid signal");
      return 1;
    }
    let code = 0;
    for (const word of args) {
      const process = kernelOf(context).processes.get(Number(word.replace(/^-/, "")));
      if (/^-?\d+$/.test(word) && process?.kill(signal)) continue;
      complain(
        context,
        /^-?\d+$/.test(word) ? `kill: (${word}): No such process` : `kill: failed to parse argument: '${word}'`,
      );
      code = 1;
    }
    return code;
  },
};

export const killCommands: Command[] = [pgrep, pkill, killall, kill];
