/** What `set -x` shows. */
import { expandPrompt } from "../expansion/prompt.ts";
import { quoteTrace } from "../expansion/quote.ts";
import type { DeclarationWord, ExpandedAssignment } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import type { Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";

/** Writes a line to standard error, or to the descriptor that BASH_XTRACEFD names. */
export function* traceText(shell: ShellInterpreter, text: string): Task<void> {
  const { options } = shell.state;
  // The prompt's own commands are not shown.
  options.delete("xtrace");
  const prompt = yield* expandPrompt(shell, readVariable(shell, "PS4") ?? "");
  options.add("xtrace");
  // The first character is repeated for each level of substitution.
  const [first = ""] = prompt;
  const fd = Number(readVariable(shell, "BASH_XTRACEFD") ?? 2);
  const fds = fd !== 2 && shell.fds.has(fd) ? fd : 2;
  shell.writeQuietly(`${first.repeat(shell.state.substitutions)}${prompt}${text}\n`, fds);
}

export function* traceWords(shell: ShellInterpreter, words: DeclarationWord[]): Task<void> {
  const texts = words.map((word) => typeof word === "string" ? quoteTrace(word) : assignmentText(word));
  yield* traceText(shell, texts.join(" "));
}

export function* traceAssignment(shell: ShellInterpreter, assignment: ExpandedAssignment): Task<void> {
  yield* traceText(shell, assignmentText(assignment));
}

function assignmentText({ name, subscript, append, value }: ExpandedAssignment): string {
  const target = `${name}${subscript === undefined ? "" : `[${subscript}]`}${append ? "+=" : "="}`;
  if (typeof value === "string") return target + (value === "" ? "" : quoteTrace(value));
  const elements = value.map(({ subscript: key, value: item }) =>
    key === undefined ? quoteTrace(item) : `[${key}]=${quoteTrace(item)}`
  );
  return `${target}(${elements.join(" ")})`;
}
