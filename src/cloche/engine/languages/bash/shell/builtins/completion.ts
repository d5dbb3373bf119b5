/** compgen, complete, compopt. */
import { compilePattern } from "../expansion/patterns.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import { BUILTINS, DECLARATIONS } from "./index.ts";
import { readFlags } from "./options.ts";
import { splitFields } from "./read.ts";

const KEYWORDS = "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc".split(" ");

const LETTERS: Record<string, string> = {
  a: "alias",
  b: "builtin",
  c: "command",
  d: "directory",
  e: "export",
  f: "file",
  j: "job",
  k: "keyword",
  v: "variable",
};

function namesOf(shell: Interpreter, action: string, word: string): string[] {
  const { state, kernel } = shell;
  switch (action) {
    case "alias":
      return [...state.aliases.keys()];
    case "builtin":
      return [...Object.keys(BUILTINS), ...Object.keys(DECLARATIONS)];
    case "function":
      return [...state.functions.keys()];
    case "keyword":
      return KEYWORDS;
    case "command":
      return [...new Set(["alias", "keyword", "function", "builtin"].flatMap((each) => namesOf(shell, each, word)).concat(...kernel.commands.keys()))];
    case "variable":
      return [...state.variables.names()];
    case "export":
      return Object.keys(state.variables.environment());
    case "directory":
    case "file":
      return filesOf(shell, word, action === "directory");
    case "setopt":
      return [...state.options];
    case "shopt":
      return [...state.shopt];
  }
  return [];
}

/** Files whose names begin with a word. */
function filesOf(shell: Interpreter, word: string, foldersOnly: boolean): string[] {
  const folder = word.slice(0, word.lastIndexOf("/") + 1);
  try {
    const entries = shell.files.list(shell.resolve(folder === "" ? "." : folder));
    return entries.filter(({ kind }) => !foldersOnly || kind === "directory")
      .filter(({ name }) => !name.startsWith(".") || word.slice(folder.length).startsWith(".")).map(({ name }) => folder + name);
  } catch {
    return [];
  }
}

const compgen: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "compgen", args, "abcdefgjksuvo:A:G:W:F:C:X:P:S:V:");
  if (!given) return 2;
  const [word = ""] = given.rest;
  const actions = [...Object.keys(LETTERS).filter((letter) => given.has(letter)).map((letter) => LETTERS[letter])];
  const named = given.get("A");
  if (named !== undefined) actions.push(named);
  let found = actions.flatMap((action) => namesOf(shell, action, word).sort());
  const words = given.get("W");
  if (words !== undefined) found.push(...splitFields(words, readVariable(shell, "IFS") ?? " \t\n", Infinity, true));
  found = found.filter((each) => each.startsWith(word));
  const removed = given.get("X");
  if (removed !== undefined) {
    const keeps = removed.startsWith("!");
    const matcher = compilePattern((keeps ? removed.slice(1) : removed).replaceAll("&", word));
    found = found.filter((each) => matcher.match(each) === keeps);
  }
  for (const each of found) yield* shell.print(`${given.get("P") ?? ""}${each}${given.get("S") ?? ""}\n`);
  return found.length > 0 ? 0 : 1;
};

const complete: Builtin = function* (shell, args): Task<number> {
  const { completions } = shell.state;
  const names = args.filter((word, i) => !word.startsWith("-") && !/^-[oAGWFCXPS]$/.test(args[i - 1] ?? ""));
  if (args.includes("-r")) {
    for (const name of names.length > 0 ? names : [...completions.keys()]) completions.delete(name);
    return 0;
  }
  if (args.length === 0 || args[0] === "-p") {
    for (const [name, words] of completions) {
      if (names.length === 0 || names.includes(name)) yield* shell.print(`complete ${words.join(" ")} ${name}\n`);
    }
    return 0;
  }
  for (const name of names) completions.set(name, args.filter((word) => word !== name));
  return 0;
};

export const completionBuiltins: Record<string, Builtin> = { compgen, complete, compopt: () => 0 };
