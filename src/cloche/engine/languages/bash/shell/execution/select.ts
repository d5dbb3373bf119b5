/** select. */
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { Input } from "../descriptors/input.ts";
import { terminalOf } from "../descriptors/terminal.ts";
import { expandPrompt } from "../expansion/prompt.ts";
import { assignVariable, readVariable } from "../state/assign.ts";
import type { SelectNode } from "../syntax/nodes.ts";
import { type Task, wait } from "../task.ts";
import { assignName, checkLoopName, loopWords, runBody } from "./compound.ts";
import type { ShellInterpreter } from "./execute.ts";
import { runDebugTrap } from "./traps.ts";

const WIDTH = 80;

export function* runSelect(shell: ShellInterpreter, node: SelectNode): Task<number> {
  const { state } = shell;
  if (!checkLoopName(shell, node.name)) return state.status = 1;
  state.line = node.line;
  const words = yield* loopWords(shell, node.words);
  if (words.length === 0) return state.status = 0;
  state.command = node;
  if (state.traps.has("DEBUG") && (yield* runDebugTrap(shell, node))) return state.status;
  let menu = true;
  state.loops++;
  try {
    for (;;) {
      if (menu) shell.complainAs(layOut(words).trimEnd(), shell.fds);
      const line = yield* readAnswer(shell);
      if (line === undefined) {
        yield* shell.print("\n");
        return state.status = 1;
      }
      menu = line === "";
      if (menu) continue;
      assignVariable(shell, "REPLY", line);
      const choice = /^\d+$/.test(line.trim()) ? words[Number(line) - 1] : undefined;
      if (!assignName(shell, node.name, choice ?? "")) return state.status = 1;
      if (!(yield* runBody(shell, node.body))) return state.status;
    }
  } finally {
    state.loops--;
  }
}

function* readAnswer(shell: ShellInterpreter): Task<string | undefined> {
  const prompt = yield* expandPrompt(shell, readVariable(shell, "PS3") ?? "#? ");
  const stream = shell.fds.get(0);
  const terminal = terminalOf(stream);
  if (!terminal) shell.writeQuietly(prompt, 2);
  const bytes = terminal ? yield* wait(terminal.prompt(prompt, false)) : yield* wait(new Input(stream).readLine());
  return bytes === undefined ? undefined : decodeText(fromArray(bytes)).replace(/\n$/, "");
}

/** The numbered words in columns. */
function layOut(words: string[]): string {
  const digits = String(words.length).length;
  const items = words.map((word, i) => `${String(i + 1).padStart(digits)}) ${word}`);
  const width = Math.max(...items.map((item) => item.length)) + 2;
  const columns = Math.max(1, Math.floor(WIDTH / width));
  const rows = Math.ceil(items.length / columns);
  // What would fit on one line is shown one below the other.
  if (rows === 1 || columns === 1) return items.map((item) => `${item}\n`).join("");
  return Array.from(
    { length: rows },
    (_, row) => items.filter((_, i) => i % rows === row).map((item) => item.padEnd(width)).join("").trimEnd() + "\n",
  ).join("");
}
