/** Decides whether a cell is complete or more lines have to follow. */

import type { Edited } from "./positions.ts";
import type { Program } from "../program.ts";
import { rewriteCell } from "./cell.ts";
import { rewriteReturns } from "./returns.ts";
import { scanSource } from "./scanner.ts";

const END = /: ''$|unexpected end/;

interface Whole {
  status: "complete" | "incomplete" | "invalid";
  indent?: string;
}

export function checkWhole(code: string, program: Program, strip?: (code: string, file: string) => Edited): Whole {
  const { open } = scanSource(code);
  const quoted = open.at(-1) === '"' || open.at(-1) === "'";
  if (open.length > 0 && !quoted) return { status: "incomplete", indent: "  ".repeat(open.length) };
  let typeless: string;
  try {
    const whole = rewriteReturns(code).code;
    typeless = strip?.(whole, "<cell>").code ?? whole;
  } catch {
    return { status: "invalid" };
  }
  const complaint = program.complaint(rewriteCell(typeless).code, "<cell>");
  if (complaint === null) return { status: "complete" };
  if (program.complaint(`(${code}\n)`, "<cell>") === null) return { status: "complete" };
  return { status: END.test(complaint) && !quoted ? "incomplete" : "invalid" };
}
