/** Commands that run another (sudo, nohup, nice, env...) and those of the terminal. */
import type { ExecResult } from "just-bash";
import { emptyResult } from "../just_bash/results.ts";
import { quoteWord } from "../programs/quote.ts";
import { CommandError, type Context, defineCommand, readOptions, textResult } from "./command.ts";

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
  clear,
  reset,
  stty,
  tput,
];
