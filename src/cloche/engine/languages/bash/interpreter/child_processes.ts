/** Child processes: what they inherit, and where their output goes. */
import type { ExecResult } from "just-bash";
import { decodeStrictly, decodeText, isBytes } from "../streams/byte_strings.ts";
import type { ShellState } from "./just_bash_types.ts";
import { forkState } from "./state.ts";

/** Key under which a command (bash) names options, as of `set -o`, for the child shell it starts. */
export const CHILD_OPTIONS: unique symbol = Symbol("cloche.child");

/** Commands that only pass on what their child writes, so that the child may write itself. */
export const TRANSPARENT = new Set(
  "bash sh dash env timeout xargs time sudo nohup nice ionice stdbuf setsid".split(" "),
);

/** Variables that a shell has whether or not it was given them. */
const INHERENT = ["OSTYPE", "MACHTYPE", "HOSTTYPE", "HOSTNAME"];

/** Fits the state that just-bash made for a child: only exported variables, options of its own. */
export function childState(
  made: ShellState,
  parent: ShellState,
  env: Record<string, string>,
  switches: string[] = [],
): ShellState {
  const state = forkState(made);
  for (const name of INHERENT) {
    const value = parent.env.get(name);
    if (!state.env.has(name) && value !== undefined) state.env.set(name, value);
  }
  state.env.set("IFS", " \t\n");
  state.env.set("OPTIND", "1");
  state.exportedVars = new Set(Object.keys(env).filter((name) => /^[A-Za-z_]\w*$/.test(name)));
  for (const name of switches) state.options[name] = true;
  return state;
}

/** A result whose output is text where it can be, else bytes. */
export function asText(result: ExecResult, bytes: string): ExecResult {
  const text = decodeStrictly(bytes);
  return { ...result, stdout: text ?? bytes, stdoutKind: text === undefined ? "bytes" : "text" };
}

/** A message as just-bash wants it. */
export function messageOf(bytes: string): string {
  return decodeText(bytes);
}

/**
 * Input that is no UTF-8 is read by just-bash's text commands byte by byte: what they print of it then is bytes again.
 */
export function sameEncoding(result: ExecResult, stdin: string): ExecResult {
  const { stdout, stdoutKind, stdoutEncoding } = result;
  if (stdin === "" || stdout === "" || stdoutKind === "bytes" || stdoutEncoding === "binary") return result;
  return !isBytes(stdin) || decodeStrictly(stdin) !== undefined || !isBytes(stdout)
    ? result
    : { ...result, stdoutKind: "bytes" };
}
