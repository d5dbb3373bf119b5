/** help, caller, enable, hash and those that do nothing here. */
import type { Builtin } from "../interpreter.ts";
import { findProgram } from "../processes/find_program.ts";
import type { Task } from "../task.ts";
import { BUILTINS, DECLARATIONS } from "./index.ts";
import { readFlags } from "./options.ts";

const help: Builtin = function* (shell, args) {
  const names = [...Object.keys(BUILTINS), ...Object.keys(DECLARATIONS)].sort();
  const words = args.filter((word) => !/^-[dms]+$/.test(word));
  if (words.length === 0) {
    yield* shell.print(`These shell commands are defined internally:\n\n${names.join(" ")}\n`);
    return 0;
  }
  let code = 0;
  for (const word of words) {
    if (names.includes(word)) yield* shell.print(`${word}: ${word} [arguments]\n`);
    else {
      shell.complain(
        `help: no help topics match \`${word}'.  Try \`help help' or \`man -k ${word}' or \`info ${word}'.`,
      );
      code = 1;
    }
  }
  return code;
};

const caller: Builtin = function* (shell, args) {
  const { frames } = shell.state;
  const at = args[0] === undefined ? 0 : Number(args[0]);
  const frame = frames[frames.length - 1 - at];
  const above = frames[frames.length - 2 - at];
  if (!frame || frame.kind === "main") return 1;
  const source = above?.source || (frames.length === 1 + at ? "NULL" : "main");
  const line = frame.callLine;
  yield* shell.print(args[0] === undefined ? `${line} ${source}\n` : `${line} ${above?.name ?? "main"} ${source}\n`);
  return 0;
};

const enable: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "enable", args, "adnpsf:", "enable [-a] [-dnps] [-f filename] [name ...]");
  if (!given) return 2;
  const names = [...Object.keys(BUILTINS), ...Object.keys(DECLARATIONS)].sort();
  if (given.rest.length === 0) {
    for (const name of names) {
      const off = shell.state.disabled.has(name);
      if (given.has("a") || off === given.has("n")) yield* shell.print(`enable ${off ? "-n " : ""}${name}\n`);
    }
    return 0;
  }
  let code = 0;
  for (const name of given.rest) {
    if (!names.includes(name)) {
      shell.complain(`enable: ${name}: not a shell builtin`);
      code = 1;
    } else if (given.has("n")) shell.state.disabled.add(name);
    else shell.state.disabled.delete(name);
  }
  return code;
};

const hash: Builtin = function* (shell, args): Task<number> {
  const { hashed } = shell.state;
  const given = readFlags(shell, "hash", args, "dlrtp:", "hash [-lr] [-p pathname] [-dt] [name ...]");
  if (!given) return 2;
  if (given.has("r")) hashed.clear();
  if (args.length === 0 || given.has("l") && given.rest.length === 0) {
    if (hashed.size === 0) yield* shell.print("hash: hash table empty\n");
    else if (given.has("l")) {
      for (const [name, { path }] of hashed) yield* shell.print(`builtin hash -p ${path} ${name}\n`);
    } else {
      yield* shell.print("hits\tcommand\n");
      for (const { path, hits } of hashed.values()) yield* shell.print(`${String(hits).padStart(4)}\t${path}\n`);
    }
    return 0;
  }
  let code = 0;
  for (const name of given.rest) {
    const path = given.get("p");
    if (path !== undefined) hashed.set(name, { path, hits: 0 });
    else if (given.has("d") ? !hashed.delete(name) : given.has("t") ? !hashed.has(name) : !findProgram(shell, name)) {
      shell.complain(`hash: ${name}: not found`);
      code = 1;
    } else if (given.has("t")) {
      yield* shell.print(`${given.rest.length > 1 ? `${name}\t` : ""}${hashed.get(name)?.path}\n`);
    } else {
      const found = hashed.get(name);
      if (found) found.hits = 0;
    }
  }
  return code;
};

const logout: Builtin = (shell) => {
  shell.complain("logout: not login shell: use `exit'");
  return 1;
};

const suspend: Builtin = (shell) => {
  shell.complain("suspend: cannot suspend: no job control");
  return 1;
};

export const helpBuiltins: Record<string, Builtin> = { help, caller, enable, hash, logout, suspend, bind: () => 0 };
