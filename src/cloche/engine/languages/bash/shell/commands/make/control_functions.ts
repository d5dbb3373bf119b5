/** Functions of make that decide, repeat, define, run and report. */
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { SinkStream } from "../../descriptors/devices.ts";
import { type Task, wait } from "../../task.ts";
import { expand } from "./expand.ts";
import { callByName, type MakeFunction } from "./functions.ts";
import { exportedVariables, shellWords } from "./shell_words.ts";
import { MakeError, type Session } from "./session.ts";
import { splitWords } from "./text.ts";
import type { Scope } from "./variables.ts";

function* chooseBranch(make: Session, [condition, yes, no = ""]: string[], scope: Scope): Task<string> {
  const value = yield* expand(make, condition.trim(), scope);
  return yield* expand(make, value === "" ? no : yes, scope);
}

function* firstTrue(make: Session, args: string[], scope: Scope): Task<string> {
  for (const arg of args) {
    const value = yield* expand(make, arg.trim(), scope);
    if (value !== "") return value;
  }
  return "";
}

function* allTrue(make: Session, args: string[], scope: Scope): Task<string> {
  let value = "";
  for (const arg of args) {
    value = yield* expand(make, arg.trim(), scope);
    if (value === "") return "";
  }
  return value;
}

function* forEach(make: Session, [variable, list, body]: string[], scope: Scope): Task<string> {
  const name = (yield* expand(make, variable, scope)).trim();
  const results: string[] = [];
  const inner = scope.nest();
  for (const value of splitWords(yield* expand(make, list, scope))) {
    inner.set(name, { value, recursive: false, origin: "automatic" });
    results.push(yield* expand(make, body, inner));
  }
  return results.join(" ");
}

function* call(make: Session, args: string[], scope: Scope): Task<string> {
  const [name, ...given] = args.map((arg, i) => i === 0 ? arg.trim() : arg);
  const builtin = yield* callByName(make, name, given, scope);
  if (builtin !== undefined) return builtin;
  const variable = scope.find(name);
  if (variable === undefined) return "";
  const inner = scope.nest();
  // Arguments of a call around this one are not seen.
  for (let i = 0; i < 10 || scope.find(String(i)); i++) {
    inner.set(String(i), { value: i === 0 ? name : given[i - 1] ?? "", recursive: false, origin: "automatic" });
  }
  for (let i = 10; i <= given.length; i++) {
    inner.set(String(i), { value: given[i - 1], recursive: false, origin: "automatic" });
  }
  return variable.recursive ? yield* expand(make, variable.value, inner) : variable.value;
}

/** Runs a command of the shell; its output, with newlines as spaces. */
export function* runShell(make: Session, command: string, scope: Scope): Task<string> {
  const { context } = make;
  const parts: Uint8Array[] = [];
  const fds = context.fds.fork();
  fds.set(1, new SinkStream("pipe", (bytes) => parts.push(bytes)));
  const env = yield* exportedVariables(make, scope, false);
  const argv = [...shellWords(make, scope), command];
  const code = yield* wait(context.spawn(argv, { env, cwd: make.cwd, fds }).done);
  make.checkSignal();
  make.globals.set(".SHELLSTATUS", { value: String(code), recursive: false, origin: "override" });
  return decodeText(fromArray(concatBytes(parts))).replace(/\n+$/, "").replaceAll("\n", " ");
}

function* evaluate(make: Session, [text]: string[]): Task<string> {
  yield* make.evaluate(text);
  return "";
}

function fileFunction(make: Session, [target, text]: string[]): string {
  const [, operator, name] = /^\s*(>>|>|<)?\s*(.*?)\s*$/s.exec(target) ?? [];
  if (operator === undefined || name === "") {
    throw new MakeError(`file: invalid file operation: ${target.trim()}`, make.place);
  }
  const { files } = make.context;
  const path = make.resolve(name);
  if (operator === "<") {
    if (!files.exists(path)) return "";
    return decodeText(fromArray(files.readFile(path))).replace(/\n$/, "");
  }
  try {
    const append = operator === ">>";
    const mode = 0o666 & ~make.context.umask;
    const file = files.open(path, { read: false, write: true, create: true, truncate: !append, append }, mode);
    if (text !== undefined) file.write(toArray(encodeText(text.endsWith("\n") ? text : `${text}\n`)));
    file.close();
    return "";
  } catch (error) {
    throw new MakeError(`open: ${name}: ${reasonOf(error)}`, make.place);
  }
}

function* report(written: void | Promise<void>): Task<string> {
  yield* wait(written);
  return "";
}

const MANY = Infinity;

export const CONTROL: Record<string, MakeFunction> = {
  if: { least: 2, most: 3, raw: true, run: chooseBranch },
  or: { least: 1, most: MANY, raw: true, run: firstTrue },
  and: { least: 1, most: MANY, raw: true, run: allTrue },
  foreach: { least: 3, most: 3, raw: true, run: forEach },
  call: { least: 1, most: MANY, run: call },
  eval: { least: 1, most: 1, run: evaluate },
  shell: { least: 1, most: 1, run: (make, [command], scope) => runShell(make, command, scope) },
  file: { least: 1, most: 2, run: fileFunction },
  value: { least: 1, most: 1, run: (_, [name], scope) => scope.find(name)?.value ?? "" },
  origin: { least: 1, most: 1, run: (_, [name], scope) => scope.find(name)?.origin ?? "undefined" },
  flavor: {
    least: 1,
    most: 1,
    run: (_, [name], scope) => {
      const variable = scope.find(name);
      return variable === undefined ? "undefined" : variable.recursive ? "recursive" : "simple";
    },
  },
  error: {
    least: 1,
    most: 1,
    run: (make, [text]) => {
      throw new MakeError(text, make.place);
    },
  },
  warning: { least: 1, most: 1, run: (make, [text]) => report(make.warn(text)) },
  info: { least: 1, most: 1, run: (make, [text]) => report(make.print(`${text}\n`)) },
};
