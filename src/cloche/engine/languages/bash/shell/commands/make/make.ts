/** make, as GNU's. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { runTask, type Task, wait } from "../../task.ts";
import { defineDefaults } from "./defaults.ts";
import { assign, parseAssignment } from "./define.ts";
import { expand } from "./expand.ts";
import { convertSuffixRules } from "./implicit.ts";
import { formatFlags, type MakeOptions, parseArguments } from "./options.ts";
import { Reader, reportMissing } from "./reader.ts";
import { MakeError, Session } from "./session.ts";
import { splitWords } from "./text.ts";
import { Stopped, Updater } from "./update.ts";
import type { Origin } from "./variables.ts";

const FAILED = 2;
const NAMES = ["GNUmakefile", "makefile", "Makefile"];
/** How often makefiles may be made anew. */
const MOST_RESTARTS = 10;

const make: Command = {
  name: "make",
  run(context) {
    const options = parseArguments(context.argv.slice(1), context.env.MAKEFLAGS);
    if (options.done) {
      const { text, code } = options.done;
      const written = context.fds.find(code === 0 ? 1 : 2)?.write(toArray(encodeText(text)));
      return written instanceof Promise ? written.then(() => code) : code;
    }
    return runTask(runMake(context, options));
  },
};

function* runMake(context: CommandContext, options: MakeOptions): Task<number> {
  const level = Number(context.env.MAKELEVEL ?? 0) || 0;
  let cwd = context.cwd;
  for (const folder of options.folders) {
    const path = context.files.resolve(cwd, folder);
    const problem = checkFolder(context, path);
    if (problem !== undefined) {
      const title = new Session(context, options, cwd, level).title;
      yield* wait(context.fds.find(2)?.write(toArray(encodeText(`${title}: *** ${folder}: ${problem}.  Stop.\n`))));
      return FAILED;
    }
    cwd = context.files.realPath(path);
  }
  const { letters } = options;
  if (
    !letters.has("w") && !options.noPrintDirectory && !letters.has("s") && (options.folders.length > 0 || level > 0)
  ) {
    letters.add("w");
  }
  const first = new Session(context, options, cwd, level);
  const says = letters.has("w") && !options.noPrintDirectory;
  if (says) yield* wait(first.print(`${first.title}: Entering directory '${cwd}'\n`));
  try {
    for (let restarts = 0;; restarts++) {
      const code = yield* runOnce(new Session(context, options, cwd, level), restarts);
      if (code !== undefined) return code;
    }
  } finally {
    if (says) yield* wait(first.print(`${first.title}: Leaving directory '${cwd}'\n`));
  }
}

function checkFolder(context: CommandContext, path: string): string | undefined {
  try {
    return context.files.stat(path).kind === "directory" ? undefined : "Not a directory";
  } catch (error) {
    return reasonOf(error);
  }
}

/** Undefined if a makefile was made anew and all has to be read again. */
function* runOnce(make: Session, restarts: number): Task<number | undefined> {
  try {
    const reader = new Reader(make);
    make.evaluate = (text) => reader.readText(text, make.place?.file ?? "", make.place?.line ?? 1);
    yield* prepare(make, restarts);
    yield* readMakefiles(make, reader);
    convertSuffixRules(make);
    make.place = undefined;
    if (restarts < MOST_RESTARTS && (yield* remakeMakefiles(make, reader))) return undefined;
    return yield* updateGoals(make);
  } catch (error) {
    if (error instanceof Stopped) return FAILED;
    if (error instanceof MakeError) {
      const { place } = error;
      yield* wait(
        make.complain(`${place ? `${place.file}:${place.line}` : make.title}: *** ${error.message}.  Stop.`),
      );
      return FAILED;
    }
    throw error;
  }
}

function* prepare(make: Session, restarts: number): Task<void> {
  const { globals, options, context } = make;
  const set = (name: string, value: string, origin: Origin = "default") =>
    globals.set(name, { value, recursive: false, origin });
  defineDefaults(make);
  const origin: Origin = options.letters.has("e") ? "environment override" : "environment";
  for (const [name, value] of Object.entries(context.env)) {
    if (name !== "SHELL") globals.set(name, { value, recursive: true, origin });
  }
  const variables: Record<string, string> = {
    SHELL: "/bin/sh",
    ".SHELLFLAGS": "-c",
    MAKE_COMMAND: "make",
    MAKE_VERSION: "4.3",
    MAKE_HOST: "x86_64-pc-linux-gnu",
    CURDIR: make.cwd,
    MAKEFILE_LIST: "",
    MAKEOVERRIDES: options.assignments.join(" "),
    MAKECMDGOALS: options.goals.join(" "),
    ".DEFAULT_GOAL": "",
    ".FEATURES":
      "target-specific order-only second-expansion else-if shortest-stem undefine oneshell nocomment grouped-target",
    ".INCLUDE_DIRS": options.includes.join(" "),
    SUFFIXES: make.rules.suffixes.join(" "),
  };
  for (const [name, value] of Object.entries(variables)) {
    set(name, value, name === "MAKECMDGOALS" ? "automatic" : "default");
  }
  if (options.goals.length === 0) globals.delete("MAKECMDGOALS");
  globals.set("MAKE", { value: "$(MAKE_COMMAND)", recursive: true, origin: "default" });
  if (restarts > 0) set("MAKE_RESTARTS", String(restarts));
  const flags = formatFlags(options);
  set("MAKEFLAGS", flags, "file");
  set("MFLAGS", flags.startsWith(" ") || flags === "" ? flags.trim() : `-${flags}`);
  set("MAKELEVEL", String(make.level), "environment");
  make.exports.set("MAKEFLAGS", true);
  make.exports.set("MAKELEVEL", true);
  make.exports.set("MFLAGS", true);
  for (const word of options.assignments) {
    const assignment = parseAssignment(word);
    if (assignment) yield* assign(make, assignment, "command line", globals);
  }
}

function* readMakefiles(make: Session, reader: Reader): Task<void> {
  const { options, context } = make;
  for (const text of options.texts) yield* reader.readText(text, "command line", 1);
  for (const name of splitWords(context.env.MAKEFILES ?? "")) yield* reader.include(name, false, "", 0);
  if (options.makefiles.length === 0) {
    const found = NAMES.find((name) => make.modified(name) !== undefined);
    if (found !== undefined) yield* reader.readFile(found);
    return;
  }
  for (const name of options.makefiles) {
    try {
      if (name === "-") yield* readInput(make, reader);
      else yield* reader.readFile(name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      yield* wait(make.complain(`${make.title}: ${name}: ${reasonOf(error)}`));
      reader.missing.push({ name, reason: "", required: true, file: "", line: 0 });
    }
  }
}

function* readInput(make: Session, reader: Reader): Task<void> {
  const { Input } = (yield import("../../descriptors/input.ts")) as typeof import("../../descriptors/input.ts");
  const bytes = yield* wait(new Input(make.context.fds.get(0)).readAll());
  yield* reader.readText(new TextDecoder().decode(bytes), "/dev/stdin", 1);
}

/** Makes makefiles that have a rule; true if one has changed. */
function* remakeMakefiles(make: Session, reader: Reader): Task<boolean> {
  const { rules, options } = make;
  const kept = new Set(options.letters);
  // They are made even if nothing else is.
  for (const letter of "nqtB") options.letters.delete(letter);
  const updater = new Updater(make);
  let changed = false;
  try {
    for (const name of new Set([...reader.files, ...reader.missing.map((file) => file.name)])) {
      const missing = reader.missing.find((file) => file.name === name);
      const target = rules.target(name);
      const before = make.modified(name);
      const hasRule = target.declared || target.phony ||
        rules.patterns.some(({ builtin, targets }) => !builtin && targets.some((pattern) => pattern !== "%"));
      if (target.phony || target.doubles?.some((rule) => rule.prerequisites.length === 0)) continue;
      if (hasRule && (missing || target.rule.recipe || target.declared || hasRule)) {
        try {
          const outcome = yield* wait(updater.update(target, undefined));
          if (outcome.changed && make.modified(name) !== before) changed = true;
        } catch (error) {
          if (!(error instanceof MakeError) || missing?.required) throw yield* withReason(make, missing, error);
        }
      } else if (missing?.required) {
        throw yield* withReason(make, missing, new MakeError(`No rule to make target '${name}'`));
      }
      if (missing?.required && make.modified(name) === undefined && !changed) {
        throw yield* withReason(make, missing, new MakeError(`Failed to remake makefile '${name}'`));
      }
    }
  } finally {
    kept.forEach((letter) => options.letters.add(letter));
  }
  return changed;
}

function* withReason(make: Session, missing: Reader["missing"][number] | undefined, error: unknown): Task<unknown> {
  if (missing?.required && missing.reason !== "") yield* reportMissing(make, missing);
  return error;
}

function* updateGoals(make: Session): Task<number> {
  const { options, globals, rules } = make;
  const preset = yield* expand(make, globals.find(".DEFAULT_GOAL")?.value ?? "");
  const goals = options.goals.length > 0
    ? options.goals.map((name) => name.replace(/^(\.\/)+(?=.)/, ""))
    : splitWords(preset);
  if (goals.length === 0) {
    const read = (globals.find("MAKEFILE_LIST")?.value ?? "") !== "" || options.makefiles.length > 0;
    throw new MakeError(read ? "No targets" : "No targets specified and no makefile found");
  }
  const updater = new Updater(make);
  const { letters } = options;
  let failed = false;
  try {
    for (const name of goals) {
      const target = rules.target(name);
      const { failed: bad, changed } = yield* wait(updater.update(target, undefined));
      failed ||= bad;
      if (bad && !letters.has("k")) break;
      if (bad || changed || letters.has("s") || letters.has("q")) continue;
      const idle = target.phony || !target.rule.recipe && !target.doubles;
      yield* wait(
        make.print(
          idle ? `${make.title}: Nothing to be done for '${name}'.\n` : `${make.title}: '${name}' is up to date.\n`,
        ),
      );
    }
  } catch (error) {
    if (error instanceof Stopped && updater.outdated) return 1;
    throw error;
  } finally {
    yield* removeIntermediates(make, updater);
  }
  return failed ? FAILED : 0;
}

/** Files that only implicit rules wanted go. */
function* removeIntermediates(make: Session, updater: Updater): Task<void> {
  const { rules, context, options } = make;
  const kept = (name: string) =>
    rules.special.get(".PRECIOUS")?.has(name) || rules.holds(".SECONDARY", name) || rules.mentioned.has(name);
  const names = updater.intermediates.map(({ name }) => name).filter((name) => !kept(name)).reverse();
  if (names.length === 0) return;
  if (!options.letters.has("s")) yield* wait(make.print(`rm ${names.join(" ")}\n`));
  if (options.letters.has("n")) return;
  for (const name of names) if (make.modified(name) !== undefined) context.files.removeFile(make.resolve(name));
}

export const makeCommands: Command[] = [make, { ...make, name: "gmake" }];
