/** echo and printf: exact to the byte. */
import { decodeText, encodeText, toArray } from "../../text/byte_strings.ts";
import { unescapeText } from "../../text/escapes.ts";
import { printf as format, type Surroundings } from "../../text/printf.ts";
import { findZone } from "../commands/dates/zones.ts";
import type { Builtin, Interpreter } from "../interpreter.ts";
import { assignElement, assignVariable, isName, parseElement, splitElement } from "../state/assign.ts";
import { readFlags } from "./options.ts";
import { sayUsage } from "./usages.ts";
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
  const plain = args[0]?.charCodeAt(0) !== 45;
  const given = plain ? undefined : readFlags(shell, "printf", args, "v:");
  if (!plain && !given) return 2;
  const variable = given?.get("v");
  if (variable !== undefined && !isName(splitElement(variable).name)) {
    shell.complain(`printf: \`${variable}': not a valid identifier`);
    return 2;
  }
  const [pattern, ...values] = given?.rest ?? args;
  if (pattern === undefined) {
    sayUsage(shell, "printf");
    return 2;
  }
  const { bytes, messages, ok } = format(pattern, values, surroundingsOf(shell));
  if (variable === undefined) {
    return messages.length === 0 ? write(shell, "printf", bytes) : writeAndComplain(shell, bytes, messages, ok);
  }
  for (const [, message] of messages) shell.complain(message);
  const { name, subscript } = parseElement(shell, variable);
  if (subscript === undefined) assignVariable(shell, name, decodeText(bytes));
  else assignElement(shell, name, subscript, decodeText(bytes));
  return ok ? 0 : 1;
};

/** Messages come after what was printed before them. */
function* writeAndComplain(
  shell: Interpreter,
  bytes: string,
  messages: [at: number, text: string][],
  ok: boolean,
): Task<number> {
  let from = 0;
  let code = ok ? 0 : 1;
  for (const [at, message] of [...messages, [bytes.length, undefined] as const]) {
    const written = at > from ? write(shell, "printf", bytes.slice(from, at)) : 0;
    code ||= typeof written === "number" ? written : yield* written;
    from = at;
    if (message !== undefined) shell.complain(message);
  }
  return code;
}

function surroundingsOf(shell: Interpreter): Surroundings {
  return {
    count(name, characters) {
      if (!isName(name)) return `\`${name}': not a valid identifier`;
      assignVariable(shell, name, String(characters));
      return undefined;
    },
    // A zone counts if programs would see it too.
    zoneAt: (seconds) => findZone(shell.state.variables.environment().TZ).at(seconds),
  };
}

export const printBuiltins: Record<string, Builtin> = { echo, printf };
