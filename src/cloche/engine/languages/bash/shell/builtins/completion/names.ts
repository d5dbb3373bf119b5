/** The names that words can be completed to, by kind. */
import type { Interpreter } from "../../interpreter.ts";
import { listSignals } from "../../processes/signals.ts";
import { AssociativeArray, IndexedArray } from "../../state/arrays.ts";
import { DYNAMIC } from "../../state/dynamic.ts";
import { SET_OPTIONS, SHOPT_OPTIONS } from "../../state/shell_state.ts";
import { BUILTINS, DECLARATIONS } from "../index.ts";
import { TOPICS } from "../usages.ts";

const KEYWORDS = "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc"
  .split(" ");

/** The kinds in the order in which their names are listed. */
export const ACTIONS = new Set(
  ("alias arrayvar binding builtin command disabled enabled export function helptopic hostname job keyword running " +
    "setopt shopt signal stopped variable file user group service directory").split(" "),
);

export function listNames(shell: Interpreter, action: string, word: string): string[] {
  if (action === "file" || action === "directory") return listFiles(shell, word, action === "directory");
  if (action === "keyword") return KEYWORDS;
  if (action === "shopt") return [...SHOPT_OPTIONS];
  return collectNames(shell, action).sort();
}

function collectNames(shell: Interpreter, action: string): string[] {
  const { state, kernel } = shell;
  const builtins = () => [...Object.keys(BUILTINS), ...Object.keys(DECLARATIONS)];
  switch (action) {
    case "alias":
      return [...state.aliases.keys()];
    case "arrayvar":
      return [...state.variables.entries()].filter(([, { value }]) =>
        value instanceof IndexedArray || value instanceof AssociativeArray
      ).map(([name]) => name);
    case "builtin":
      return builtins();
    case "helptopic":
      return TOPICS;
    case "enabled":
      return builtins().filter((name) => !state.disabled.has(name));
    case "disabled":
      return [...state.disabled];
    case "function":
      return [...state.functions.keys()];
    case "command":
      return [
        ...new Set([
          ...state.aliases.keys(),
          ...KEYWORDS,
          ...state.functions.keys(),
          ...builtins(),
          ...kernel.commands.keys(),
        ]),
      ];
    case "variable":
      return [...new Set([...state.variables.names(), ...DYNAMIC.keys()])];
    case "export":
      return Object.keys(state.variables.environment());
    case "setopt":
      return [...SET_OPTIONS];
    case "signal":
      return listSignals().map(([, name]) => `SIG${name}`);
    case "user":
      return ["root", "user"];
  }
  return [];
}

/** Files whose names begin with a word. */
export function listFiles(shell: Interpreter, word: string, foldersOnly: boolean): string[] {
  const folder = word.slice(0, word.lastIndexOf("/") + 1);
  const start = word.slice(folder.length);
  try {
    return shell.files.list(shell.resolve(folder === "" ? "." : folder))
      .filter(({ name, kind }) => name.startsWith(start) && (!foldersOnly || kind === "directory"))
      .filter(({ name }) => !name.startsWith(".") || start.startsWith("."))
      .map(({ name }) => folder + name).sort();
  } catch {
    return [];
  }
}
