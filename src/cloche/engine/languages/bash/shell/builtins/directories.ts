/** cd, pwd, pushd, popd, dirs. */
import { reasonOf } from "../../text/file_errors.ts";
import { FileError } from "../../../../fs/files.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { assignVariable, readVariable } from "../state/assign.ts";
import { EXPORTED } from "../state/variables.ts";
import type { Task } from "../task.ts";

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
  const path = shell.resolve(target);
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

/** The place in the stack that +1 or -1 names. */
function placeOf(shell: Interpreter, word: string): number | undefined {
  const [, sign, digits] = /^([-+])(\d+)$/.exec(word) ?? [];
  if (digits === undefined) return undefined;
  const { length } = stackOf(shell);
  const at = sign === "+" ? Number(digits) : length - 1 - Number(digits);
  return at >= 0 && at < length ? at : -1;
}

const dirs: Builtin = function* (shell, args) {
  const flags = args.filter((word) => /^-[clpv]+$/.test(word)).join("");
  if (flags.includes("c")) {
    shell.state.directories = [];
    return 0;
  }
  let stack = stackOf(shell);
  const place = args.find((word) => /^[-+]\d+$/.test(word));
  if (place !== undefined) {
    const at = placeOf(shell, place);
    if (at === undefined || at < 0) {
      shell.complain(`dirs: ${place.slice(1)}: directory stack index out of range`);
      return 1;
    }
    stack = [stack[at]];
  }
  const names = flags.includes("l") ? stack : stack.map((path) => shorten(shell, path));
  if (flags.includes("v")) yield* shell.print(names.map((name, i) => `${String(i).padStart(2)}  ${name}\n`).join(""));
  else yield* shell.print(names.join(flags.includes("p") ? "\n" : " ") + "\n");
  return 0;
};

const pushd: Builtin = function* (shell, args): Task<number> {
  const words = args.filter((word) => word !== "-n" && word !== "--");
  const quiet = args.includes("-n");
  const stack = stackOf(shell);
  const [word] = words;
  if (word === undefined) {
    if (stack.length < 2) {
      shell.complain("pushd: no other directory");
      return 1;
    }
    return yield* moveTo(shell, [stack[1], stack[0], ...stack.slice(2)], "pushd");
  }
  const at = placeOf(shell, word);
  if (at === -1) {
    shell.complain(`pushd: ${word}: directory stack index out of range`);
    return 1;
  }
  if (at !== undefined) return yield* moveTo(shell, [...stack.slice(at), ...stack.slice(0, at)], "pushd");
  if (quiet) {
    shell.state.directories.unshift(shell.resolve(word));
    return yield* dirs(shell, []) as Task<number>;
  }
  return yield* moveTo(shell, [word, ...stack], "pushd");
};

function* moveTo(shell: Interpreter, stack: string[], name: string): Task<number> {
  const code = changeFolder(shell, stack[0], false, name);
  if (code !== 0) return code;
  shell.state.directories = stack.slice(1);
  return yield* dirs(shell, []) as Task<number>;
}

const popd: Builtin = function* (shell, args): Task<number> {
  const [word] = args.filter((each) => each !== "-n" && each !== "--");
  const stack = stackOf(shell);
  if (stack.length < 2) {
    shell.complain("popd: directory stack empty");
    return 1;
  }
  const at = word === undefined ? 0 : placeOf(shell, word);
  if (at === undefined || at < 0) {
    shell.complain(`popd: ${word}: ${at === undefined ? "invalid argument" : "directory stack index out of range"}`);
    return at === undefined ? 2 : 1;
  }
  const rest = stack.filter((_, i) => i !== at);
  if (at === 0) return yield* moveTo(shell, rest, "popd");
  shell.state.directories = rest.slice(1);
  return yield* dirs(shell, []) as Task<number>;
};

export const directoryBuiltins: Record<string, Builtin> = { cd, pwd, dirs, pushd, popd };
