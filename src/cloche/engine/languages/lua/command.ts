/** The command `lua`: its options, its script, and what it says when something fails. */

import type { Failure, LuaState } from "./state.ts";
import type { LuaProgramServices } from "./services.ts";

const VERSION = "Lua 5.4 (in WebAssembly)  Copyright (C) 1994-2023 Lua.org, PUC-Rio\n";
const USAGE = `usage: lua [options] [script [args]]
Available options are:
  -e stat   execute string 'stat'
  -l mod    require library 'mod' into global 'mod'
  -l g=mod  require library 'mod' into global 'g'
  -v        show version information
  -W        turn warnings on
  --        stop handling options
  -         stop handling options and execute stdin
`;
const TAKES_VALUE = new Set(["-e", "-l"]);
const FLAGS = new Set(["-v", "-E", "-W"]);

interface Plan {
  steps: { option: string; value: string }[];
  /** The position of the script's name; the number of arguments if there is none. */
  script: number;
  wrong: string | null;
}

export function runCommand(state: LuaState, world: LuaProgramServices, argv: string[]): number {
  const plan = readOptions(argv);
  if (plan.wrong !== null) return complain(world, `lua: ${plan.wrong}\n${USAGE}`);
  if (plan.steps.some(({ option }) => option === "-v")) world.write("stdout", encode(VERSION));
  setArguments(state, argv, plan.script);
  for (const { option, value } of plan.steps) {
    const code = runStep(state, world, option, value);
    if (code !== null) return code;
  }
  if (plan.script >= argv.length && plan.steps.length > 0) return 0;
  return runScript(state, world, argv, plan.script);
}

function readOptions(argv: string[]): Plan {
  const plan: Plan = { steps: [], script: argv.length, wrong: null };
  for (let index = 1; index < argv.length; index++) {
    const word = argv[index];
    if (!word.startsWith("-") || word === "-") return { ...plan, script: index };
    if (word === "--") return { ...plan, script: index + 1 };
    const option = word.slice(0, 2);
    if (FLAGS.has(word)) plan.steps.push({ option: word, value: "" });
    else if (word === "-i") return { ...plan, wrong: "'-i' is not available here: use a session's cells instead" };
    else if (!TAKES_VALUE.has(option)) return { ...plan, wrong: `unrecognized option '${word}'` };
    else if (word.length > 2) plan.steps.push({ option, value: word.slice(2) });
    else if (++index >= argv.length) return { ...plan, wrong: `'${word}' needs argument` };
    else plan.steps.push({ option, value: argv[index] });
  }
  return plan;
}

/** The table `arg`: the script is number 0, the words before it have negative numbers. */
export function setArguments(state: LuaState, argv: string[], script: number): void {
  const { thread, vm: { exports } } = state;
  const base = script < argv.length ? script : 0;
  exports.lua_createtable(thread, argv.length, 1);
  argv.forEach((word, index) => {
    state.push(thread, word);
    exports.lua_rawseti(thread, -2, BigInt(index - base));
  });
  state.vm.lend("arg", (at) => exports.lua_setglobal(thread, at));
}

function runStep(state: LuaState, world: LuaProgramServices, option: string, value: string): number | null {
  if (option === "-e") return finish(state, world, state.compile(value, "=(command line)"), 0);
  if (option === "-W") return finish(state, world, state.compile('warn("@on")', "=lua"), 0);
  if (option !== "-l") return null;
  const [, name = value, module = value] = /^([^=]*)=(.*)$/s.exec(value) ?? [];
  const wrong = state.compile("local name, module = ... _G[name] = require(module)", "=lua");
  state.push(state.thread, name);
  state.push(state.thread, module);
  return finish(state, world, wrong, 2);
}

function runScript(state: LuaState, world: LuaProgramServices, argv: string[], script: number): number {
  const name = argv[script] ?? "-";
  const wrong = name === "-" ? state.compile(world.readAll(), "=stdin") : state.compileFile(name);
  const args = argv.slice(script + 1);
  if (wrong === null) {
    state.vm.exports.lua_checkstack(state.thread, args.length + 8);
    for (const word of args) state.push(state.thread, word);
  }
  return finish(state, world, wrong, args.length) ?? 0;
}

/** Calls what was compiled; the exit code if the command ends with it. */
function finish(state: LuaState, world: LuaProgramServices, wrong: string | null, args: number): number | null {
  if (wrong !== null) return complain(world, `lua: ${wrong}\n`);
  const failure = state.call(args, true);
  if (state.stopped) return state.stopped.why === "exit" ? state.stopped.code : 130;
  return failure ? complain(world, formatFailure(failure)) : null;
}

function formatFailure({ message, traceback }: Failure): string {
  return `lua: ${message}\n${traceback}${traceback === "" ? "" : "\n\t[C]: in ?\n"}`;
}

function complain(world: LuaProgramServices, text: string): number {
  world.write("stderr", encode(text));
  return 1;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
