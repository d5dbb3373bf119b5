/** type, and what `command -v` says. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import { findProgram, searchPath } from "../processes/find_program.ts";
import { printFunction } from "../syntax/print.ts";
import type { Task } from "../task.ts";
import { BUILTINS, DECLARATIONS } from "./index.ts";
import { readFlags } from "./options.ts";
import { SPECIAL } from "./special.ts";

const KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac in function select time coproc { } ! [[ ]]".split(" "),
);

/** One meaning of a name. */
interface Meaning {
  kind: "alias" | "keyword" | "function" | "builtin" | "file";
  path?: string;
  hashed?: boolean;
}

function isBuiltin(shell: Interpreter, name: string): boolean {
  return !shell.state.disabled.has(name) && (Object.hasOwn(BUILTINS, name) || Object.hasOwn(DECLARATIONS, name));
}

/** Which meanings of a name count. */
interface Asked {
  functions: boolean;
  filesOnly?: boolean;
  all?: boolean;
  /** In the place of PATH. */
  path?: string;
}

function* meaningsOf(shell: Interpreter, name: string, asked: Asked): Generator<Meaning> {
  const { state } = shell;
  if (!asked.filesOnly) {
    if (state.shopt.has("expand_aliases") && state.aliases.has(name)) yield { kind: "alias" };
    if (KEYWORDS.has(name)) yield { kind: "keyword" };
    if (asked.functions && state.functions.has(name)) yield { kind: "function" };
    if (isBuiltin(shell, name)) yield { kind: "builtin" };
  }
  if (name.includes("/")) {
    const found = findProgram(shell, name);
    if (found && (found.type === "program" || shell.files.isExecutable(shell.resolve(name)))) {
      yield { kind: "file", path: name };
    }
  } else if (!asked.all) {
    const known = asked.path === undefined && state.options.has("hashall") ? state.hashed.get(name) : undefined;
    const found = known ?? findFirst(shell, name, asked.path);
    if (found) yield { kind: "file", path: found.path, hashed: known !== undefined };
  } else for (const found of searchPath(shell, name)) yield { kind: "file", path: found.path };
}

/** The first program in PATH, or else a file that is none: `type` names it all the same. */
function findFirst(shell: Interpreter, name: string, path: string | undefined): { path: string } | undefined {
  for (const executable of [true, false]) for (const found of searchPath(shell, name, path, executable)) return found;
  return undefined;
}

function describe(shell: Interpreter, name: string, { kind, path, hashed }: Meaning): string {
  switch (kind) {
    case "alias":
      return `${name} is aliased to \`${shell.state.aliases.get(name)}'`;
    case "keyword":
      return `${name} is a shell keyword`;
    case "function": {
      const found = shell.state.functions.get(name);
      return `${name} is a function\n${found ? printFunction(found.node) : ""}`;
    }
    case "builtin":
      return shell.state.options.has("posix") && SPECIAL.has(name)
        ? `${name} is a special shell builtin`
        : `${name} is a shell builtin`;
    case "file":
      return hashed ? `${name} is hashed (${path})` : `${name} is ${path}`;
  }
}

/** `command -v` and `-V`. */
export function* describeNames(
  shell: Interpreter,
  names: string[],
  verbose: boolean,
  path?: string,
): Task<number> {
  let code = names.length === 0 ? 0 : 1;
  for (const name of names) {
    const [meaning] = meaningsOf(shell, name, { functions: true, path });
    if (meaning === undefined) {
      if (verbose) shell.complain(`command: ${name}: not found`);
      continue;
    }
    code = 0;
    const terse = meaning.kind === "alias"
      ? `alias ${name}='${shell.state.aliases.get(name)?.replaceAll("'", "'\\''")}'`
      : meaning.path ?? name;
    yield* shell.print(`${verbose ? describe(shell, name, meaning) : terse}\n`);
  }
  return code;
}

const type: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "type", args, "afptP");
  if (!given) return 2;
  const asked = { functions: !given.has("f"), filesOnly: given.has("P"), all: given.has("a") };
  let code = 0;
  for (const name of given.rest) {
    const all = [...meaningsOf(shell, name, asked)];
    const found = given.has("a") ? all : all.slice(0, 1);
    if (found.length === 0) {
      if (!given.has("t") && !given.has("p") && !given.has("P")) shell.complain(`type: ${name}: not found`);
      code = 1;
    }
    for (const meaning of found) {
      if (given.has("t")) yield* shell.print(`${meaning.kind}\n`);
      else if (given.has("p") || given.has("P")) {
        if (meaning.kind === "file") yield* shell.print(`${meaning.path}\n`);
      } else yield* shell.print(`${describe(shell, name, meaning)}\n`);
    }
  }
  return code;
};

export const typeBuiltins: Record<string, Builtin> = { type };
