/** compgen, complete, compopt. */
import { FieldBuilder } from "../../expansion/fields.ts";
import { expandGlob } from "../../expansion/glob.ts";
import { compilePattern } from "../../expansion/patterns.ts";
import { quoteSingle } from "../../expansion/quote.ts";
import { expandParts } from "../../expansion/words.ts";
import { type Builtin, ExpansionError, type Interpreter } from "../../interpreter.ts";
import { IndexedArray, sortByHash } from "../../state/arrays.ts";
import { assignArray, assignVariable, readValue, readVariable, unsetVariable } from "../../state/assign.ts";
import { Parser, parseScript } from "../../syntax/parser.ts";
import { ShellSyntaxError } from "../../syntax/scanner.ts";
import { parseWord } from "../../syntax/words.ts";
import type { Task } from "../../task.ts";
import { sayUsage } from "../usages.ts";
import { ACTIONS, listFiles, listNames } from "./names.ts";

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
const OPTIONS = "bashdefault default dirnames filenames noquote nosort nospace plusdirs".split(" ");
/** Of the table in which bash keeps them: it gives their order. */
const BUCKETS = 512;
const DEFAULT_IFS = " \t\n";

/** What completes a command. */
interface Source {
  actions: string[];
  options: string[];
  /** By letter: G, W, F, C, X, P, S. */
  values: Map<string, string>;
  flags: Set<string>;
  rest: string[];
}

/** Reads the options; a wrong one is said and gives undefined. */
function readSource(shell: Interpreter, command: string, args: string[]): Source | undefined {
  const source: Source = { actions: [], options: [], values: new Map(), flags: new Set(), rest: [] };
  let at = 0;
  for (; at < args.length && /^-./.test(args[at]); at++) {
    if (args[at] === "--") {
      at++;
      break;
    }
    for (let i = 1; i < args[at].length; i++) {
      const letter = args[at][i];
      if (letter in LETTERS) source.actions.push(LETTERS[letter]);
      else if (command !== "compgen" && "prDEI".includes(letter)) source.flags.add(letter);
      else if (!"oAGWFCXPS".includes(letter)) return refuse(shell, command, `-${letter}: invalid option`, true);
      else {
        const value = args[at].slice(i + 1) || args[++at];
        if (value === undefined) return refuse(shell, command, `-${letter}: option requires an argument`, true);
        if (letter === "A") {
          if (!ACTIONS.has(value)) return refuse(shell, command, `${value}: invalid action name`);
          source.actions.push(value);
        } else if (letter === "o") {
          if (!OPTIONS.includes(value)) return refuse(shell, command, `${value}: invalid option name`);
          source.options.push(value);
        } else source.values.set(letter, value);
        break;
      }
    }
  }
  source.rest = args.slice(at);
  return source;
}

function refuse(shell: Interpreter, command: string, reason: string, usage = false): undefined {
  shell.complain(`${command}: ${reason}`);
  if (usage) sayUsage(shell, command);
}

const compgen: Builtin = function* (shell, args): Task<number> {
  const source = readSource(shell, "compgen", args);
  if (!source) return 2;
  const [word = ""] = source.rest;
  try {
    const found = yield* findCompletions(shell, source, word);
    yield* shell.print(found.map((each) => `${each}\n`).join(""));
    return found.length > 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof ShellSyntaxError) shell.complain(`${source.values.get("W") ?? word}: bad substitution`);
    else if (error instanceof ExpansionError && !error.fatal) shell.complain(error.message);
    else throw error;
    return 1;
  }
};

function* findCompletions(shell: Interpreter, { actions, options, values }: Source, word: string): Task<string[]> {
  // Bash has an order of its own for these.
  const sorted = [...ACTIONS].filter((action) => actions.includes(action));
  let found = sorted.flatMap((action) => listNames(shell, action, word).filter((name) => name.startsWith(word)));
  const pattern = values.get("G");
  if (pattern !== undefined) {
    const names = yield* expandGlob(shell, { text: pattern, escaped: pattern, pattern: true });
    if (names.length !== 1 || names[0] !== pattern) found.push(...names);
  }
  const list = values.get("W");
  if (list !== undefined) found.push(...(yield* expandList(shell, list)).filter((each) => each.startsWith(word)));
  found.push(...yield* askFunction(shell, values.get("F"), word));
  found.push(...yield* askCommand(shell, values.get("C"), word));
  const filter = values.get("X");
  if (filter !== undefined) {
    const keeps = filter.startsWith("!");
    const matcher = compilePattern((keeps ? filter.slice(1) : filter).replaceAll("&", word), {
      extglob: shell.state.shopt.has("extglob"),
    });
    found = found.filter((each) => matcher.match(each) === keeps);
  }
  found = found.map((each) => `${values.get("P") ?? ""}${each}${values.get("S") ?? ""}`);
  const folders = options.includes("plusdirs") || options.includes("dirnames") && found.length === 0;
  if (folders) found.push(...listFiles(shell, word, true));
  if (found.length === 0 && (options.includes("default") || options.includes("bashdefault"))) {
    found = listFiles(shell, word, false);
  }
  return found;
}

/** The words of -W: split by IFS, with what is expanded and quoted in them. */
function* expandList(shell: Interpreter, text: string): Task<string[]> {
  const out = new FieldBuilder(readVariable(shell, "IFS") ?? DEFAULT_IFS);
  yield* expandParts(
    shell,
    parseWord(new Parser(text), { until: "", noBraces: true, noTilde: true }).parts,
    out,
    "expanded",
  );
  out.breakOpen();
  return out.fields.map((field) => field.text);
}

function* askFunction(shell: Interpreter, name: string | undefined, word: string): Task<string[]> {
  if (name === undefined) return [];
  shell.complain("compgen: warning: -F option may not work as you expect");
  assignArray(shell, "COMP_WORDS", [], false);
  assignVariable(shell, "COMP_CWORD", "-1");
  assignVariable(shell, "COMP_LINE", "");
  assignVariable(shell, "COMP_POINT", "0");
  unsetVariable(shell, "COMPREPLY");
  yield* shell.runWords([name, "compgen", word, ""]);
  const reply = readValue(shell, "COMPREPLY");
  for (const each of ["COMP_WORDS", "COMP_CWORD", "COMP_LINE", "COMP_POINT", "COMPREPLY"]) unsetVariable(shell, each);
  return reply instanceof IndexedArray ? reply.values() : typeof reply === "string" ? [reply] : [];
}

function* askCommand(shell: Interpreter, command: string | undefined, word: string): Task<string[]> {
  if (command === undefined) return [];
  shell.complain("compgen: warning: -C option may not work as you expect");
  const script = parseScript(`${command} compgen ${quoteSingle(word)} ''`);
  const text = yield* shell.substitute(script);
  return text === "" ? [] : text.split("\n");
}

const complete: Builtin = function* (shell, args): Task<number> {
  const { completions } = shell.state;
  const source = readSource(shell, "complete", args);
  if (!source) return 2;
  const names = [
    ...[..."DEI"].filter((letter) => source.flags.has(letter)).map((letter) => `-${letter}`),
    ...source.rest,
  ];
  if (source.flags.has("r")) {
    if (names.length === 0) completions.clear();
    let code = 0;
    for (const name of names) {
      if (completions.delete(name)) continue;
      shell.complain(`complete: ${name}: no completion specification`);
      code = 1;
    }
    return code;
  }
  if (args.length === 0 || source.flags.has("p")) return yield* printCompletions(shell, names);
  if (names.length === 0) {
    sayUsage(shell, "complete");
    return 2;
  }
  for (const name of names) completions.set(name, describe(source));
  return 0;
};

function* printCompletions(shell: Interpreter, names: string[]): Task<number> {
  const { completions } = shell.state;
  let code = 0;
  for (const name of names.length > 0 ? names : sortByHash([...completions.keys()], BUCKETS)) {
    const words = completions.get(name);
    if (words) yield* shell.print(`complete ${[...words, name].join(" ")}\n`);
    else {
      shell.complain(`complete: ${name}: no completion specification`);
      code = 1;
    }
  }
  return code;
}

/** The options again, as `complete -p` prints them. */
function describe({ options, actions, values }: Source): string[] {
  const letters = Object.keys(LETTERS).filter((letter) => actions.includes(LETTERS[letter]));
  const others = actions.filter((action) => !Object.values(LETTERS).includes(action));
  return [
    ...OPTIONS.filter((option) => options.includes(option)).map((option) => `-o ${option}`),
    ...letters.map((letter) => `-${letter}`),
    ...others.map((action) => `-A ${action}`),
    ...[..."GWPSX"].filter((letter) => values.has(letter)).map((letter) =>
      `-${letter} ${quoteSingle(values.get(letter) ?? "")}`
    ),
    ...values.has("F") ? [`-F ${values.get("F")}`] : [],
    ...values.has("C") ? [`-C ${quoteSingle(values.get("C") ?? "")}`] : [],
  ];
}

const compopt: Builtin = (shell, args) => {
  const names: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (!/^[-+]o/.test(args[i])) {
      if (!/^-[DEI]+$/.test(args[i])) names.push(args[i]);
      continue;
    }
    const option = args[i].slice(2) || args[++i];
    if (option !== undefined && OPTIONS.includes(option)) continue;
    shell.complain(`compopt: ${option}: invalid option name`);
    return 2;
  }
  for (const name of names) {
    if (shell.state.completions.has(name)) continue;
    shell.complain(`compopt: ${name}: no completion specification`);
    return 1;
  }
  if (names.length > 0) return 0;
  shell.complain("compopt: not currently executing completion function");
  return 1;
};

export const completionBuiltins: Record<string, Builtin> = { compgen, complete, compopt };
