/** Prompts: the escapes of PS1 and its like, then expansions. */
import { strftime } from "../../text/strftime.ts";
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import { HOST_NAME } from "../processes/kernel.ts";
import { readVariable } from "../state/assign.ts";
import { Parser } from "../syntax/parser.ts";
import { ShellSyntaxError } from "../syntax/scanner.ts";
import { parseWord } from "../syntax/words.ts";
import type { Task } from "../task.ts";
import { FieldBuilder } from "./fields.ts";
import { expandParts } from "./words.ts";

/** A prompt's text. */
export function* expandPrompt(shell: Interpreter, prompt: string): Task<string> {
  const text = prompt.includes("\\")
    ? prompt.replace(/\\(D\{[^}]*\}|[0-7]{3}|[^])/g, (_, code: string) => escape(shell, code))
    : prompt;
  if (!/[$`\\]/.test(text)) return text;
  try {
    const word = parseWord(new Parser(text), { double: true, until: "" });
    const out = new FieldBuilder(undefined);
    const { status } = shell.state;
    yield* expandParts(shell, word.parts, out, "quoted");
    shell.state.status = status;
    return out.text;
  } catch (error) {
    if (!(error instanceof ExpansionError) && !(error instanceof ShellSyntaxError)) throw error;
    shell.complain(error instanceof ExpansionError ? error.message : `${text}: bad substitution`);
    return prompt;
  }
}

const TIMES: Record<string, string> = { t: "%H:%M:%S", T: "%I:%M:%S", "@": "%I:%M %p", A: "%H:%M", d: "%a %b %d" };

function escape(shell: Interpreter, code: string): string {
  const { state } = shell;
  const home = readVariable(shell, "HOME") ?? "";
  const short = home !== "" && `${state.cwd}/`.startsWith(`${home}/`) ? `~${state.cwd.slice(home.length)}` : state.cwd;
  switch (code) {
    case "u":
      return readVariable(shell, "USER") ?? "user";
    case "h":
    case "H":
      return readVariable(shell, "HOSTNAME") ?? HOST_NAME;
    case "w":
      return short;
    case "W":
      return short === "~" || short === "/" ? short : short.slice(short.lastIndexOf("/") + 1);
    case "$":
      return "\\$";
    case "n":
      return "\n";
    case "r":
      return "\r";
    case "a":
      return "\x07";
    case "e":
      return "\x1b";
    case "s":
      return "bash";
    case "v":
      return "5.2";
    case "V":
      return "5.2.0";
    case "j":
      return String(shell.kernel.jobs.of(shell.process).length);
    case "#":
    case "!":
      return String(state.history.next);
    case "l":
      return "tty";
    case "[":
    case "]":
      return "";
    case "\\":
      return "\\";
  }
  const time = TIMES[code] ?? (code.startsWith("D") ? code.slice(2, -1) || "%X" : undefined);
  if (time !== undefined) return strftime(time, new Date());
  return /^[0-7]{3}$/.test(code) ? String.fromCharCode(parseInt(code, 8) & 255) : `\\${code}`;
}
