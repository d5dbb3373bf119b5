/** cd, pwd, pushd, popd, dirs. */
import { reasonOf } from "../../text/file_errors.ts";
import { FileError } from "../../../../fs/files.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { resolvePath } from "../processes/system_files.ts";
import { assignVariable, readVariable } from "../state/assign.ts";
import { EXPORTED } from "../state/variables.ts";
import type { Task } from "../task.ts";
import { sayUsage } from "./usages.ts";

const cd: Builtin = function* (shell, args): Task<number> {
  let physical = shell.state.options.has("physical");
  let at = 0;
  for (; /^-[LPe@]+$/.test(args[at] ?? ""); at++) physical = /P[^L]*$/.test(args[at]);
  if (args[at] === "--") at++;
  if (args.length > at + 1) {
    shell.complain("cd: too many arguments");
    return 1;
  }
  let target = args[at];
  let shown = false;
  if (target === undefined || target === "-") {
    const name = target === "-" ? "OLDPWD" : "HOME";
    const value = readVariable(shell, name);
    if (value === undefined) {
      shell.complain(`cd: ${name} not set`);
      return 1;
    }
    shown = target === "-";
    target = value;
  } else if (!/^(\/|\.\.?(\/|$))/.test(target)) {
    for (const folder of (readVariable(shell, "CDPATH") ?? "").split(":")) {
      const path = `${folder || "."}/${target}`;
      if (folder === "" || !isFolder(shell, path)) continue;
      target = path;
      shown = true;
      break;
    }
  }
  const code = changeFolder(shell, target, physical, "cd");
  if (code === 0 && shown) yield* shell.print(`${shell.state.cwd}\n`);
  return code;
};

function isFolder(shell: Interpreter, path: string): boolean {
  try {
    return shell.files.stat(shell.resolve(path)).kind === "directory";
  } catch {
    return false;
  }
}

/** Goes to a folder; PWD and OLDPWD follow. */
export function changeFolder(shell: Interpreter, target: string, physical: boolean, name: string): number {
  if (target === "") return 0;
  const path = physical ? shell.resolve(target) : resolvePath(shell.state.cwd, target);
  try {
    checkParents(shell, target);
    if (shell.files.stat(path).kind !== "directory") throw new FileError("ENOTDIR");
    const real = physical ? shell.files.realPath(path) : path;
    assignVariable(shell, "OLDPWD", readVariable(shell, "PWD") ?? shell.state.cwd);
    shell.state.cwd = real;
    assignVariable(shell, "PWD", real);
    for (const each of ["PWD", "OLDPWD"]) {
      const variable = shell.state.variables.find(each);
      if (variable) shell.state.variables.replace(each, { ...variable, attributes: variable.attributes | EXPORTED });
    }
    return 0;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    shell.complain(`${name}: ${target}: ${reasonOf(error)}`);
    return 1;
  }
}

/** `x/..` counts only if x is a folder. */
function checkParents(shell: Interpreter, target: string): void {
  const parts = target.split("/");
  for (let i = 1; i < parts.length; i++) {
    if (parts[i] === ".." && parts[i - 1] !== "..") shell.files.stat(shell.resolve(parts.slice(0, i).join("/") || "/"));
  }
}

const pwd: Builtin = function* (shell, args) {
  const physical = args.includes("-P") || shell.state.options.has("physical") && !args.includes("-L");
  yield* shell.print(`${physical ? shell.files.realPath(shell.state.cwd) : shell.state.cwd}\n`);
  return 0;
};

function shorten(shell: Interpreter, path: string): string {
  const home = readVariable(shell, "HOME");
  return home && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function stackOf(shell: Interpreter): string[] {
  return [shell.state.cwd, ...shell.state.directories];
}

/** What pushd, popd and dirs are given: letters, a place in the stack, a word. */
interface StackWords {
  letters: Set<string>;
  /** As it was written, and counted from the top. */
  place?: { word: string; at: number };
  word?: string;
}

/** Reads the words of a builtin; a mistake is said and gives undefined. */
function readStackWords(
  shell: Interpreter,
  name: string,
  args: string[],
  letters: string,
): StackWords | undefined {
  const given: StackWords = { letters: new Set() };
  const refuse = (text: string) => {
    shell.complain(`${name}: ${text}`);
    sayUsage(shell, name);
    return undefined;
  };
  const last = shell.state.directories.length;
  for (const [i, word] of args.entries()) {
    if (word === "--" || word === "-" && name === "pushd") return { ...given, word: args[word === "-" ? i : i + 1] };
    if (word.length === 2 && word[0] === "-" && letters.includes(word[1])) given.letters.add(word[1]);
    else if (/^[-+]/.test(word)) {
      if (!/^[-+]\d+$/.test(word)) return refuse(`${word}: invalid number`);
      const number = Number(word.slice(1));
      given.place = { word, at: word[0] === "+" ? number : last - number };
    } else if (name === "pushd") return { ...given, word };
    else return refuse(name === "dirs" ? `${word}: invalid option` : `${word}: invalid argument`);
  }
  return given;
}

function isOutside(shell: Interpreter, place: StackWords["place"]): boolean {
  return place !== undefined && (place.at < 0 || place.at > shell.state.directories.length);
}

function refusePlace(shell: Interpreter, name: string, word: string): number {
  const empty = shell.state.directories.length === 0;
  shell.complain(empty ? `${name}: directory stack empty` : `${name}: ${word}: directory stack index out of range`);
  return 1;
}

const dirs: Builtin = function* (shell, args): Task<number> {
  const given = readStackWords(shell, "dirs", args, "clpv");
  if (!given) return 2;
  const { letters, place } = given;
  if (letters.has("c")) {
    shell.state.directories = [];
    return 0;
  }
  if (place && isOutside(shell, place)) return refusePlace(shell, "dirs", place.word.slice(1));
  const stack = stackOf(shell);
  const shown = (place ? [stack[place.at]] : stack).map((path) => letters.has("l") ? path : shorten(shell, path));
  const first = place?.at ?? 0;
  if (letters.has("v")) {
    yield* shell.print(shown.map((path, i) => `${String(first + i).padStart(2)}  ${path}\n`).join(""));
  } else yield* shell.print(shown.join(letters.has("p") ? "\n" : " ") + "\n");
  return 0;
};

const pushd: Builtin = function* (shell, args): Task<number> {
  const given = readStackWords(shell, "pushd", args, "n");
  if (!given) return 2;
  const stack = stackOf(shell);
  const quiet = given.letters.has("n");
  const { place, word } = given;
  if (args.length === 0 || args.length === 1 && args[0] === "--") {
    if (stack.length < 2) {
      shell.complain("pushd: no other directory");
      return 1;
    }
    return yield* moveTo(shell, [stack[1], stack[0], ...stack.slice(2)], "pushd");
  }
  if (place && isOutside(shell, place)) return refusePlace(shell, "pushd", place.word);
  if (place) {
    const turned = [...stack.slice(place.at), ...stack.slice(0, place.at)];
    if (!quiet) return yield* moveTo(shell, turned, "pushd");
    if (place.at > 0) shell.state.directories = turned.slice(1);
    return 0;
  }
  if (word === undefined) return 0;
  if (!quiet) return yield* moveTo(shell, [word, ...stack], "pushd");
  shell.state.directories.unshift(word);
  return yield* showStack(shell);
};

function* moveTo(shell: Interpreter, stack: string[], name: string): Task<number> {
  const code = changeFolder(shell, stack[0], false, name);
  if (code !== 0) return code;
  shell.state.directories = stack.slice(1);
  return yield* showStack(shell);
}

function* showStack(shell: Interpreter): Task<number> {
  yield* shell.print(`${stackOf(shell).map((path) => shorten(shell, path)).join(" ")}\n`);
  return 0;
}

const popd: Builtin = function* (shell, args): Task<number> {
  const given = readStackWords(shell, "popd", args, "n");
  if (!given) return 2;
  const stack = stackOf(shell);
  const { place = { word: "", at: 0 } } = given;
  if (stack.length < 2 || isOutside(shell, place)) return refusePlace(shell, "popd", place.word);
  const rest = stack.filter((_, i) => i !== place.at);
  if (place.at === 0 && !given.letters.has("n")) return yield* moveTo(shell, rest, "popd");
  // Without going anywhere, the folder below the current one is left out.
  shell.state.directories = place.at === 0 ? stack.slice(2) : rest.slice(1);
  return yield* showStack(shell);
};

export const directoryBuiltins: Record<string, Builtin> = { cd, pwd, dirs, pushd, popd };
