/** echo and printf: exact to the byte. */
import { decodeText, encodeText, toArray } from "../../text/byte_strings.ts";
import { unescapeText } from "../../text/escapes.ts";
import { printf as format } from "../../text/printf.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { assignElement, assignVariable, isName, parseElement } from "../state/assign.ts";
import type { Task } from "../task.ts";

/** Writes a byte string; a failure is said and gives 1. */
function write(shell: Interpreter, name: string, bytes: string): number | Task<number> {
  const stream = shell.fds.find(1);
  if (!stream) return fail(shell, name);
  const written = stream.write(toArray(bytes));
  return written instanceof Promise ? waitFor(written) : 0;
}

function* waitFor(written: Promise<void>): Task<number> {
  yield written;
  return 0;
}

function fail(shell: Interpreter, name: string): number {
  shell.complain(`${name}: write error: Bad file descriptor`);
  return 1;
}

const OPTION = /^-[neE]+$/;

const echo: Builtin = (shell, args) => {
  let newline = true;
  let escapes = shell.state.shopt.has("xpg_echo");
  let first = 0;
  for (; first < args.length && args[first].charCodeAt(0) === 45 && OPTION.test(args[first]); first++) {
    for (const letter of args[first].slice(1)) {
      if (letter === "n") newline = false;
      else escapes = letter === "e";
    }
  }
  const text = encodeText((first === 0 ? args : args.slice(first)).join(" "));
  if (!escapes) return write(shell, "echo", newline ? `${text}\n` : text);
  const { bytes, stopped } = unescapeText(text, "echo");
  return write(shell, "echo", newline && !stopped ? `${bytes}\n` : bytes);
};

const printf: Builtin = (shell, args) => {
  let variable: string | undefined;
  let words = args;
  if (words[0] === "-v") {
    variable = words[1];
    words = words.slice(2);
  }
  if (words[0] === "--") words = words.slice(1);
  const [pattern, ...values] = words;
  if (pattern === undefined) {
    shell.say("printf: usage: printf [-v var] format [arguments]");
    return 2;
  }
  const { bytes, error, ok } = format(pattern, values);
  for (const line of error.split("\n")) if (line !== "") shell.complain(line);
  if (variable !== undefined) {
    const { name, subscript } = parseElement(shell, variable);
    if (!isName(name)) {
      shell.complain(`printf: \`${variable}': not a valid identifier`);
      return 2;
    }
    if (subscript === undefined) assignVariable(shell, name, decodeText(bytes));
    else assignElement(shell, name, subscript, decodeText(bytes));
    return ok ? 0 : 1;
  }
  const written = write(shell, "printf", bytes);
  return ok ? written : 1;
};

export const printBuiltins: Record<string, Builtin> = { echo, printf };
