/** echo and printf as builtins: fast, and exact to the byte. */
import { decodeText, encodeText } from "../streams/byte_strings.ts";
import { unescapeText } from "./escapes.ts";
import { emptyResult, failure } from "../interpreter/just_bash_types.ts";
import { printf as format } from "./printf.ts";
import type { Builtin } from "../interpreter/process.ts";

const echo: Builtin = (shell, args) => {
  let newline = true;
  let escapes = shell.state.shoptOptions.xpg_echo;
  let first = 0;
  for (; /^-[neE]+$/.test(args[first] ?? ""); first++) {
    for (const letter of args[first].slice(1)) {
      if (letter === "n") newline = false;
      else escapes = letter === "e";
    }
  }
  const text = encodeText(args.slice(first).join(" "));
  const { bytes, stopped } = escapes ? unescapeText(text, "echo") : { bytes: text, stopped: false };
  return { ...emptyResult(0), stdout: bytes + (newline && !stopped ? "\n" : ""), stdoutKind: "bytes" };
};

const printf: Builtin = (shell, args) => {
  const [first, name] = args;
  const words = args[0] === "--" ? args.slice(1) : args;
  const variable = first === "-v" ? name : undefined;
  // Elements of arrays are assigned by just-bash's own printf.
  if (variable !== undefined && !/^[A-Za-z_]\w*$/.test(variable)) return undefined;
  const [pattern, ...values] = variable === undefined
    ? words
    : args.slice(2).filter((word, i) => i > 0 || word !== "--");
  if (pattern === undefined) return failure("printf: usage: printf [-v var] format [arguments]", 2);
  const { bytes, error, ok } = format(pattern, values);
  if (variable === undefined) return { ...emptyResult(ok ? 0 : 1), stdout: bytes, stdoutKind: "bytes", stderr: error };
  shell.state.env.set(variable, decodeText(bytes));
  return { ...emptyResult(ok ? 0 : 1), stderr: error };
};

export const printBuiltins: Record<string, Builtin> = { echo, printf };
