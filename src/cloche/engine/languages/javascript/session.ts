/** `node` at a terminal: lines are run as they come, and their values shown. */

import { INTERRUPT_KEY } from "../../worker/programs/input.ts";
import type { Context } from "./context.ts";
import { NODE } from "./services.ts";
import { checkWhole } from "./source/completeness.ts";

interface SessionStreams {
  /** The next line; null at the end. */
  ask(prompt: string): string | null;
  print(text: string): void;
}

const HELP = ".exit     Exit the REPL\n.help     Print this help message\n";

/** Runs until the end of input, `.exit` or `process.exit()`; returns the exit code. */
export async function runSession(context: Context, { ask, print }: SessionStreams): Promise<number> {
  print(`Welcome to Node.js ${NODE}.\nType ".help" for more information.\n`);
  let text = "";
  for (let count = 1;;) {
    const line = ask(text === "" ? "> " : "... ");
    if (line === INTERRUPT_KEY) {
      if (text === "") print("(To exit, press Ctrl+D or type .exit)\n");
      text = "";
      continue;
    }
    if (line === null || text === "" && line.trim() === ".exit") return 0;
    if (text === "" && line.trim() === ".help") {
      print(HELP);
      continue;
    }
    text += `${line}\n`;
    if (text.trim() !== "" && checkWhole(text, context.program).status === "incomplete") continue;
    const code = text.trim() === "" ? undefined : await evaluate(context, `REPL${count++}`, text, print);
    if (code !== undefined) return code;
    text = "";
  }
}

/** The exit code if the code has ended the session. */
async function evaluate(
  context: Context,
  name: string,
  text: string,
  print: (text: string) => void,
): Promise<number | undefined> {
  const ending = await context.cell(name, text);
  if (ending.how === "exit") return ending.code;
  if (ending.how === "done") {
    print(`${ending.value ? context.program.callGuest("plain", ending.value) : "undefined"}\n`);
    return undefined;
  }
  const { error, exitCode } = context.outcome(ending);
  if (ending.how === "interrupted") return exitCode;
  print(`Uncaught ${error?.traceback ?? ""}\n`);
  return undefined;
}
