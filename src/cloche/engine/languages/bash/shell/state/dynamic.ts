/** Variables that are computed when they are read. */
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import { describeCommand } from "../syntax/print.ts";
import { AssociativeArray, IndexedArray } from "./arrays.ts";
import type { Value } from "./variables.ts";

export interface DynamicVariable {
  read(shell: Interpreter): Value | undefined;
  /** Absent: assignments are ignored. */
  assign?(shell: Interpreter, value: string, key?: string): void;
}

const now = () => Date.now() / 1000;
const randomWord = () => crypto.getRandomValues(new Uint32Array(1))[0];
const list = (items: string[]) => new IndexedArray(items);

/** Of the tables that bash keeps: they give the order. */
const ALIAS_BUCKETS = 64;
export const PROGRAM_BUCKETS = 256;

function refuse(name: string): never {
  throw new ExpansionError(`${name}: readonly variable`, false);
}

const ALL: Record<string, DynamicVariable> = {
  LINENO: { read: ({ state }) => String(state.line), assign: () => {} },
  RANDOM: {
    read({ state }) {
      const seed = state.seed = nextRandom(state.seed ?? randomWord());
      return String(((seed >>> 16) ^ (seed & 65535)) & 32767);
    },
    assign({ state }, value) {
      state.seed = Number(value) >>> 0;
    },
  },
  SRANDOM: { read: () => String(randomWord()) },
  SECONDS: {
    read: ({ state }) => String(Math.floor(now() - state.started)),
    assign({ state }, value) {
      state.started = now() - (Number(value) || 0);
    },
  },
  EPOCHSECONDS: { read: () => String(Math.floor(now())) },
  EPOCHREALTIME: { read: () => ((performance.timeOrigin + performance.now()) / 1000).toFixed(6) },
  BASHPID: { read: ({ process, state }) => String(state.subshell === 0 ? state.shellPid : process.pid) },
  BASH_SUBSHELL: {
    read: ({ state }) => String(state.subshell),
    assign({ state }, value) {
      state.subshell = Number(value) || 0;
    },
  },
  BASH_COMMAND: {
    read({ state }) {
      const node = state.trapped ?? state.command;
      return node === undefined ? "" : describeCommand(node);
    },
  },
  PIPESTATUS: { read: ({ state }) => list(state.pipeStatus.map(String)) },
  GROUPS: { read: () => list(["1000"]) },
  DIRSTACK: { read: ({ state }) => list([state.cwd, ...state.directories]) },
  FUNCNAME: {
    read({ state: { frames } }) {
      if (!frames.some(({ kind }) => kind === "function")) return undefined;
      return list(frames.map(({ name }) => name).reverse());
    },
  },
  BASH_SOURCE: { read: ({ state }) => list(state.frames.map(({ source }) => source).reverse()) },
  BASH_LINENO: { read: ({ state }) => list(state.frames.map(({ callLine }) => String(callLine)).reverse()) },
  BASH_ALIASES: {
    read: ({ state }) => new AssociativeArray(state.aliases, ALIAS_BUCKETS),
    assign({ state }, value, key) {
      if (key !== undefined) state.aliases.set(key, value);
    },
  },
  BASH_CMDS: {
    read: ({ state }) =>
      new AssociativeArray(
        [...state.hashed].map(([name, { path }]): [string, string] => [name, path]),
        PROGRAM_BUCKETS,
      ),
    assign({ state }, path, name) {
      if (name !== undefined) state.hashed.set(name, { path, hits: 0 });
    },
  },
  SHELLOPTS: { read: ({ state }) => [...state.options].sort().join(":"), assign: () => refuse("SHELLOPTS") },
  BASHOPTS: { read: ({ state }) => [...state.shopt].sort().join(":"), assign: () => refuse("BASHOPTS") },
  BASH_ARGV0: {
    read: ({ state }) => state.name,
    assign({ state }, value) {
      state.name = value;
    },
  },
  HISTCMD: { read: ({ state }) => String(state.history.next) },
  _: { read: ({ state }) => state.lastArgument },
};

/** Those that are always there; `state.undone` names the ones that `unset` has made usual variables. */
export const DYNAMIC: ReadonlyMap<string, DynamicVariable> = new Map(Object.entries(ALL));

export function findDynamic(shell: Interpreter, name: string): DynamicVariable | undefined {
  const found = DYNAMIC.get(name);
  return found && shell.state.undone.has(name) ? undefined : found;
}

/** The generator that bash uses. */
function nextRandom(seed: number): number {
  const value = seed === 0 ? 123459876 : seed;
  const high = Math.floor(value / 127773);
  const next = 16807 * (value - high * 127773) - 2836 * high;
  return (next < 0 ? next + 0x7fffffff : next) >>> 0;
}
