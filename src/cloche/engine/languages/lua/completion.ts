/** Completes Lua at the cursor. */

import type { Tree } from "../../fs/tree.ts";
import { completeModule, type Completion } from "../module_completion.ts";
import type { LuaState } from "./state.ts";

const KEYWORDS = (
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
).split(" ");
const PATH = /((?:[A-Za-z_]\w*\s*[.:]\s*)*)([A-Za-z_]\w*)?$/;
/** Matches the name of a module that is being written. */
const LOADS = /\brequire\s*\(?\s*["']([\w.-]*)$/;
/** A string, whose methods are those of `string`. */
const TEXT = /\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\)\s*:\s*(\w*)$/;
const MOST = 200;

export function completeLua(state: LuaState, tree: Tree, code: string, cursor: number): Completion {
  const ahead = code.slice(0, cursor);
  const name = LOADS.exec(ahead)?.[1];
  if (name !== undefined) {
    const roots = ["/workspace", "/opt/languages/lua"];
    return completeModule({ tree, roots, separator: ".", endings: [".lua"], index: "init.lua" }, name, cursor);
  }
  const method = TEXT.exec(ahead)?.[1];
  const [, holders, word = ""] = method === undefined ? PATH.exec(ahead) ?? ["", ""] : ["", "string:", method];
  const nothing = { matches: [], start: cursor, end: cursor };
  if (holders === "" && word === "") return nothing;
  const names = state.names(holders.split(/[\s.:]+/).filter((name) => name !== ""), holders.trimEnd().endsWith(":"));
  const all = holders === "" ? [...names, ...KEYWORDS] : names;
  const matches = [...new Set(all)].filter((name) => name.startsWith(word)).sort().slice(0, MOST);
  return { matches, start: cursor - word.length, end: cursor };
}
