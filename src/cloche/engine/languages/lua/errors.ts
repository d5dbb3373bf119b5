/** Errors of Lua as results: the user's own lines, and a hint where one helps. */

import { findNearestName } from "../../text/nearest_name.ts";
import type { RunError } from "../../protocol.ts";
import type { Failure, LuaState } from "./state.ts";

const POSITION = /^(.*?):(\d+): /;
/** Modules that exist in C only. */
const NATIVE = new Set(["lfs", "socket", "cjson", "lpeg", "posix", "ssl", "lsqlite3", "zlib", "bit32", "ffi"]);

/** What is needed to explain an error. */
interface Memories {
  state: LuaState;
  /** The name of the code that ran. */
  name: string;
  /** Locals of earlier cells, which no longer exist. */
  locals: Set<string>;
}

export function syntaxError(wrong: string, code: string, name: string): RunError {
  const { line, message } = placed(wrong, name);
  const hint = syntaxHint(message, line === null ? "" : code.split("\n")[line - 1] ?? "");
  return {
    type: "SyntaxError",
    message: withHint(message, hint),
    line,
    column: null,
    traceback: withHint(`lua: ${wrong}`, hint),
  };
}

export function runtimeError({ message: whole, traceback }: Failure, memories: Memories): RunError {
  const { line, message } = placed(whole, memories.name);
  const where = line ?? lineOf(traceback, memories.name);
  const hint = runtimeHint(message, memories);
  const shown = withHint(`lua: ${whole}\n${traceback}`, hint);
  return { type: "LuaError", message: withHint(message, hint), line: where, column: null, traceback: shown };
}

export function interruptError(traceback: string, name: string): RunError {
  const line = lineOf(traceback, name);
  const shown = `lua: interrupted!\n${traceback}`;
  return { type: "KeyboardInterrupt", message: "interrupted", line, column: null, traceback: shown };
}

/** Whether more lines could complete it. */
export function isIncomplete(wrong: string): boolean {
  return /near ['"]?<eof>['"]?$/.test(wrong) || /unfinished long (?:string|comment)/.test(wrong);
}

/** The line in the cell, and the message without it; positions in other files are left in the message. */
function placed(text: string, name: string): { line: number | null; message: string } {
  const found = POSITION.exec(text);
  if (found?.[1] !== name) return { line: null, message: text };
  return { line: Number(found[2]), message: text.slice(found[0].length) };
}

/** The innermost line of the cell. */
function lineOf(traceback: string, name: string): number | null {
  const frame = traceback.split("\n").find((each) => each.startsWith(`\t${name}:`));
  const line = Number.parseInt(frame?.slice(name.length + 2) ?? "", 10);
  return Number.isNaN(line) ? null : line;
}

function withHint(message: string, hint: string | null): string {
  return hint === null ? message : `${message}\nhint: ${hint}`;
}

function syntaxHint(message: string, source: string): string | null {
  const open = /'(\S+)' expected \(to close '(\S+)' at line (\d+)\)/.exec(message);
  if (open) return `the '${open[2]}' of line ${open[3]} has no '${open[1]}'`;
  if (/^'end' expected near <eof>/.test(message)) return "a block of this line has no 'end'";
  if (/^unfinished string/.test(message)) return "a string ends on its own line; [[...]] may hold several lines";
  if (/ near '!/.test(message)) return "'not equal' is written ~=, and 'not' is a word";
  const operator = /[-+*/]=/.exec(source)?.[0];
  if (operator && message.endsWith(`'${operator[0]}'`)) {
    return `there is no ${operator} in Lua: write x = x ${operator[0]} 1`;
  }
  return null;
}

function runtimeHint(message: string, memories: Memories): string | null {
  const module = /module '([^']+)' not found/.exec(message)?.[1];
  if (module !== undefined) return moduleHint(module);
  const missing = /\((global|field|method|local) '([^']+)'\)/.exec(message);
  if (!missing || !/a nil value/.test(message)) return null;
  const [, kind, name] = missing;
  if (kind === "global" && memories.locals.has(name)) {
    return `'${name}' was local to an earlier cell; write ${name} = ... without local to keep it`;
  }
  return kind === "local" ? null : nearHint(name, kind === "global" ? globals(memories) : libraryNames(memories));
}

function moduleHint(module: string): string {
  if (NATIVE.has(module.split(".")[0])) {
    return `${module} is written in C, which cannot be loaded here; modules in Lua alone can`;
  }
  const path = module.replaceAll(".", "/");
  return `put it into /workspace/${path}.lua, or install it: box.install("${module}", language="lua")`;
}

function globals({ state }: Memories): string[] {
  return state.names([], false);
}

function libraryNames({ state }: Memories): string[] {
  const libraries = ["string", "table", "math", "io", "os", "coroutine", "utf8", "debug"];
  return libraries.flatMap((library) => state.names([library], false));
}

function nearHint(name: string, names: string[]): string | null {
  const near = findNearestName(name, names);
  return near === undefined ? null : `did you mean '${near}'?`;
}
