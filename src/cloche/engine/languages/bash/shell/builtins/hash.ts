/** enable and hash: what names stand for. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import { findProgram } from "../processes/find_program.ts";
import { sortByHash } from "../state/arrays.ts";
import { PROGRAM_BUCKETS } from "../state/dynamic.ts";
import type { Task } from "../task.ts";
import { BUILTINS, DECLARATIONS } from "./index.ts";
import { type Flags, readFlags } from "./options.ts";
import { SPECIAL } from "./special.ts";

const enable: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "enable", args, "adnpsf:");
  if (!given) return 2;
  const { disabled } = shell.state;
  const names = [...Object.keys(BUILTINS), ...Object.keys(DECLARATIONS)].sort();
  if (given.rest.length === 0) {
    for (const name of names) {
      if (given.has("s") && !SPECIAL.has(name)) continue;
      const off = disabled.has(name);
      if (given.has("a") || off === given.has("n")) yield* shell.print(`enable ${off ? "-n " : ""}${name}\n`);
    }
    return 0;
  }
  let code = 0;
  for (const name of given.rest) {
    if (!names.includes(name)) {
      shell.complain(`enable: ${name}: not a shell builtin`);
      code = 1;
    } else if (given.has("d")) {
      shell.complain(`enable: ${name}: not dynamically loaded`);
      code = 1;
    } else if (given.has("n")) disabled.add(name);
    else disabled.delete(name);
  }
  return code;
};

const hash: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  if (!state.options.has("hashall")) {
    shell.complain("hash: hashing disabled");
    return 1;
  }
  const given = readFlags(shell, "hash", args, "dlrtp:");
  if (!given) return 2;
  if (given.has("r")) state.hashed.clear();
  const lacking = given.rest.length > 0 ? undefined : ["d", "t"].find((letter) => given.has(letter));
  if (lacking) {
    shell.complain(`hash: -${lacking}: option requires an argument`);
    return 1;
  }
  if (given.rest.length === 0 && !given.has("r")) return yield* list(shell, given.has("l"));
  let code = 0;
  for (const name of given.rest) if (!(yield* hashName(shell, name, given))) code = 1;
  return code;
};

function* list(shell: Interpreter, asInput: boolean): Task<number> {
  const { hashed } = shell.state;
  if (hashed.size === 0) {
    yield* shell.print("hash: hash table empty\n");
    return 0;
  }
  if (!asInput) yield* shell.print("hits\tcommand\n");
  for (const name of sortByHash([...hashed.keys()], PROGRAM_BUCKETS)) {
    const { path, hits } = hashed.get(name) ?? { path: "", hits: 0 };
    yield* shell.print(asInput ? asCommand(name, path) : `${String(hits).padStart(4)}\t${path}\n`);
  }
  return 0;
}

function asCommand(name: string, path: string): string {
  return `builtin hash -p ${path} ${name}\n`;
}

/** Does to one name what the options say; false if that fails. */
function* hashName(shell: Interpreter, name: string, given: Flags): Task<boolean> {
  const { hashed } = shell.state;
  const path = given.get("p");
  const refuse = (reason: string) => {
    shell.complain(`hash: ${reason}`);
    return false;
  };
  if (path !== undefined) {
    if (isFolder(shell, path)) return refuse(`${path}: Is a directory`);
    hashed.set(name, { path, hits: 0 });
    return true;
  }
  if (given.has("d")) return hashed.size === 0 || hashed.delete(name) || refuse(`${name}: not found`);
  const known = hashed.get(name);
  if (given.has("t")) {
    if (!known) return refuse(`${name}: not found`);
    const several = given.rest.length > 1 ? `${name}\t` : "";
    yield* shell.print(given.has("l") ? asCommand(name, known.path) : `${several}${known.path}\n`);
    return true;
  }
  hashed.delete(name);
  if (!name.includes("/") && !findProgram(shell, name)) return refuse(`${name}: not found`);
  const found = hashed.get(name);
  if (found) found.hits = 0;
  return true;
}

function isFolder(shell: Interpreter, path: string): boolean {
  try {
    return shell.files.stat(shell.resolve(path)).kind === "directory";
  } catch {
    return false;
  }
}

export const hashBuiltins: Record<string, Builtin> = { enable, hash };
