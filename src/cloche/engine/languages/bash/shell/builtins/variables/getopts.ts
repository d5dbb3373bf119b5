/** getopts. */
import { type Builtin, ExpansionError, type Interpreter } from "../../interpreter.ts";
import { readFlags } from "../options.ts";
import { sayUsage } from "../usages.ts";
import { assignVariable, isName, readVariable, unsetVariable } from "../../state/assign.ts";

/** Sets OPTARG; if that cannot be changed, it is said where it matters. */
function setArgument(shell: Interpreter, argument: string | undefined): void {
  try {
    if (argument === undefined) unsetVariable(shell, "OPTARG");
    else assignVariable(shell, "OPTARG", argument);
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.said) throw error;
    if (argument !== undefined) shell.complain(error.message);
  }
}

const getopts: Builtin = (shell, args) => {
  const given = readFlags(shell, "getopts", args, "");
  if (!given) return 2;
  const words = given.rest;
  const [letters, name] = words;
  if (letters === undefined || name === undefined) {
    sayUsage(shell, "getopts");
    return 2;
  }
  const list = words.length > 2 ? words.slice(2) : shell.state.positional;
  const { state } = shell;
  const index = Math.max(1, Number(readVariable(shell, "OPTIND") ?? 1) || 1);
  // Whoever assigns OPTIND begins anew.
  if (state.variables.find("OPTIND") !== state.optionRecord) state.optionPlace = 1;
  const finish = (value: string, argument: string | undefined, next: number, place: number, code: number) => {
    assignVariable(shell, "OPTIND", String(next));
    state.optionRecord = state.variables.find("OPTIND");
    state.optionPlace = place;
    setArgument(shell, argument);
    if (!isName(name)) {
      shell.complain(`getopts: \`${name}': not a valid identifier`);
      return 1;
    }
    assignVariable(shell, name, value);
    return code;
  };
  const word = list[index - 1];
  if (word === "--") return finish("?", undefined, index + 1, 1, 1);
  if (word === undefined || !/^-./.test(word)) {
    return finish("?", undefined, Math.min(index, list.length + 1), 1, 1);
  }
  const silent = letters.startsWith(":");
  const letter = word[state.optionPlace];
  const last = state.optionPlace + 1 >= word.length;
  const [next, place] = last ? [index + 1, 1] : [index, state.optionPlace + 1];
  const at = letter === ":" ? -1 : letters.indexOf(letter, silent ? 1 : 0);
  const talks = !silent && readVariable(shell, "OPTERR") !== "0";
  if (at < 0) {
    if (talks) shell.say(`${state.name}: illegal option -- ${letter}`);
    return finish("?", silent ? letter : undefined, next, place, 0);
  }
  if (letters[at + 1] !== ":") return finish(letter, undefined, next, place, 0);
  if (!last) return finish(letter, word.slice(state.optionPlace + 1), index + 1, 1, 0);
  const value = list[index];
  if (value !== undefined) return finish(letter, value, index + 2, 1, 0);
  if (talks) shell.say(`${state.name}: option requires an argument -- ${letter}`);
  return finish(silent ? ":" : "?", silent ? letter : undefined, index + 1, 1, 0);
};

export const getoptsBuiltins: Record<string, Builtin> = { getopts };
