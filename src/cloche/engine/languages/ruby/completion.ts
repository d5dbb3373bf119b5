/** Completes `require` in Ruby; the rest is left to Ruby itself. */

import type { Tree } from "../../fs/tree.ts";
import { completeModule, type Completion } from "../module_completion.ts";
import { gemPaths } from "./gem_folders.ts";

const LOADS = /\b(require|require_relative|load)\s*\(?\s*["']([\w./-]*)$/;
const OWN = ["/opt/ruby/4.0.0", "/opt/ruby/gems"];
/** An array literal; its contents do not matter. */
const ARRAY = /(^|[\s=(,{;|])\[[^[\]]+\](?=&?\.\w*[?!]?$)/;

/** Null if no module is being named. */
export function completeRequire(tree: Tree, ahead: string): Completion | null {
  const [, verb, name] = LOADS.exec(ahead) ?? [];
  if (name === undefined) return null;
  const beside = verb !== "require" || /^\.{0,2}\//.test(name);
  const roots = beside ? [name.startsWith("/") ? "" : "/workspace"] : [...OWN, ...gemPaths(tree)];
  return completeModule({ tree, roots, separator: "/", endings: [".rb"] }, name, ahead.length);
}

/** Code whose last array is empty, which Ruby knows without running it. */
export function completeFiles(ahead: string): string {
  return ahead.replace(ARRAY, "$1[]");
}
