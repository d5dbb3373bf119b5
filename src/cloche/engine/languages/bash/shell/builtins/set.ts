/** set, shopt, shift, unset, alias, umask. */
import type { Builtin, Interpreter } from "../interpreter.ts";
import { splitElement, unsetVariable } from "../state/assign.ts";
import type { SetOption } from "../state/shell_state.ts";
import { quoteReusable, quoteTrace } from "../expansion/quote.ts";
import { printValue } from "../state/print.ts";
import type { Task } from "../task.ts";

const LETTERS: Record<string, SetOption> = {
  a: "allexport", b: "notify", e: "errexit", f: "noglob", h: "hashall", k: "keyword", m: "monitor", n: "noexec",
  p: "privileged", t: "onecmd", u: "nounset", v: "verbose", x: "xtrace", B: "braceexpand", C: "noclobber",
  E: "errtrace", H: "histexpand", P: "physical", T: "functrace",
};

export const SET_OPTIONS: SetOption[] = [
  "allexport", "braceexpand", "emacs", "errexit", "errtrace", "functrace", "hashall", "histexpand", "history",
  "ignoreeof", "interactive-comments", "keyword", "monitor", "noclobber", "noexec", "noglob", "nolog", "notify",
  "nounset", "onecmd", "physical", "pipefail", "posix", "privileged", "verbose", "vi", "xtrace",
];

const set: Builtin = function* (shell, args) {
  const { state } = shell;
  if (args.length === 0) return yield* printAll(shell);
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === "--" || word === "-") {
      if (word === "-") ["xtrace", "verbose"].forEach((name) => state.options.delete(name as SetOption));
      state.positional = args.slice(at + 1);
      return 0;
    }
    if (!/^[-+]./.test(word)) break;
    for (const letter of word.slice(1)) {
      const on = word[0] === "-";
      const name = letter === "o" ? args[++at] : LETTERS[letter];
      if (letter === "o" && name === undefined) {
        yield* printOptions(shell, on);
        return 0;
      }
      if (!SET_OPTIONS.includes(name as SetOption)) {
        shell.complain(letter === "o" ? `set: ${name}: invalid option name` : `set: -${letter}: invalid option`);
        return 2;
      }
      if (on) state.options.add(name as SetOption);
      else state.options.delete(name as SetOption);
    }
  }
  if (at < args.length) state.positional = args.slice(at);
  return 0;
};

function* printAll(shell: Interpreter): Task<number> {
  const lines = [...shell.state.variables.entries()].filter(([, { value }]) => value !== undefined).map(([name, { value }]) =>
    `${name}=${typeof value === "string" ? quoteTrace(value) : printValue(value ?? "")}\n`
  );
  yield* shell.print(lines.sort().join(""));
  return 0;
}

function* printOptions(shell: Interpreter, table: boolean): Task<void> {
  const { options } = shell.state;
  const lines = SET_OPTIONS.map((name) =>
    table ? `${name.padEnd(15)}\t${options.has(name) ? "on" : "off"}\n` : `set ${options.has(name) ? "-" : "+"}o ${name}\n`
  );
  yield* shell.print(lines.join(""));
}

const shopt: Builtin = function* (shell, args) {
  const { state } = shell;
  const flags = new Set<string>();
  let at = 0;
  for (; /^-[supqo]+$/.test(args[at] ?? ""); at++) for (const letter of args[at].slice(1)) flags.add(letter);
  const chosen: Set<string> = flags.has("o") ? state.options : state.shopt;
  let code = 0;
  for (const name of args.slice(at)) {
    if (flags.has("s")) chosen.add(name);
    else if (flags.has("u")) chosen.delete(name);
    else {
      if (!chosen.has(name)) code = 1;
      if (!flags.has("q")) yield* shell.print(`${name.padEnd(15)}\t${chosen.has(name) ? "on" : "off"}\n`);
    }
  }
  return code;
};

const shift: Builtin = (shell, args) => {
  const count = args[0] === undefined ? 1 : Number(args[0]);
  if (count > shell.state.positional.length) return 1;
  shell.state.positional = shell.state.positional.slice(count);
  return 0;
};

const unset: Builtin = (shell, args) => {
  let kind = "";
  for (const word of args) {
    if (/^-[fvn]$/.test(word)) {
      kind = word[1];
      continue;
    }
    const { name, subscript } = splitElement(word);
    if (kind === "f" || kind === "" && !shell.state.variables.find(name) && shell.state.functions.has(name)) {
      shell.state.functions.delete(word);
    } else unsetVariable(shell, name, subscript);
  }
  return 0;
};

const alias: Builtin = function* (shell, args) {
  const { aliases } = shell.state;
  let code = 0;
  const words = args.filter((word) => word !== "-p");
  const show = (name: string) => `alias ${name}=${quoteReusable(aliases.get(name) ?? "")}\n`;
  if (words.length === 0) yield* shell.print([...aliases.keys()].sort().map(show).join(""));
  for (const word of words) {
    const at = word.indexOf("=", 1);
    if (at > 0) aliases.set(word.slice(0, at), word.slice(at + 1));
    else if (aliases.has(word)) yield* shell.print(show(word));
    else {
      shell.complain(`alias: ${word}: not found`);
      code = 1;
    }
  }
  return code;
};

const unalias: Builtin = (shell, args) => {
  if (args[0] === "-a") shell.state.aliases.clear();
  let code = 0;
  for (const word of args.filter((each) => each !== "-a")) {
    if (shell.state.aliases.delete(word)) continue;
    shell.complain(`unalias: ${word}: not found`);
    code = 1;
  }
  return code;
};

export const setBuiltins: Record<string, Builtin> = { set, shopt, shift, unset, alias, unalias };
