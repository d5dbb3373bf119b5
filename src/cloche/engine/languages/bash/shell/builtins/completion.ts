/** compgen, complete, compopt. */
import { compilePattern } from "../expansion/patterns.ts";
import { quoteReusable } from "../expansion/quote.ts";
import { expandWord } from "../expansion/words.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { assignArray, assignVariable, readValue, readVariable, unsetVariable } from "../state/assign.ts";
import { SET_OPTIONS, SHOPT_OPTIONS } from "../state/shell_state.ts";
import { Parser } from "../syntax/parser.ts";
import { parseWord } from "../syntax/words.ts";
import type { Task } from "../task.ts";
import { BUILTINS, DECLARATIONS } from "./index.ts";
import { type Flags, readFlags } from "./options.ts";
import { splitFields } from "./read.ts";

const KEYWORDS = "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc".split(" ");

const LETTERS: Record<string, string> = {
  a: "alias",
  b: "builtin",
  c: "command",
  d: "directory",
  e: "export",
  f: "file",
  g: "group",
  j: "job",
  k: "keyword",
  s: "service",
  u: "user",
  v: "variable",
};

const ACTIONS = new Set([
  ...Object.values(LETTERS),
  ..."arrayvar binding disabled enabled function helptopic hostname running setopt shopt signal stopped".split(" "),
]);
const OPTIONS = new Set("bashdefault default dirnames filenames noquote nosort nospace plusdirs".split(" "));
const TAKEN = "abcdefgjksuvo:A:G:W:F:C:X:P:S:";
const COMPLETE_USAGE = "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] " +
  "[-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]";

function namesOf(shell: Interpreter, action: string, word: string): string[] {
  const { state, kernel } = shell;
  const builtins = [...Object.keys(BUILTINS), ...Object.keys(DECLARATIONS)];
  switch (action) {
    case "alias":
      return [...state.aliases.keys()];
    case "builtin":
    case "enabled":
    case "helptopic":
      return builtins;
    case "disabled":
      return [...state.disabled];
    case "function":
      return [...state.functions.keys()];
    case "keyword":
      return KEYWORDS;
    case "command": {
      const shells = ["alias", "keyword", "function", "builtin"].flatMap((each) => namesOf(shell, each, word));
      return [...new Set([...shells, ...kernel.commands.keys()])];
    }
    case "variable":
      return [...state.variables.names()];
    case "arrayvar":
      return [...state.variables.entries()].filter(([, { value }]) => typeof value === "object").map(([name]) => name);
    case "export":
      return Object.keys(state.variables.environment());
    case "directory":
    case "file":
      return filesOf(shell, word, action === "directory");
    case "setopt":
      return [...SET_OPTIONS];
    case "shopt":
      return [...SHOPT_OPTIONS];
    case "user":
      return ["root", readVariable(shell, "USER") ?? "user"];
    case "hostname":
      return ["localhost"];
    case "job":
    case "running":
      return kernel.jobs.of(shell.process).map(({ text }) => text);
  }
  return [];
}

/** Files whose names begin with a word. */
function filesOf(shell: Interpreter, word: string, foldersOnly: boolean): string[] {
  const folder = word.slice(0, word.lastIndexOf("/") + 1);
  try {
    const entries = shell.files.list(shell.resolve(folder === "" ? "." : folder));
    return entries.filter(({ kind }) => !foldersOnly || kind === "directory")
      .filter(({ name }) => !name.startsWith(".") || word.slice(folder.length).startsWith("."))
      .map(({ name }) => folder + name);
  } catch {
    return [];
  }
}

/** What the options ask for, in the order in which bash lists it. */
function* generate(shell: Interpreter, given: Flags, actions: string[], word: string): Task<string[]> {
  const found = actions.flatMap((action) => namesOf(shell, action, word).sort()).filter((each) => each.startsWith(word));
  const list = given.get("W");
  if (list !== undefined) {
    const text = yield* expandWord(shell, parseWord(new Parser(list), { until: "", noBraces: true }));
    const words = splitFields(text, readVariable(shell, "IFS") ?? " \t\n", Infinity, true);
    found.push(...words.filter((each) => each.startsWith(word)));
  }
  const name = given.get("F");
  if (name !== undefined) found.push(...yield* callFunction(shell, name, word));
  return found;
}

/** The words that a completion function leaves in COMPREPLY. */
function* callFunction(shell: Interpreter, name: string, word: string): Task<string[]> {
  if (!shell.state.functions.has(name)) {
    shell.complain(`compgen: ${name}: function not found`);
    return [];
  }
  assignArray(shell, "COMP_WORDS", [], false);
  assignVariable(shell, "COMP_CWORD", "-1");
  assignVariable(shell, "COMP_LINE", "");
  assignVariable(shell, "COMP_POINT", "0");
  unsetVariable(shell, "COMPREPLY");
  yield* shell.runWords([name, "compgen", word, ""]);
  const reply = readValue(shell, "COMPREPLY");
  return typeof reply === "object" ? reply.values() : reply === undefined ? [] : [reply];
}

const compgen: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "compgen", args, TAKEN);
  if (!given) return 2;
  const actions = actionsOf(shell, "compgen", args);
  if (!actions) return 2;
  if (given.has("F")) shell.complain("compgen: warning: -F option may not work as you expect");
  const [word = ""] = given.rest;
  let found = yield* generate(shell, given, actions, word);
  const removed = given.get("X");
  if (removed !== undefined) {
    const keeps = removed.startsWith("!");
    const matcher = compilePattern((keeps ? removed.slice(1) : removed).replaceAll("&", word));
    found = found.filter((each) => matcher.match(each) === keeps);
  }
  const options = args.filter((_, i) => args[i - 1] === "-o");
  if (options.includes("plusdirs")) found.push(...filesOf(shell, word, true).filter((each) => each.startsWith(word)).sort());
  if (found.length === 0 && options.includes("dirnames")) found = filesOf(shell, word, true).filter((each) => each.startsWith(word)).sort();
  if (found.length === 0 && options.includes("default")) found = filesOf(shell, word, false).filter((each) => each.startsWith(word)).sort();
  yield* shell.print(found.map((each) => `${given.get("P") ?? ""}${each}${given.get("S") ?? ""}\n`).join(""));
  return found.length > 0 ? 0 : 1;
};

/** The kinds of names that letters and -A ask for; undefined if there is no such kind. */
function actionsOf(shell: Interpreter, name: string, args: string[]): string[] | undefined {
  const found: string[] = [];
  for (let i = 0; i < args.length && args[i] !== "--"; i++) {
    const word = args[i];
    if (!/^-[a-zA-Z]/.test(word)) continue;
    for (let at = 1; at < word.length; at++) {
      const letter = word[at];
      if (letter in LETTERS) found.push(LETTERS[letter]);
      else if (/[oAGWFCXPS]/.test(letter)) {
        const value = word.slice(at + 1) || (args[++i] ?? "");
        if (letter === "A") found.push(value);
        if (letter === "A" && !ACTIONS.has(value)) shell.complain(`${name}: ${value}: invalid action name`);
        if (letter === "o" && !OPTIONS.has(value)) shell.complain(`${name}: ${value}: invalid option name`);
        if (letter === "A" && !ACTIONS.has(value) || letter === "o" && !OPTIONS.has(value)) return undefined;
        break;
      }
    }
  }
  return found;
}

const complete: Builtin = function* (shell, args): Task<number> {
  const { completions } = shell.state;
  const given = readFlags(shell, "complete", args, `${TAKEN}prDEI`, COMPLETE_USAGE);
  if (!given || !actionsOf(shell, "complete", args)) return 2;
  const special = ["D", "E", "I"].filter((letter) => given.has(letter)).map((letter) => `-${letter}`);
  const names = [...special, ...given.rest];
  if (given.has("r")) {
    for (const name of names.length > 0 ? names : [...completions.keys()]) completions.delete(name);
    return 0;
  }
  if (args.length === 0 || given.has("p")) {
    for (const [name, words] of completions) {
      if (names.length === 0 || names.includes(name)) yield* shell.print(`complete ${words.join(" ")} ${name}\n`);
    }
    const absent = names.find((name) => !completions.has(name));
    if (absent === undefined) return 0;
    shell.complain(`complete: ${absent}: no completion specification`);
    return 1;
  }
  if (names.length === 0) {
    shell.say(`complete: usage: ${COMPLETE_USAGE}`);
    return 2;
  }
  const words = args.slice(0, args.length - given.rest.length).filter((word) => !/^-[DEI]$/.test(word) && word !== "--");
  const shown = words.map((word, i) => words[i - 1] === "-W" || words[i - 1] === "-X" ? quoteReusable(word) : word);
  for (const name of names) completions.set(name, shown);
  return 0;
};

const compopt: Builtin = (shell, args) => {
  const words = args.filter((_, i) => /^[-+]o$/.test(args[i - 1] ?? ""));
  const wrong = words.find((word) => !OPTIONS.has(word));
  if (wrong !== undefined) {
    shell.complain(`compopt: ${wrong}: invalid option name`);
    return 2;
  }
  shell.complain("compopt: not currently executing completion function");
  return 1;
};

export const completionBuiltins: Record<string, Builtin> = { compgen, complete, compopt };
