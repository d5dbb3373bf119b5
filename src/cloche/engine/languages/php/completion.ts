/** Completes files and keywords in PHP; names are left to PHP itself. */

import type { Tree } from "../../fs/tree.ts";
import { completeModule, type Completion } from "../module_completion.ts";

const LOADS = /\b(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?["'](\/?[\w./-]*)$/;
/** Matches a position where only a class is allowed. */
const CLASS = /\b(?:use|new|extends|implements|instanceof|catch\s*\()\s+[\w\\]*$/;
const WORDS = (
  "abstract and array as break callable case catch class clone const continue declare default do echo else elseif " +
  "empty endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if " +
  "implements include include_once instanceof insteadof interface isset list match namespace new null or print private " +
  "protected public readonly require require_once return static switch throw trait true try unset use var while xor " +
  "yield false self parent int float bool string iterable object mixed void never"
).split(" ");

/** Null if no file is being named. */
export function completeRequire(tree: Tree, ahead: string): Completion | null {
  const [found, name = ""] = LOADS.exec(ahead) ?? [];
  if (found === undefined) return null;
  const roots = [name.startsWith("/") && !found.includes("__DIR__") ? "" : "/workspace"];
  return completeModule({ tree, roots, separator: "/", endings: [] }, name, ahead.length);
}

/** The names and keywords of PHP that match. */
export function chooseNames(names: string[], word: string, ahead: string): string[] {
  if (CLASS.test(ahead)) {
    return names.filter((name) => /^[A-Z]/.test(name) && /[a-z]/.test(name) || name.includes("\\"));
  }
  const words = /^[a-z_]+$/.test(word) ? WORDS.filter((each) => each.startsWith(word)) : [];
  // PHP's own names come last.
  const magic = (name: string) => /(?:->|::)__/.test(name);
  return [...new Set([...words, ...names.filter((name) => !magic(name)), ...names.filter(magic)])];
}
