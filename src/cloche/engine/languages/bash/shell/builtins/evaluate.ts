/** eval, source, command, builtin, exec, let. */
import { evaluateText } from "../arithmetic/evaluate.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { descriptorPath, readWhole } from "../descriptors/paths.ts";
import { type Builtin, ExitShell, type Interpreter } from "../interpreter.ts";
import { findProgram } from "../processes/find_program.ts";
import { readVariable } from "../state/assign.ts";
import { type Task, wait } from "../task.ts";
import { readFlags } from "./options.ts";
import { describeNames } from "./types.ts";
import { sayUsage } from "./usages.ts";

const evaluate: Builtin = function* (shell, args) {
  const given = readFlags(shell, "eval", args, "");
  if (!given) return 2;
  const text = given.rest.join(" ");
  if (text.trim() === "") return 0;
  shell.state.status = 0;
  const code = yield* shell.runText(text, shell.state.line, "eval");
  // What has failed in it is another matter.
  shell.state.specialFailed = false;
  return code;
};

function sourcing(name: string): Builtin {
  return function* (shell, args) {
    const given = readFlags(shell, name, args, "");
    if (!given) return 2;
    const [file, ...rest] = given.rest;
    if (file === undefined) {
      shell.complain(`${name}: filename argument required`);
      sayUsage(shell, name);
      return 2;
    }
    const path = findSource(shell, file);
    if (path === undefined) {
      shell.complain(`${name}: ${file}: file not found`);
      shell.state.specialFailed = true;
      return 1;
    }
    try {
      const whole = shell.resolve(path);
      if (descriptorPath(whole) === undefined && shell.files.stat(whole).kind === "directory") {
        shell.complain(`${name}: ${file}: is a directory`);
        shell.state.specialFailed = true;
        return 1;
      }
      const text = decodeText(fromArray(yield* wait(readWhole(shell.files, shell.fds, whole))));
      shell.state.status = 0;
      const code = yield* shell.runSource(path, text, rest.length > 0 ? rest : undefined);
      shell.state.specialFailed = false;
      return code;
    } catch (error) {
      if (!isFileError(error)) throw error;
      shell.complain(`${file}: ${reasonOf(error)}`);
      shell.state.specialFailed = true;
      return 1;
    }
  };
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && error.name === "FileError";
}

/** The file that is meant, from PATH too; in POSIX mode only from there. */
function findSource(shell: Interpreter, file: string): string | undefined {
  if (file.includes("/")) return file;
  const { shopt, options } = shell.state;
  const folders = shopt.has("sourcepath") ? (readVariable(shell, "PATH") ?? "").split(":") : [];
  for (const folder of folders) {
    if (folder !== "" && shell.files.exists(shell.resolve(`${folder}/${file}`))) return `${folder}/${file}`;
  }
  return options.has("posix") ? undefined : file;
}

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const command: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "command", args, "pvV");
  if (!given) return 2;
  const path = given.has("p") ? DEFAULT_PATH : undefined;
  if (given.has("v") || given.has("V")) return yield* describeNames(shell, given.rest, given.has("V"), path);
  const words = given.rest;
  if (words.length === 0) return 0;
  shell.state.commands++;
  try {
    return yield* shell.runWords(words, { functions: false, path });
  } finally {
    shell.state.commands--;
  }
};

const builtin: Builtin = function* (shell, args) {
  const given = readFlags(shell, "builtin", args, "");
  if (!given) return 2;
  const words = given.rest;
  return words.length === 0 ? 0 : yield* shell.runWords(words, { builtin: true });
};

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

const exec: Builtin = function* (shell, args) {
  const given = readFlags(shell, "exec", args, "cla:");
  if (!given) return 2;
  const words = given.rest;
  if (words.length === 0) return 0;
  const wrong = checkProgram(shell, words[0]);
  if (wrong !== 0) {
    if (shell.state.interactive || shell.state.shopt.has("execfail")) return wrong;
    throw new ExitShell(wrong);
  }
  shell.state.traps.delete("EXIT");
  shell.replaced = true;
  const as = (given.has("l") ? "-" : "") + (given.get("a") ?? words[0]);
  const env = given.has("c") ? {} : undefined;
  throw new ExitShell(yield* shell.runWords(words, { functions: false, program: true, as, env }));
};

/** Says why something cannot be executed; the exit code of that, or 0. */
function checkProgram(shell: Interpreter, name: string): number {
  if (findProgram(shell, name)) return 0;
  const folder = shell.files.exists(shell.resolve(name)) && shell.files.stat(shell.resolve(name)).kind === "directory";
  if (folder && name !== "") shell.complain(`exec: ${name}: cannot execute: Is a directory`);
  else if (name.includes("/")) shell.complain(`exec: ${name}: No such file or directory`);
  else shell.complain(`exec: ${name}: not found`);
  return folder ? NOT_EXECUTABLE : NOT_FOUND;
}

const compute: Builtin = (shell, args) => {
  if (args.length === 0) {
    shell.complain("let: expression expected");
    return 1;
  }
  let value: number | bigint = 0;
  for (const text of args) value = evaluateText(shell, text);
  return value === 0 || value === 0n ? 1 : 0;
};

export const evaluateBuiltins: Record<string, Builtin> = {
  eval: evaluate,
  source: sourcing("source"),
  ".": sourcing("."),
  command,
  builtin,
  exec,
  let: compute,
};
