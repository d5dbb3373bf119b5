/** test and [. */
import { wrap } from "../arithmetic/number.ts";
import type { Stat } from "../../../../fs/files.ts";
import { isTerminal } from "../descriptors/terminal.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { descriptorPath } from "../descriptors/paths.ts";
import { isReference, isSet } from "../state/assign.ts";
import type { SetOption } from "../state/shell_state.ts";

/** What a test looks at: files, descriptors, and the shell's own variables and options where there is a shell. */
export interface TestSystem extends Pick<Interpreter, "files" | "fds" | "resolve"> {
  isSet?(name: string): boolean;
  isReference?(name: string): boolean;
  hasOption?(name: string): boolean;
}

function statOf(shell: TestSystem, path: string, link = false): Stat | undefined {
  if (path === "") return undefined;
  const fd = descriptorPath(path);
  if (fd !== undefined) return shell.fds.find(fd)?.stat();
  try {
    return link ? shell.files.lstat(shell.resolve(path)) : shell.files.stat(shell.resolve(path));
  } catch {
    return undefined;
  }
}

/** A test of a file. */
export function testFile(shell: TestSystem, operator: string, path: string): boolean {
  if (operator === "-t") return isTerminal(shell.fds, Number(path));
  const stat = statOf(shell, path, operator === "-L" || operator === "-h");
  if (!stat) return false;
  switch (operator) {
    case "-d":
      return stat.kind === "directory";
    case "-f":
      return stat.kind === "file";
    case "-L":
    case "-h":
      return stat.kind === "link";
    case "-s":
      return stat.size > 0;
    case "-x":
      return stat.kind === "directory" || shell.files.isExecutable(shell.resolve(path));
    case "-r":
      return (stat.mode & 0o444) !== 0;
    case "-w":
      return (stat.mode & 0o222) !== 0;
    case "-N":
      return stat.mtime > stat.atime;
    case "-b":
    case "-S":
      return false;
    case "-c":
      return (stat.mode & 0o170000) === 0o20000;
    case "-p":
      return (stat.mode & 0o170000) === 0o10000;
    case "-g":
      return (stat.mode & 0o2000) !== 0;
    case "-u":
      return (stat.mode & 0o4000) !== 0;
    case "-k":
      return (stat.mode & 0o1000) !== 0;
  }
  return true;
}

export function compareFiles(shell: TestSystem, operator: string, left: string, right: string): boolean {
  const [a, b] = [statOf(shell, left), statOf(shell, right)];
  if (operator === "-ef") return a !== undefined && b !== undefined && a.ino === b.ino;
  if (operator === "-nt") return a !== undefined && (b === undefined || a.mtime > b.mtime);
  return b !== undefined && (a === undefined || a.mtime < b.mtime);
}

/** A mistake in the words of a test. */
class TestError extends Error {}

const BINARY = new Set([
  "=",
  "==",
  "!=",
  "<",
  ">",
  "-eq",
  "-ne",
  "-lt",
  "-le",
  "-gt",
  "-ge",
  "-nt",
  "-ot",
  "-ef",
  "-a",
  "-o",
]);

const UNARY = /^-[a-hknoprstuvwxzGLNORS]$/;

class Test {
  #at = 0;

  /** `after`: what stands after the words. */
  constructor(
    private readonly system: TestSystem,
    private readonly words: string[],
    private readonly after?: string,
  ) {}

  run(): boolean {
    const { words } = this;
    if (words.length === 0) return false;
    if (words.length === 1) return words[0] !== "";
    if (words.length === 2) {
      if (words[0] === "!") return words[1] === "";
      return this.#unary(words[0], words[1]);
    }
    if (words.length === 3) {
      const [a, b, c] = words;
      if (BINARY.has(b)) return this.#binary(a, b, c);
      if (a === "!") return !new Test(this.system, words.slice(1)).run();
      if (a === "(" && c === ")") return b !== "";
      throw new TestError(`${b}: binary operator expected`);
    }
    if (words.length === 4) {
      if (words[0] === "!") return !new Test(this.system, words.slice(1)).run();
      if (words[0] === "(" && words[3] === ")") return new Test(this.system, words.slice(1, 3)).run();
    }
    const value = this.#or();
    if (this.#at < words.length) {
      const word = words[this.#at];
      throw new TestError(word.startsWith("-") ? `syntax error: \`${word}' unexpected` : "too many arguments");
    }
    return value;
  }

  #or(): boolean {
    let value = this.#and();
    while (this.words[this.#at] === "-o") {
      this.#at++;
      const right = this.#and();
      value ||= right;
    }
    return value;
  }

  #and(): boolean {
    let value = this.#not();
    while (this.words[this.#at] === "-a") {
      this.#at++;
      const right = this.#not();
      value &&= right;
    }
    return value;
  }

  #not(): boolean {
    if (this.words[this.#at] !== "!") return this.#primary();
    this.#at++;
    return !this.#not();
  }

  #primary(): boolean {
    const [a, b, c] = this.words.slice(this.#at, this.#at + 3);
    if (a === undefined) throw new TestError("argument expected");
    if (a === "(") {
      this.#at++;
      const value = this.#or();
      const found = this.words[this.#at] ?? this.after;
      if (found !== ")") throw new TestError(`\`)' expected${found === undefined ? "" : `, found ${found}`}`);
      this.#at++;
      return value;
    }
    if (b !== undefined && BINARY.has(b) && c !== undefined && b !== "-a" && b !== "-o") {
      this.#at += 3;
      return this.#binary(a, b, c);
    }
    if (UNARY.test(a) && b !== undefined) {
      this.#at += 2;
      return this.#unary(a, b);
    }
    this.#at++;
    return a !== "";
  }

  #unary(operator: string, operand: string): boolean {
    switch (operator) {
      case "-z":
        return operand === "";
      case "-n":
        return operand !== "";
      case "-v":
        return this.system.isSet?.(operand) ?? false;
      case "-R":
        return this.system.isReference?.(operand) ?? false;
      case "-o":
        return this.system.hasOption?.(operand) ?? false;
    }
    if (!UNARY.test(operator)) throw new TestError(`${operator}: unary operator expected`);
    return testFile(this.system, operator, operand);
  }

  #binary(a: string, operator: string, b: string): boolean {
    switch (operator) {
      case "=":
      case "==":
        return a === b;
      case "!=":
        return a !== b;
      case "<":
        return a < b;
      case ">":
        return a > b;
      case "-a":
        return a !== "" && b !== "";
      case "-o":
        return a !== "" || b !== "";
    }
    if (/^-(nt|ot|ef)$/.test(operator)) return compareFiles(this.system, operator, a, b);
    const [x, y] = [this.#number(a), this.#number(b)];
    switch (operator) {
      case "-eq":
        return x === y;
      case "-ne":
        return x !== y;
      case "-lt":
        return x < y;
      case "-le":
        return x <= y;
      case "-gt":
        return x > y;
    }
    return x >= y;
  }

  #number(text: string): number | bigint {
    if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`${text}: integer expression expected`);
    return text.length < 16 ? Number(text) : wrap(BigInt(text.trim()));
  }
}

/** The exit code of test or [ with these words, without the name; `complain` is told what is wrong with them. */
export function runTest(system: TestSystem, name: string, words: string[], complain: (text: string) => void): number {
  try {
    if (name === "test") return new Test(system, words).run() ? 0 : 1;
    if (words.at(-1) !== "]") throw new TestError("missing `]'");
    return new Test(system, words.slice(0, -1), "]").run() ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    complain(`${name}: ${error.message}`);
    return 2;
  }
}

function makeBuiltin(name: string): Builtin {
  return (shell, args) => {
    const system: TestSystem = {
      files: shell.files,
      fds: shell.fds,
      resolve: (path) => shell.resolve(path),
      isSet: (operand) => isSet(shell, operand),
      isReference: (operand) => isReference(shell, operand),
      hasOption: (operand) => shell.state.options.has(operand as SetOption),
    };
    return runTest(system, name, args, (text) => shell.complain(text));
  };
}

export const testBuiltins: Record<string, Builtin> = { test: makeBuiltin("test"), "[": makeBuiltin("[") };
