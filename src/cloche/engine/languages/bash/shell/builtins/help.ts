/** help, caller, and those that do nothing here. */
import { compilePattern } from "../expansion/patterns.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import type { Task } from "../task.ts";
import { readFlags } from "./options.ts";
import { BUILTIN_USAGES, KEYWORD_USAGES, TOPICS } from "./usages.ts";

const KNOWN = { ...BUILTIN_USAGES, ...KEYWORD_USAGES };

const help: Builtin = function* (shell, args) {
  const given = readFlags(shell, "help", args, "dms");
  if (!given) return 2;
  const form = given.has("d") ? "d" : given.has("m") ? "m" : given.has("s") ? "s" : "";
  if (given.rest.length === 0) return yield* showAll(shell);
  if (/[*?[]/.test(given.rest[0])) {
    const several = given.rest.length > 1 ? "s" : "";
    yield* shell.print(`Shell commands matching keyword${several} \`${given.rest.join(", ")}'\n\n`);
  }
  let code = 0;
  for (const word of given.rest) {
    const pattern = /[*?[]/.test(word);
    const names = findTopics(word, pattern);
    if (names.length === 0) {
      shell.complain(
        `help: no help topics match \`${word}'.  Try \`help help' or \`man -k ${word}' or \`info ${word}'.`,
      );
      code = 1;
    }
    for (const name of names) yield* shell.print(describe(name, form));
  }
  return code;
};

/** The topic of this name; else those that begin with it, or match it as a pattern. */
function findTopics(word: string, pattern: boolean): string[] {
  if (pattern) return TOPICS.filter((name) => compilePattern(word).match(name));
  return Object.hasOwn(KNOWN, word) ? [word] : TOPICS.filter((name) => word !== "" && name.startsWith(word));
}

function describe(name: string, form: string): string {
  const [synopsis, summary] = KNOWN[name];
  if (form === "s") return `${name}: ${synopsis}\n`;
  if (form === "d") return `${name} - ${summary}\n`;
  if (form !== "m") return `${name}: ${synopsis}\n    ${summary}\n`;
  return `NAME\n    ${name} - ${summary}\n\nSYNOPSIS\n    ${synopsis}\n\nDESCRIPTION\n    ${summary}\n\nSEE ALSO\n    bash(1)\n\n`;
}

function* showAll(shell: Interpreter): Task<number> {
  const lines = TOPICS.map((name) => {
    const mark = shell.state.disabled.has(name) ? "*" : " ";
    return `${mark}${KNOWN[name][0]}\n`;
  });
  yield* shell.print(`\`help NAME' says more; what is marked with * is turned off.\n\n${lines.join("")}`);
  return 0;
}

/** What a builtin does that is called with --help. */
export function* showHelp(shell: Interpreter, name: string): Task<number> {
  yield* shell.print(describe(name, ""));
  return 2;
}

const caller: Builtin = function* (shell, args) {
  const { frames } = shell.state;
  const at = args[0] === undefined ? 0 : Number(args[0]);
  const frame = frames[frames.length - 1 - at];
  const above = frames[frames.length - 2 - at];
  if (!frame || frame.kind === "main") return 1;
  const source = above?.source || (frames.length === 1 + at ? "NULL" : "main");
  const line = frame.callLine;
  yield* shell.print(args[0] === undefined ? `${line} ${source}\n` : `${line} ${above?.name ?? "main"} ${source}\n`);
  return 0;
};

const suspend: Builtin = (shell) => {
  shell.complain("suspend: cannot suspend: no job control");
  return 1;
};

export const helpBuiltins: Record<string, Builtin> = { help, caller, suspend, bind: () => 0 };
