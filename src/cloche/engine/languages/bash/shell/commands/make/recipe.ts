/** Runs recipes: a shell for each line. */
import { type Task, wait } from "../../task.ts";
import { BUILTIN } from "./defaults.ts";
import { expand } from "./expand.ts";
import type { Recipe, Target } from "./rules.ts";
import type { Session } from "./session.ts";
import { exportedVariables, isDefaultShell, shellWords } from "./shell_words.ts";
import { splitWords } from "./text.ts";
import type { Scope } from "./variables.ts";

interface Line {
  text: string;
  number: number;
  silent: boolean;
  ignored: boolean;
  always: boolean;
}

/** What needs a shell to be understood. */
const SHELL_SYNTAX = /[#;"*?[\]&|<>(){}$`^~!=\\'\n]/;
const BUILTINS = new Set(
  (". : alias bg break case cd command continue eval exec exit export false fc fg for getopts hash if jobs kill local " +
    "login logout printf pwd read readonly return set shift source test times trap true type ulimit umask unalias " +
    "unset wait while echo").split(" "),
);

/** Runs the lines one after the other; the code of the first that fails. */
export class RecipeRun {
  /** Whether something was started or shown. */
  ran = false;
  failedLine = 0;

  constructor(
    private readonly make: Session,
    private readonly target: Target,
    private readonly recipe: Recipe,
    private readonly scope: Scope,
  ) {}

  *run(): Task<number> {
    const { make } = this;
    const lines = yield* this.#prepare();
    const env = lines.length > 0 ? yield* exportedVariables(make, this.scope, true) : {};
    for (const line of lines) {
      const code = yield* this.#runLine(line, env);
      if (code === 0) continue;
      const number = this.recipe.file === BUILTIN ? "" : `:${line.number}`;
      const place = `${this.recipe.file}${number}: ${this.target.name}`;
      if (line.ignored) {
        yield* wait(make.complain(`${make.title}: [${place}] Error ${code} (ignored)`));
        continue;
      }
      yield* wait(make.complain(`${make.title}: *** [${place}] Error ${code}`));
      return code;
    }
    return 0;
  }

  /** All lines are expanded before the first runs. */
  *#prepare(): Task<Line[]> {
    const { make, recipe } = this;
    const { letters } = make.options;
    const silent = letters.has("s") || make.rules.holds(".SILENT", this.target.name);
    const ignored = letters.has("i") || make.rules.holds(".IGNORE", this.target.name);
    const oneShell = make.rules.special.has(".ONESHELL");
    const whole = recipe.lines.map(({ text }) => text).join("\n");
    const source = oneShell && recipe.lines.length > 0 ? [{ text: whole, line: recipe.lines[0].line }] : recipe.lines;
    const lines: Line[] = [];
    for (const { text, line } of source) {
      make.place = { file: recipe.file, line };
      const recursive = /\$[({]MAKE[)}]/.test(text);
      const expanded = yield* expand(make, text, this.scope);
      make.place = undefined;
      const parts = oneShell ? [expanded] : splitLines(expanded);
      for (const part of parts) {
        const [prefix] = /^[@\-+ \t]*/.exec(part) ?? [""];
        const body = oneShell
          ? part.split("\n").map((one) => one.replace(/^[@\-+ \t]+/, "")).join("\n")
          : part.slice(prefix.length);
        if (body.trim() === "") continue;
        lines.push({
          text: body,
          number: line,
          silent: silent || prefix.includes("@"),
          ignored: ignored || prefix.includes("-"),
          always: recursive || prefix.includes("+"),
        });
      }
    }
    return lines;
  }

  *#runLine(line: Line, env: Record<string, string>): Task<number> {
    const { make } = this;
    const { letters } = make.options;
    make.checkSignal();
    const shown = letters.has("n") || make.options.trace || !line.silent && !(letters.has("q") || letters.has("t"));
    if (letters.has("q") && !line.always) {
      this.ran = true;
      return 0;
    }
    this.ran = true;
    if (shown && !letters.has("q")) yield* wait(make.print(`${line.text}\n`));
    if ((letters.has("n") || letters.has("t")) && !line.always) return 0;
    const argv = this.#argvOf(line.text);
    if (argv === undefined) return 127;
    const code = yield* wait(make.context.spawn(argv, { env, cwd: make.cwd }).done);
    make.checkSignal();
    return code;
  }

  /** A plain command is started without a shell. Undefined if there is no such program. */
  #argvOf(text: string): string[] | undefined {
    const { make, scope } = this;
    const words = splitWords(text);
    if (!isDefaultShell(scope) || SHELL_SYNTAX.test(text) || BUILTINS.has(words[0])) {
      return [...shellWords(make, scope, true), text];
    }
    if (words[0].includes("/") || make.context.has(words[0])) {
      return words[0].includes("/") ? [...shellWords(make, scope), text] : words;
    }
    make.complain(`${make.title}: ${words[0]}: No such file or directory`);
    return undefined;
  }
}

/** Lines of a recipe that an expansion brought; a backslash keeps two together. */
function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const last = lines.at(-1);
    if (last !== undefined && (/\\*$/.exec(last)?.[0].length ?? 0) % 2 === 1) {
      lines[lines.length - 1] = `${last}\n${line}`;
    } else lines.push(line);
  }
  return lines;
}
