/** set and shopt. */
import { quoteAssigned } from "../expansion/quote.ts";
import { loadHistory } from "../history/file.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { printValue } from "../state/print.ts";
import {
  SET_LETTERS,
  SET_OPTIONS,
  type SetOption,
  setPosix,
  type ShellState,
  SHOPT_OPTIONS,
} from "../state/shell_state.ts";
import type { Task } from "../task.ts";
import { readFlags } from "./options.ts";
import { sayUsage } from "./usages.ts";
import { printFunction } from "../syntax/print.ts";

/** Turns an option of `set` on or off; some exclude each other. */
function setOption(shell: Interpreter, name: SetOption, on: boolean): void {
  const { options } = shell.state;
  if (name === "history" && on && !options.has(name) && shell.state.history.lines.length === 0) loadHistory(shell);
  if (on) options.add(name);
  else options.delete(name);
  if (name === "emacs" && on) options.delete("vi");
  if (name === "vi" && on) options.delete("emacs");
  if (name === "posix") setPosix(shell.state, on);
}

function setPositional(state: ShellState, words: string[]): void {
  state.positional = words;
  state.positionalSet = true;
}

const set: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  if (args.length === 0) return yield* printAll(shell);
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === "--" || word === "-") {
      if (word === "-") ["xtrace", "verbose"].forEach((name) => state.options.delete(name as SetOption));
      if (word === "--" || at + 1 < args.length) setPositional(state, args.slice(at + 1));
      return 0;
    }
    if (word === "+") continue;
    if (!/^[-+]./.test(word)) {
      setPositional(state, args.slice(at));
      return 0;
    }
    const on = word[0] === "-";
    for (const letter of word.slice(1)) {
      if (letter === "o" && (args[at + 1] === undefined || /^[-+]/.test(args[at + 1]))) {
        yield* printOptions(shell, SET_OPTIONS, on);
        continue;
      }
      const name = letter === "o" ? args[++at] : SET_LETTERS[letter];
      if (!SET_OPTIONS.includes(name as SetOption)) {
        shell.complain(
          letter === "o" ? `set: ${name}: invalid option name` : `set: ${word[0]}${letter}: invalid option`,
        );
        if (letter !== "o") sayUsage(shell, "set");
        state.specialFailed = true;
        return letter === "o" && !state.options.has("posix") ? 1 : 2;
      }
      setOption(shell, name as SetOption, on);
    }
  }
  return 0;
};

function* printAll(shell: Interpreter): Task<number> {
  const { variables, functions, options } = shell.state;
  const lines = [...variables.entries()].filter(([, { value }]) => value !== undefined).sort(([a], [b]) =>
    a < b ? -1 : 1
  )
    .map(([name, { value }]) =>
      `${name}=${typeof value === "string" ? quoteAssigned(value) : printValue(value ?? "")}\n`
    );
  yield* shell.print(lines.join(""));
  if (!options.has("posix")) {
    for (const { node } of functions.values()) {
      yield* shell.print(`${printFunction(node)}\n`);
    }
  }
  return 0;
}

function* printOptions(shell: Interpreter, names: readonly SetOption[], table: boolean): Task<void> {
  const { options } = shell.state;
  const lines = names.map((name) =>
    table
      ? `${name.padEnd(15)}\t${options.has(name) ? "on" : "off"}\n`
      : `set ${options.has(name) ? "-" : "+"}o ${name}\n`
  );
  yield* shell.print(lines.join(""));
}

const shopt: Builtin = function* (shell, args): Task<number> {
  const { state } = shell;
  const given = readFlags(shell, "shopt", args, "pqsuo");
  if (!given) return 2;
  if (given.has("s") && given.has("u")) {
    shell.complain("shopt: cannot set and unset shell options simultaneously");
    return 1;
  }
  const old = given.has("o");
  const known: readonly string[] = old ? SET_OPTIONS : SHOPT_OPTIONS;
  const on: Set<string> = old ? state.options : state.shopt;
  const show = (name: string) => {
    if (!given.has("p")) return `${name.padEnd(15)}\t${on.has(name) ? "on" : "off"}\n`;
    return old ? `set ${on.has(name) ? "-" : "+"}o ${name}\n` : `shopt -${on.has(name) ? "s" : "u"} ${name}\n`;
  };
  if (given.rest.length === 0) {
    const listed = known.filter((name) => given.has("s") ? on.has(name) : given.has("u") ? !on.has(name) : true);
    if (!given.has("q")) yield* shell.print(listed.map(show).join(""));
    return 0;
  }
  let code = 0;
  for (const name of given.rest) {
    if (!known.includes(name)) {
      shell.complain(`shopt: ${name}: invalid ${old ? "" : "shell "}option name`);
      code = 1;
    } else if (given.has("s") || given.has("u")) {
      if (old) setOption(shell, name as SetOption, given.has("s"));
      else if (given.has("s")) on.add(name);
      else on.delete(name);
    } else {
      if (!on.has(name)) code = 1;
      if (!given.has("q")) yield* shell.print(show(name));
    }
  }
  return code;
};

export const optionBuiltins: Record<string, Builtin> = { set, shopt };
