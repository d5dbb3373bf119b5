/** eval, source, command, builtin, exec, let. */
import { evaluateText } from "../arithmetic/evaluate.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { descriptorPath, readWhole } from "../descriptors/paths.ts";
import { type Builtin, ExitShell, type Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import { type Task, wait } from "../task.ts";
import { readFlags } from "./options.ts";
import { describeNames } from "./types.ts";

const evaluate: Builtin = function* (shell, args) {
  const given = readFlags(shell, "eval", args, "", "eval [arg ...]");
  if (!given) return 2;
  const text = given.rest.join(" ");
  if (text.trim() === "") return 0;
  shell.state.status = 0;
  return yield* shell.runText(text, shell.state.line, "eval");
};

function sourcing(name: string): Builtin {
  return function* (shell, args) {
    const given = readFlags(shell, name, args, "", `${name} filename [arguments]`);
    if (!given) return 2;
    const [file, ...rest] = given.rest;
    if (file === undefined) {
      shell.complain(`${name}: filename argument required`);
      shell.say(`${name}: usage: ${name} filename [arguments]`);
      return 2;
    }
    const path = findSource(shell, file);
    try {
      const whole = shell.resolve(path);
      if (descriptorPath(whole) === undefined && shell.files.stat(whole).kind === "directory") {
        shell.complain(`${name}: ${file}: is a directory`);
        shell.state.specialFailed = true;
        return 1;
      }
      const text = decodeText(fromArray(yield* wait(readWhole(shell.files, shell.fds, whole))));
      shell.state.status = 0;
      return yield* shell.runSource(path, text, rest.length > 0 ? rest : undefined);
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

function findSource(shell: Interpreter, file: string): string {
  if (file.includes("/")) return file;
  for (const folder of (readVariable(shell, "PATH") ?? "").split(":")) {
    if (folder !== "" && shell.files.exists(shell.resolve(`${folder}/${file}`))) return `${folder}/${file}`;
  }
  return file;
}

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const command: Builtin = function* (shell, args): Task<number> {
  let at = 0;
  let path: string | undefined;
  for (; /^-[pvV]+$/.test(args[at] ?? ""); at++) {
    if (args[at].includes("p")) path = DEFAULT_PATH;
    if (/[vV]/.test(args[at])) return yield* describeNames(shell, args.slice(at + 1), args[at].includes("V"));
  }
  if (args[at] === "--") at++;
  else if (/^-./.test(args[at] ?? "")) {
    shell.complain(`command: ${args[at].slice(0, 2)}: invalid option`);
    shell.say("command: usage: command [-pVv] command [arg ...]");
    return 2;
  }
  const words = args.slice(at);
  return words.length === 0 ? 0 : yield* shell.runWords(words, { functions: false, path });
};

const builtin: Builtin = function* (shell, args) {
  const words = args[0] === "--" ? args.slice(1) : args;
  return words.length === 0 ? 0 : yield* shell.runWords(words, { builtin: true });
};

const exec: Builtin = function* (shell, args) {
  let at = 0;
  for (; /^-[cla]/.test(args[at] ?? ""); at++) if (args[at] === "-a") at++;
  if (args[at] === "--") at++;
  else if (/^-./.test(args[at] ?? "")) {
    shell.complain(`exec: ${args[at].slice(0, 2)}: invalid option`);
    shell.say("exec: usage: exec [-cl] [-a name] [command [argument ...]] [redirection ...]");
    return 2;
  }
  const words = args.slice(at);
  if (words.length === 0) return 0;
  shell.state.traps.delete("EXIT");
  throw new ExitShell(yield* shell.runWords(words, { functions: false, program: true }));
};

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
