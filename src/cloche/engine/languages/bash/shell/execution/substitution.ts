/** $(…), <(…) and >(…). */
import { concatBytes } from "../../../../text/bytes.ts";
import { decodeText, fromArray } from "../../text/byte_strings.ts";
import { SinkStream } from "../descriptors/devices.ts";
import { makePipe } from "../descriptors/pipe.ts";
import type { ProcessSubstitutionPart, ScriptNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";

/** What one string of a script may hold. */
export const MAX_BYTES = 512 * 1024 * 1024;
const STACK_DEPTH = 40;

export function* substitute(shell: ShellInterpreter, script: ScriptNode): Task<string> {
  const file = onlyFile(script);
  const parts: Uint8Array[] = [];
  let size = 0;
  const child = shell.fork();
  child.state.substitutions++;
  child.state.loops = 0;
  if (!shell.state.shopt.has("inherit_errexit") && !shell.state.options.has("posix")) {
    child.state.options.delete("errexit");
  }
  child.fds.set(
    1,
    new SinkStream("pipe", (bytes) => {
      size += bytes.length;
      if (size > MAX_BYTES) throw new RangeError(`a substitution holds more than ${MAX_BYTES} bytes`);
      parts.push(bytes);
    }),
  );
  child.enter();
  const body = child.main(file ? copyInput(child, file) : child.runList(script.statements));
  const run = shell.process.runChild(child.process, body);
  const ended = child.depth % STACK_DEPTH === 0 ? yield* shell.process.runDeep(run) : yield* run;
  const code = script.statements.length === 0 ? 0 : ended;
  shell.state.status = code;
  shell.state.lastSubstitution = code;
  return textOf(shell, parts);
}

function textOf(shell: ShellInterpreter, parts: Uint8Array[]): string {
  let text = decodeText(fromArray(parts.length === 1 ? parts[0] : concatBytes(parts)));
  if (text.includes("\0")) {
    shell.complain("warning: command substitution: ignored null byte in input");
    text = text.replaceAll("\0", "");
  }
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** `$(< file)`: the redirection, if that is all there is. */
function onlyFile({ statements }: ScriptNode) {
  if (statements.length !== 1 || statements[0].pipelines.length !== 1) return undefined;
  const [command] = statements[0].pipelines[0].commands;
  if (command?.type !== "Simple" || command.words.length > 0 || command.assignments.length > 0) return undefined;
  return command.redirections.length === 1 && command.redirections[0].operator === "<" ? command : undefined;
}

function* copyInput(
  shell: ShellInterpreter,
  { redirections, line }: ReturnType<typeof onlyFile> & object,
): Task<number> {
  const words = [{ type: "Word" as const, parts: [], text: "cat", plain: "cat" }];
  return yield* shell.runCommand({ type: "Simple", assignments: [], words, redirections, line });
}

/** Starts the commands with one end of a pipe; the other is a descriptor of this shell until its command ends. */
export function substituteProcess(shell: ShellInterpreter, part: ProcessSubstitutionPart): string {
  const { reader, writer } = makePipe();
  const child = shell.fork();
  const input = part.direction === "input";
  // What the same command has opened is not its own: a pipe that it held too would never end.
  for (const { fd } of shell.openSubstitutions.slice(shell.firstSubstitution)) child.fds.close(fd);
  child.fds.set(input ? 1 : 0, input ? writer : reader);
  const fd = shell.freeHigh();
  shell.fds.set(fd, input ? reader : writer);
  shell.openSubstitutions.push({ fd, writes: input ? undefined : child.process });
  shell.state.lastJob = child.process.pid;
  // It starts when this one next waits, as a process of its own would.
  queueMicrotask(() => child.process.start(child.main(child.runList(part.body.statements))));
  return `/dev/fd/${fd}`;
}
