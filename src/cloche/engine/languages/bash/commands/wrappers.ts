/** Commands that run another (sudo, nohup, nice, env...) and those of the terminal. */
import type { ExecResult } from "just-bash";
import { emptyResult } from "../interpreter/just_bash_types.ts";
import { CHILD_OPTIONS } from "../interpreter/child_processes.ts";
import { quoteWord } from "../programs/quote.ts";
import { bytesResult, CommandError, type Context, defineCommand, readOptions, textResult } from "./command.ts";

/** Runs words as a command whose output goes where the caller's does. */
function runInPlace(ctx: Context, words: string[], more: object = {}): Promise<ExecResult> {
  if (!ctx.exec) throw new CommandError("cannot run commands here", 126);
  const stdin = ctx.stdin as unknown as string;
  return ctx.exec(words.map(quoteWord).join(" "), {
    cwd: ctx.cwd,
    signal: ctx.signal,
    stdin,
    stdinKind: "bytes",
    ...more,
  });
}

const sudo = defineCommand("sudo", async (args, ctx) => {
  const given = readOptions(
    args,
    "EHnSkKbiu:g:p:",
    { user: "u", login: "i", "preserve-env": "E", "non-interactive": "n" },
    true,
  );
  const assigned = given.rest.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const env = { ...ctx.exportedEnv, ...Object.fromEntries(given.rest.slice(0, Math.max(0, assigned)).map(pair)) };
  const words = given.rest.slice(Math.max(0, assigned));
  if (words.length === 0) {
    return given.has("i") || given.has("k") || given.has("K")
      ? emptyResult(0)
      : textResult("usage: sudo command [arg ...]\n", 1);
  }
  return await runInPlace(ctx, words, { env });
});

function pair(word: string): [string, string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}

function runner(name: string, letters: string): ReturnType<typeof defineCommand> {
  return defineCommand(name, async (args, ctx) => {
    const { rest } = readOptions(args.map((arg) => /^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg), letters, {
      adjustment: "n",
    }, true);
    if (rest.length > 0) return await runInPlace(ctx, rest);
    return name === "nice" ? textResult("0\n") : textResult("", 125, `${name}: missing operand\n`);
  });
}

const nohup = runner("nohup", "");
const nice = runner("nice", "n:");
const ionice = runner("ionice", "c:n:tp:");
const stdbuf = runner("stdbuf", "i:o:e:");
const setsid = runner("setsid", "cfw");

const env = defineCommand("env", async (args, ctx) => {
  const given = readOptions(args, "iu:0C:S:v", {
    "ignore-environment": "i",
    unset: "u",
    null: "0",
    chdir: "C",
    "split-string": "S",
  }, true);
  const words = [...given.all("S").flatMap((text) => text.split(/\s+/)), ...given.rest];
  if (words[0] === "-") words.shift();
  const variables: Record<string, string> = given.has("i") || given.rest[0] === "-" ? {} : { ...ctx.exportedEnv };
  for (const name of given.all("u")) delete variables[name];
  while (/^[^=]+=/.test(words[0] ?? "")) {
    const [name, value] = pair(words.shift() ?? "");
    variables[name] = value;
  }
  if (words.length > 0) {
    return await runInPlace(ctx, words, { env: variables, cwd: ctx.fs.resolvePath(ctx.cwd, given.get("C") ?? ".") });
  }
  const end = given.has("0") ? "\0" : "\n";
  return textResult(Object.entries(variables).map(([name, value]) => `${name}=${value}${end}`).join(""));
});

const printenv = defineCommand("printenv", (args, ctx) => {
  const { rest } = readOptions(args, "0");
  const variables = ctx.exportedEnv ?? {};
  if (rest.length === 0) {
    return textResult(Object.entries(variables).map(([name, value]) => `${name}=${value}\n`).join(""));
  }
  const found = rest.filter((name) => name in variables);
  return textResult(found.map((name) => `${variables[name]}\n`).join(""), found.length === rest.length ? 0 : 1);
});

const SWITCHES: Record<string, string> = {
  e: "errexit",
  u: "nounset",
  x: "xtrace",
  v: "verbose",
  f: "noglob",
  n: "noexec",
  a: "allexport",
  C: "noclobber",
};

/** bash and sh: a script, a file, or standard input. */
function shell(name: string) {
  return defineCommand(name, async (args, ctx) => {
    const { switches, command, stdin, words } = parseShell(name, args);
    if (switches === undefined) return textResult("GNU bash, version 5.2.0(1)-release (x86_64-pc-linux-gnu)\n");
    const [first, ...rest] = words;
    if (command) {
      if (first === undefined) throw new CommandError("-c: option requires an argument", 2);
      return await run(ctx, first, rest[0] ?? name, rest.slice(1), switches, true);
    }
    if (first === undefined || stdin || first === "-") {
      const text = ctx.stdin as unknown as string;
      return await run(
        ctx,
        new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))),
        name,
        stdin ? words : rest,
        switches,
        false,
      );
    }
    const path = ctx.fs.resolvePath(ctx.cwd, first);
    const stat = await ctx.fs.stat(path).catch(() => undefined);
    if (!stat) return bytesResult("", 127, `${name}: ${first}: No such file or directory\n`);
    if (stat.isDirectory) return bytesResult("", 126, `${name}: ${first}: Is a directory\n`);
    return await run(ctx, await ctx.fs.readFile(path), first, rest, switches, true);
  });
}

function parseShell(
  name: string,
  args: string[],
): { switches?: string[]; command: boolean; stdin: boolean; words: string[] } {
  const switches: string[] = [];
  let command = false;
  let stdin = false;
  let i = 0;
  for (; i < args.length && /^[-+]./.test(args[i]); i++) {
    const word = args[i];
    if (word === "--version") return { command, stdin, words: [] };
    if (word === "--") {
      i++;
      break;
    }
    if (word === "--rcfile" || word === "--init-file") i++;
    if (word.startsWith("--")) continue;
    let names = 0;
    for (const letter of word.slice(1)) {
      if (letter === "c") command = true;
      else if (letter === "s") stdin = true;
      else if (letter === "o" || letter === "O") names++;
      else if (letter in SWITCHES) switches.push(SWITCHES[letter]);
      else if (!"ilrpmhBEHPTtkbD".includes(letter)) {
        throw new CommandError(`${word}: invalid option\nUsage: ${name} [option] script-file ...`, 2);
      }
    }
    for (; names > 0; names--) switches.push(args[++i] ?? "");
  }
  return { switches, command, stdin, words: args.slice(i) };
}

async function run(
  ctx: Context,
  text: string,
  name: string,
  args: string[],
  switches: string[],
  inherits: boolean,
): Promise<ExecResult> {
  if (!ctx.exec) throw new CommandError("cannot run scripts here", 126);
  const env: Record<string, string> = {
    ...ctx.exportedEnv,
    "0": name,
    "#": String(args.length),
    "@": args.join(" "),
    "*": args.join(" "),
  };
  args.forEach((arg, i) => env[String(i + 1)] = arg);
  const stdin = inherits ? ctx.stdin as unknown as string : "";
  const more = { [CHILD_OPTIONS]: switches } as object;
  return await ctx.exec(text, { cwd: ctx.cwd, env, signal: ctx.signal, stdin, stdinKind: "bytes", ...more });
}

const clear = defineCommand("clear", () => textResult("\x1b[H\x1b[2J\x1b[3J"));
const reset = defineCommand("reset", () => textResult("\x1bc"));
const stty = defineCommand("stty", (args) => args[0] === "size" ? textResult("24 80\n") : emptyResult(0));

const TERMINAL: Record<string, string> = {
  cols: "80\n",
  lines: "24\n",
  colors: "8\n",
  bold: "\x1b[1m",
  sgr0: "\x1b(B\x1b[m",
  smul: "\x1b[4m",
  rmul: "\x1b[24m",
  rev: "\x1b[7m",
  clear: "\x1b[H\x1b[2J",
  el: "\x1b[K",
  cuu1: "\x1b[A",
  civis: "\x1b[?25l",
  cnorm: "\x1b[?25h",
};

const tput = defineCommand("tput", (args) => {
  const words = args[0] === "-T" ? args.slice(2) : args;
  const [name, value] = words;
  if (name === "setaf") return textResult(`\x1b[3${value}m`);
  if (name === "setab") return textResult(`\x1b[4${value}m`);
  const known = TERMINAL[name ?? ""];
  return known === undefined ? textResult("", 1) : textResult(known);
});

export const commands = [
  sudo,
  nohup,
  nice,
  ionice,
  stdbuf,
  setsid,
  env,
  printenv,
  shell("bash"),
  shell("sh"),
  shell("dash"),
  clear,
  reset,
  stty,
  tput,
];
