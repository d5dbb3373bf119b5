/** The command line of `node` and `ts`. */

import type { TestSettings } from "./services.ts";

export interface Command {
  what: "file" | "code" | "stdin" | "version" | "help" | "check" | "test";
  /** The file or the code. */
  subject: string;
  /** Whether the value of the code is printed. */
  print: boolean;
  /** Modules that are loaded first. */
  first: string[];
  args: string[];
  tests: TestSettings;
  /** Why the command is not valid. */
  problem?: string;
}

const CODE = new Set(["-e", "--eval", "-p", "--print", "-pe"]);
const FIRST = new Set(["-r", "--require", "--import"]);
/** Options with a value that have no effect here. */
const VALUED = new Set([
  "-C",
  "--conditions",
  "--env-file",
  "--loader",
  "--stack-trace-limit",
  "--test-concurrency",
  "--test-isolation",
]);
/** Options of Node that have no effect here. */
const IDLE =
  /^(-i|--interactive|--(no|abort|allow|disable|enable|es|experimental|expose|force|frozen|harmony|icu|input|inspect|max|node|pending|preserve|stack|throw|title|trace|unhandled|use|v8)[-_].+|--(jitless|inspect|title|watch|strip-types|test-force-exit))$/;
const REPORTERS = ["tap", "spec", "dot"];

/** Options of tests: each returns what is wrong with its value. */
const TESTS: Record<
  string,
  (tests: TestSettings, value: string) => string | undefined
> = {
  "--test-reporter": (tests, value) => {
    tests.reporter = value;
    return REPORTERS.includes(value) ? undefined : `no reporter ${value}; there are: ${REPORTERS.join(", ")}`;
  },
  "--test-reporter-destination": (_, value) =>
    value === "stdout" ? undefined : "--test-reporter-destination can only be stdout",
  "--test-name-pattern": (tests, value) => void (tests.patterns ??= []).push(value),
  "--test-skip-pattern": (tests, value) => void (tests.skipped ??= []).push(value),
  "--test-timeout": (tests, value) => {
    tests.timeout = Number(value);
    return tests.timeout >= 0 ? undefined : "--test-timeout requires a number";
  },
};

export function parseCommand(args: string[]): Command {
  const command: Command = {
    what: "stdin",
    subject: "",
    print: false,
    first: [],
    args: [],
    tests: {},
  };
  for (let at = 0; at < args.length; at++) {
    const [name, value] = split(args[at]);
    if (command.what === "test" && !name.startsWith("-")) {
      command.args.push(name);
      continue;
    }
    if (name === "-" || !name.startsWith("-")) {
      const what = name === "-" ? "stdin" : "file";
      return { ...command, what, subject: args[at], args: args.slice(at + 1) };
    }
    if (name === "--") {
      return {
        ...command,
        what: "file",
        subject: args[at + 1] ?? "",
        args: args.slice(at + 2),
      };
    }
    if (CODE.has(name)) {
      const code = value ?? args[at + 1];
      if (code === undefined) {
        return { ...command, problem: `${name} requires an argument` };
      }
      const rest = args.slice(value === undefined ? at + 2 : at + 1).filter((
        each,
      ) => each !== "--");
      return {
        ...command,
        what: "code",
        subject: code,
        print: name.includes("p"),
        args: rest,
      };
    }
    if (name === "-i" || name === "--interactive") continue;
    if (name === "-v" || name === "--version") {
      return { ...command, what: "version" };
    }
    if (name === "-h" || name === "--help") return { ...command, what: "help" };
    if (name === "-c" || name === "--check") {
      return { ...command, what: "check", subject: args[at + 1] ?? "" };
    }
    if (name === "--test") command.what = "test";
    else if (name === "--test-only") command.tests.only = true;
    else if (Object.hasOwn(TESTS, name)) {
      const given = value ?? args[++at];
      const problem = given === undefined ? `${name} requires an argument` : TESTS[name](command.tests, given);
      if (problem !== undefined) return { ...command, problem };
    } else if (FIRST.has(name)) command.first.push(value ?? args[++at] ?? "");
    else if (VALUED.has(name)) at += value === undefined ? 1 : 0;
    else if (!IDLE.test(name)) {
      return { ...command, problem: `bad option: ${name}` };
    }
  }
  return command;
}

function split(argument: string): [name: string, value: string | undefined] {
  const at = argument.startsWith("--") ? argument.indexOf("=") : -1;
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}
