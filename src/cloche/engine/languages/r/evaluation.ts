/** Evaluates R code, from its first expression to its result. */

import type { RunError } from "../../protocol.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Plain } from "./values.ts";

/** How code ended. */
interface Ended {
  exitCode: number;
  value: string | null;
  /** The value as HTML, if it has such a form. */
  html: string | null;
  /** The value as JSON, if it is plain data. */
  data: string | null;
  error: RunError | null;
}

interface Source {
  code: string;
  /** Its name in tracebacks. */
  file: string;
  /** Whether it is a program, whose last value is printed like all others. */
  script: boolean;
}

const INTERRUPTED = 130;
const DONE: Ended = { exitCode: 0, value: null, html: null, data: null, error: null };

export function runCode(r: Interpreter, source: Source): Ended {
  const { count, ...problem } = r.call("begin", [source.code, source.file], (found) => ({
    count: Number(r.values.read(r.values.element(found, "count"))),
    message: text(r, found, "message"),
    line: number(r, found, "line"),
    column: number(r, found, "column"),
    heading: text(r, found, "heading"),
  })) ?? UNREAD;
  if (count < 0) return failed(unreadable(problem));
  for (let i = 1; i <= count; i++) {
    const ended = r.call("step", [i, i === count && !source.script], (outcome) => ending(r, outcome));
    const left = r.takeInterrupt();
    r.tellWarnings();
    if (left) return { ...failed(interrupted()), exitCode: INTERRUPTED };
    if (ended === null) return failed(ABORTED);
    if (ended !== DONE) return ended;
  }
  return DONE;
}

const UNREAD = { count: -1, message: "the code is not text", line: null, column: null, heading: "" };
const ABORTED: RunError = {
  type: "abort",
  message: "the code was left by a jump to top level",
  line: null,
  column: null,
  traceback: "",
};

function ending(r: Interpreter, outcome: number): Ended {
  switch (text(r, outcome, "kind")) {
    case "value": {
      const value = r.values.element(outcome, "value");
      r.setValue(".Last.value", value);
      const shown = { value: text(r, outcome, "text"), html: text(r, outcome, "html") || null };
      return { ...DONE, ...shown, data: r.values.data(value) };
    }
    case "exit":
      return { ...DONE, exitCode: (number(r, outcome, "status") ?? 0) & 255 };
    case "interrupted":
      return { ...failed(interrupted()), exitCode: INTERRUPTED };
    case "error":
      return failed(described(r, outcome));
    default:
      return DONE;
  }
}

function failed(error: RunError): Ended {
  return { ...DONE, exitCode: 1, error };
}

function interrupted(): RunError {
  return { type: "KeyboardInterrupt", message: "interrupted", line: null, column: null, traceback: "" };
}

function described(r: Interpreter, outcome: number): RunError {
  const calls = r.values.readAll(r.values.element(outcome, "calls"));
  const lines = Array.isArray(calls) ? calls.map(String) : [];
  const hint = text(r, outcome, "hint");
  return {
    type: text(r, outcome, "type"),
    message: text(r, outcome, "message") + (hint ? `\nhint: ${hint}` : ""),
    line: number(r, outcome, "line"),
    column: number(r, outcome, "column"),
    traceback: [...(lines.length > 0 ? ["Traceback:", ...lines] : []), text(r, outcome, "heading")].join("\n"),
  };
}

interface Problem {
  message: string;
  line: number | null;
  column: number | null;
  heading: string;
}

function unreadable({ message, line, column, heading }: Problem): RunError {
  const open = /end of input|INCOMPLETE_STRING/.test(message);
  const hint = open ? "\nhint: a closing bracket or quote is missing" : "";
  return { type: "SyntaxError", message: message + hint, line, column, traceback: heading };
}

function text(r: Interpreter, list: number, name: string): string {
  const found: Plain = r.values.read(r.values.element(list, name));
  return typeof found === "string" ? found : Array.isArray(found) ? found.map(String).join("\n") : "";
}

function number(r: Interpreter, list: number, name: string): number | null {
  const found = r.values.read(r.values.element(list, name));
  return typeof found === "number" ? found : null;
}
