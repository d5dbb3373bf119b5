/** What could follow at the cursor in Lua. */

import type { LuaState } from "./state.ts";

const KEYWORDS = (
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
).split(" ");
const PATH = /((?:[A-Za-z_]\w*\s*[.:]\s*)*)([A-Za-z_]\w*)?$/;
const MOST = 200;

export interface Completion {
  matches: string[];
  start: number;
  end: number;
}

export function complete(state: LuaState, code: string, cursor: number): Completion {
  const [, holders = "", word = ""] = PATH.exec(code.slice(0, cursor)) ?? [];
  const nothing = { matches: [], start: cursor, end: cursor };
  if (holders === "" && word === "") return nothing;
  const names = state.names(holders.split(/[\s.:]+/).filter((name) => name !== ""), holders.trimEnd().endsWith(":"));
  const all = holders === "" ? [...names, ...KEYWORDS] : names;
  const matches = [...new Set(all)].filter((name) => name.startsWith(word)).sort().slice(0, MOST);
  return { matches, start: cursor - word.length, end: cursor };
}
