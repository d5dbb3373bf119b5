/** A shell's state as text, for a shell in another process. */
import type { FunctionNode } from "../syntax/nodes.ts";
import { AssociativeArray, IndexedArray } from "./arrays.ts";
import type { SetOption, ShellFunction, ShellState } from "./shell_state.ts";
import { EXPORTED, type Value, type Variable } from "./variables.ts";

const VERSION = 2;

type SavedValue = string | null | { list: [string, string][] } | { map: [string, string][] };

interface Saved {
  version: number;
  variables: [name: string, value: SavedValue, attributes: number][];
  functions: [name: string, node: FunctionNode, source: string, exported: boolean][];
  aliases: [string, string][];
  options: string[];
  shopt: string[];
  positional: string[];
  cwd: string;
  umask: number;
  directories: string[];
  history: string[];
  traps: [string, string][];
  started: number;
}

export function saveState(state: ShellState): string {
  const saved: Saved = {
    version: VERSION,
    variables: [...state.variables.entries()].map((
      [name, { value, attributes }],
    ) => [name, saveValue(value), attributes]),
    functions: [...state.functions].map(([name, { node, source, exported }]) => [name, node, source, exported]),
    aliases: [...state.aliases],
    options: [...state.options],
    shopt: [...state.shopt],
    positional: state.positional,
    cwd: state.cwd,
    umask: state.umask,
    directories: state.directories,
    history: state.history.lines,
    traps: [...state.traps],
    started: state.started,
  };
  return JSON.stringify(saved);
}

function saveValue(value: Value | undefined): SavedValue {
  if (value === undefined) return null;
  if (typeof value === "string") return value;
  const values = value.values();
  if (value instanceof AssociativeArray) return { map: [...value.entries()] };
  return { list: value.keys().map((key, i) => [key, values[i]]) };
}

/** Puts a saved state in the place of a new shell's own. */
export function loadState(state: ShellState, text: string): void {
  const saved = JSON.parse(text) as Partial<Saved>;
  if (saved.version !== VERSION) return loadVariables(state, text);
  for (const [name, value, attributes] of saved.variables ?? []) {
    state.variables.replace(name, { value: loadValue(value), attributes } satisfies Variable);
  }
  for (const [name, node, source, exported] of saved.functions ?? []) {
    state.functions.set(name, { node, source, exported, traced: false, readonly: false } satisfies ShellFunction);
  }
  state.aliases = new Map(saved.aliases);
  state.options = new Set(saved.options as SetOption[]);
  state.shopt = new Set(saved.shopt);
  state.traps = new Map(saved.traps);
  const { positional = [], cwd = state.cwd, umask = state.umask, directories = [], history = [], started } = saved;
  Object.assign(state, { positional, cwd, umask, directories, started: started ?? state.started });
  state.history.lines = history;
}

function loadValue(value: SavedValue): Value | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  if ("map" in value) return new AssociativeArray(value.map);
  const array = new IndexedArray();
  for (const [key, item] of value.list) array.put(Number(key), item);
  return array;
}

/** What an older version saved: its variables and folder can still be read. */
function loadVariables(state: ShellState, text: string): void {
  const saved = JSON.parse(text) as {
    env?: { "\0map"?: [string, string][] };
    exportedVars?: { "\0set"?: string[] };
    cwd?: string;
  };
  const exported = new Set(saved.exportedVars?.["\0set"]);
  for (const [name, value] of saved.env?.["\0map"] ?? []) {
    if (/^[A-Za-z_]\w*$/.test(name)) {
      state.variables.replace(name, { value, attributes: exported.has(name) ? EXPORTED : 0 });
    }
  }
  state.cwd = saved.cwd ?? state.cwd;
}

/** Makes the state fit for a new script, however the last one ended. */
export function settleState(state: ShellState): void {
  while (state.variables.depth > 0) state.variables.popScope();
  state.loops =
    state.conditions =
    state.substitutions =
    state.evals =
      0;
  state.line = 1;
  state.frames = [];
}
