/** Describes PHP's fatal errors: type, message, the user's own line, and the calls that led there. */

import type { RunError } from "../../protocol.ts";
import { hintFor } from "./hints.ts";

/** What PHP calls a cell. */
export const CELL = "<cell>";
const KINDS: Record<number, { type: string; title: string }> = {
  4: { type: "ParseError", title: "Parse error" },
  64: { type: "CompileError", title: "Fatal error" },
};
const FATAL = { type: "FatalError", title: "Fatal error" };
/** PHP's message for an uncaught exception; the last one of a chain counts. */
const UNCAUGHT =
  /^(?:[\s\S]*\n\nNext )?([\w\\]+)(?:@anonymous)?(?:: ([\s\S]*))? in (.*):(\d+)\nStack trace:\n([\s\S]*)$/;
const UNCLOSED = /^Unclosed '.' on line (\d+)/;

/** A fatal error as PHP's error handler gets it. */
export interface Fault {
  type: number;
  message: string;
  file: string;
  line: number;
}

export interface Context {
  /** The cell, without its first tag. */
  code: string;
  /** Its name. */
  name: string;
  /** The host's answers to requests for classes. */
  refusals: ReadonlyMap<string, string>;
}

export function errorOf(fault: Fault, context: Context): RunError {
  const { message, type, title, calls } = read(fault);
  const line = lineOf(fault, { name: context.name, message, calls });
  const hint = hintFor({ type, message, line }, context);
  const hinted = hint ? `${message}\nhint: ${hint}` : message;
  const traceback = `${title}: ${
    calls === null ? `${fault.message} in ${fault.file} on line ${line ?? fault.line}` : trimmed(fault)
  }`;
  return { type, message: hinted, line, column: null, traceback: hint ? `${traceback}\nhint: ${hint}` : traceback };
}

interface Read {
  type: string;
  title: string;
  message: string;
  /** The calls, as PHP lists them; null where it does not. */
  calls: string | null;
}

function read(fault: Fault): Read {
  const known = KINDS[fault.type] ?? FATAL;
  if (!fault.message.startsWith("Uncaught ")) return { ...known, message: fault.message, calls: null };
  const found = UNCAUGHT.exec(bare(fault));
  if (!found) return { ...known, message: bare(fault), calls: "" };
  const [, type, message = "", , , calls] = found;
  return { type, title: FATAL.title, message, calls };
}

/** Without the words around it. */
function bare({ message }: Fault): string {
  return message.replace(/^Uncaught /, "").replace(/\n {2}thrown$/, "");
}

function trimmed({ message }: Fault): string {
  return message.replace(/\n {2}thrown$/, "");
}

type Placed = Pick<Context, "name"> & Pick<Read, "message" | "calls">;

/** The line of the cell: where it failed, or where it called what failed. */
function lineOf({ file, line }: Fault, { name, message, calls }: Placed): number | null {
  const opened = UNCLOSED.exec(message);
  if (opened && file === name) return Number(opened[1]);
  if (file === name) return line;
  const call = calls?.split("\n").map((each) => each.replace(/^#\d+ /, "")).find((each) => each.startsWith(`${name}(`));
  return call === undefined ? null : Number.parseInt(call.slice(name.length + 1), 10);
}
