/** Copies, saves and cleans the state of a shell. */
import type { ShellState } from "./just_bash_types.ts";

/** A copy that shares nothing mutable with the original, as a forked process has. */
export function forkState(state: ShellState): ShellState {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(state)) copy[key] = copyOf(value, key === "arrays" ? 3 : 2);
  copy.functions = new Map(state.functions);
  copy.signal = state.signal;
  return copy as unknown as ShellState;
}

function copyOf(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, copyOf(item, depth - 1)]));
  if (value instanceof Set) return new Set(value);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, depth - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, depth - 1)]));
}

/** Fields that describe where in a script the shell is; meaningless once the script has ended. */
const TRANSIENT = [
  "callLineStack",
  "extraArgs",
  "funcNameStack",
  "fullyUnsetLocals",
  "groupStdin",
  "groupStdinSourceFd",
  "localArrayScopes",
  "localExportedVars",
  "localVarDepth",
  "localVarStack",
  "parentHasLoopContext",
  "processSubstitutions",
  "sourceStack",
  "suppressVerbose",
  "tempEnvBindings",
  "tempExportedVars",
];

/** Makes the state fit for a new script, however the last one ended; redirections of the standard streams are undone. */
export function settleState(state: ShellState): void {
  for (const key of TRANSIENT) delete (state as unknown as Record<string, unknown>)[key];
  state.localScopes = [];
  state.loopDepth = state.callDepth = state.sourceDepth = 0;
  state.currentLine = 1;
  state.inCondition = false;
  state.errexitSafe = false;
  state.closedStandardFds = undefined;
  for (const fd of [0, 1, 2]) {
    state.fileDescriptors?.delete(fd);
    state.inputFds?.delete(fd);
  }
}

/** Names of fields that belong to one process and not to the state. */
const BOUND = new Set(["signal", "fileDescriptors", "inputFds", "fdAliases", "closedStandardFds", "hashTable"]);

/** The state as text, for a shell in another process. */
export function saveState(state: ShellState): string {
  const copy = forkState(state);
  settleState(copy);
  const fields = Object.entries(copy).filter(([key]) => !BOUND.has(key));
  return JSON.stringify(Object.fromEntries(fields), (_, value) => {
    if (value instanceof Map) return { "\0map": [...value] };
    if (value instanceof Set) return { "\0set": [...value] };
    return typeof value === "bigint" ? { "\0bigint": String(value) } : value;
  });
}

/** Puts a saved state in the place of a new shell's own. */
export function load(state: ShellState, saved: string): void {
  const fields = JSON.parse(saved, (_, value) => {
    if (value?.["\0map"]) return new Map(value["\0map"]);
    if (value?.["\0set"]) return new Set(value["\0set"]);
    return value?.["\0bigint"] === undefined ? value : BigInt(value["\0bigint"]);
  });
  Object.assign(state, fields);
}

/** Saves what a stage of a pipeline may change without its neighbours seeing it; returns the way back. */
export function guardState(state: ShellState): () => void {
  const { cwd, previousDir, options, shoptOptions, functions, exportedVars } = state;
  state.options = { ...options };
  state.shoptOptions = { ...shoptOptions };
  state.functions = new Map(functions);
  state.exportedVars = new Set(exportedVars);
  return () => Object.assign(state, { cwd, previousDir, options, shoptOptions, functions, exportedVars });
}

/** Hides persistent redirections of standard output, which a pipe takes the place of; returns the way back. */
export function hideOutput(state: ShellState): () => void {
  const entry = state.fileDescriptors?.get(1);
  if (entry === undefined) return () => {};
  state.fileDescriptors?.delete(1);
  return () => state.fileDescriptors?.set(1, entry);
}
