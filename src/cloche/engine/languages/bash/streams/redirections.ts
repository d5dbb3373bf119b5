/** Turns the redirections of a command into the targets its output goes to. */
import type { CommandNode, ExecResult, IFileSystem, WordNode } from "just-bash";
import type { Redirection, ShellState } from "../interpreter/just_bash_types.ts";
import { FileTarget, NOWHERE, type Sink, type Target } from "./sinks.ts";

const FILES = new Set([">", ">>", ">|", "&>", "&>>"]);
const INPUTS = new Set(["<", "<<", "<<-", "<<<"]);
const FILE = /^__file(?:_append)?__:/;
const COPY = /^__dupout__:([12])$/;

/** The redirections of a command, sorted by what has to be done about them. */
export interface Plan {
  /** The targets of standard output and error. */
  outputs: Redirection[];
  /** Those left to just-bash. */
  rest: Redirection[];
  /** True if they depend on each other in ways that only just-bash knows: the output is collected for it. */
  tangled: boolean;
}

const NONE: Plan = { outputs: [], rest: [], tangled: false };

/** Sorts a command's redirections. */
export function planRedirections(node: CommandNode): Plan {
  const all = node.redirections as Redirection[];
  if (all.length === 0) return NONE;
  const outputs = all.filter(isOutput);
  const rest = all.filter((item) => !isOutput(item));
  return { outputs, rest, tangled: rest.some((item) => item.fdVariable !== undefined || !INPUTS.has(item.operator)) };
}

function isOutput(item: Redirection): boolean {
  if (item.fdVariable !== undefined || !(FILES.has(item.operator) || item.operator === ">&")) return false;
  return item.fd === null || item.fd === 1 || item.fd === 2;
}

/** Routes redirections that name no file but /dev/null, without touching the file system; undefined if one does. */
export function routeStatically(outputs: Redirection[], outer: Sink): Sink | undefined {
  const sink: Sink = { out: outer.out, err: outer.err };
  for (const { operator, fd, target } of outputs) {
    const name = target.type === "Word" ? literalText(target) : undefined;
    const to = operator === ">&" ? copied(name, sink) : name === "/dev/null" ? NOWHERE : undefined;
    if (!to) return undefined;
    if (fd !== 2) sink.out = to;
    if (fd === 2 || operator.startsWith("&")) sink.err = to;
  }
  return sink;
}

function copied(name: string | undefined, sink: Sink): Target | undefined {
  return name === "1" ? sink.out : name === "2" ? sink.err : name === "-" ? NOWHERE : undefined;
}

/** The text of a word without expansions. */
export function literalText(word: WordNode): string | undefined {
  const [part, ...more] = word.parts;
  return more.length === 0 && part?.type === "Literal" ? part.value : undefined;
}

/** Where output goes and the files that were opened for it; or why they could not be. */
export interface Route {
  sink: Sink;
  files: FileTarget[];
  failed?: ExecResult;
}

/** Lets just-bash open the files, as `exec` would, and takes over the writing. */
export async function routeByExec(
  outputs: Redirection[],
  outer: Sink,
  state: ShellState,
  fs: IFileSystem,
  execute: (node: CommandNode) => Promise<ExecResult>,
): Promise<Route> {
  const undo = remember(state);
  try {
    const failed = await execute(execNode(outputs));
    if (failed.exitCode !== 0) return { sink: outer, files: [], failed };
    const files = new Map<string, FileTarget>();
    const target = (fd: 1 | 2): Target => {
      if (state.closedStandardFds?.has(fd)) return NOWHERE;
      const entry = state.fileDescriptors?.get(fd);
      const copy = entry?.match(COPY);
      if (entry === undefined || copy) return (copy?.[1] ?? String(fd)) === "1" ? outer.out : outer.err;
      const path = entry.replace(FILE, "");
      if (path === "/dev/null") return NOWHERE;
      if (path === "/dev/tty") return outer.out;
      let file = files.get(path);
      if (!file) files.set(path, file = new FileTarget(fs, path));
      return file;
    };
    return { sink: { out: target(1), err: target(2) }, files: [...files.values()] };
  } finally {
    undo();
  }
}

function execNode(redirections: Redirection[]): CommandNode {
  const name: WordNode = { type: "Word", parts: [{ type: "Literal", value: "exec" }] };
  return { type: "SimpleCommand", assignments: [], name, args: [], redirections: redirections as never };
}

function remember(state: ShellState): () => void {
  const { fileDescriptors, inputFds, closedStandardFds, fdAliases } = state;
  state.fileDescriptors = new Map(fileDescriptors);
  state.inputFds = new Set(inputFds);
  state.closedStandardFds = new Set(closedStandardFds);
  state.fdAliases = new Map(fdAliases);
  return () => Object.assign(state, { fileDescriptors, inputFds, closedStandardFds, fdAliases });
}
