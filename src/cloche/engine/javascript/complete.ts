/** What could stand at the cursor: members of what is before the point, or names of the top level. */

import type { Program } from "./program.ts";
import { Thrown } from "./vm.ts";

export interface Completions {
  matches: string[];
  start: number;
  end: number;
}

const CHAIN = /((?:[\p{ID_Start}$_][\p{ID_Continue}$]*\.)*)([\p{ID_Start}$_][\p{ID_Continue}$]*)?$/u;
const KEYWORDS =
  ("async await break case catch class const continue debugger default delete do else export extends false finally for " +
    "function if import in instanceof let new null return static super switch this throw true try typeof undefined var " +
    "void while with yield").split(" ");
const LIMIT = 500;

export function completeAt(code: string, cursor: number, program: Program): Completions {
  const [, chain, prefix = ""] = CHAIN.exec(code.slice(0, cursor)) ?? ["", ""];
  const before = code[cursor - prefix.length - chain.length - 1];
  const start = cursor - prefix.length;
  // Behind a call or a bracket it cannot be told without running it.
  if (chain === "" && before === ".") return { matches: [], start, end: cursor };
  const members = membersOf(program, chain.slice(0, -1), prefix);
  const keywords = chain === "" ? KEYWORDS.filter((word) => prefix !== "" && word.startsWith(prefix)) : [];
  const matches = [...new Set([...members, ...keywords])].sort().slice(0, LIMIT);
  return { matches, start, end: cursor };
}

/** What the guest says its members are; it may say anything. */
function membersOf(program: Program, chain: string, prefix: string): string[] {
  try {
    const found: unknown = JSON.parse(String(program.tell("complete", chain, prefix)));
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
  } catch (error) {
    if (error instanceof Thrown || error instanceof SyntaxError) return [];
    throw error;
  }
}
