/** Describes an error for the result: its kind, its message, and where in the user's code it was thrown. */

import type { RunError } from "../../protocol.ts";
import { scanSource } from "./source/scanner.ts";

export interface Described {
  type: string;
  message: string;
  stack: string;
  shown?: string;
  code?: string;
}

const FRAME = /^ {4}at (?:.* \()?(.*?):(\d+):(\d+)\)?$/;
const PACKAGES = /\/node_modules\//;

/** `code` is that of the cell, if there is one. */
export function runError(described: Described, code = ""): RunError {
  const { type, message, stack, shown } = described;
  const places = stack.split("\n").map((line) => FRAME.exec(line)).filter((found) => found !== null);
  const own = places.find(([, file]) => !PACKAGES.test(file)) ?? places[0];
  return {
    type,
    message: withHint(described, code),
    line: own ? Number(own[2]) : null,
    column: own ? Number(own[3]) : null,
    traceback: shown && shown.length < 1 << 16 && !shown.startsWith("[") ? shown : stack || `${type}: ${message}`,
  };
}

export function interruptedError(): RunError {
  return { type: "KeyboardInterrupt", message: "interrupted", line: null, column: null, traceback: "" };
}

function withHint({ type, message }: Described, code: string): string {
  const open = type === "SyntaxError" ? unclosed(code) : null;
  const hint = open ?? HINTS.find(([kind, pattern]) => type === kind && pattern.test(message))?.[2];
  return hint && !message.includes("hint:") ? `${message}\nhint: ${hint}` : message;
}

function unclosed(code: string): string | null {
  const { open, since } = scanSource(code);
  return since === null
    ? null
    : `the ${open.at(-1)} in line ${code.slice(0, since).split("\n").length} is never closed`;
}

const HINTS: [type: string, message: RegExp, hint: string][] = [
  ["SyntaxError", /'' *$|unexpected end/, "the code ends too early: a bracket, a quote or a part of it is missing"],
  ["InternalError", /out of memory/, "the memory of this language is at its limit"],
  ["ReferenceError", /^(window|document|localStorage|alert) is not defined/, "there is no browser here"],
  ["ReferenceError", /^(Deno|Bun) is not defined/, "use Node's modules: fs, path, process"],
];
