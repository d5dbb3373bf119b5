/** Paths in a repository: their order, how git writes them, and which are refused. */
import { encodeText } from "../../text/byte_strings.ts";
import { GitError } from "../options.ts";

const EMPTY: readonly string[] = ["", ".", ".."];
// Characters that some file systems ignore in names, so that ".g<U+200C>it" would be ".git" there.
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const DEPTH = 512;

/** Orders by the bytes of UTF-8, as git does. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === end) return a.length - b.length;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

// Surrogates sort after all other characters.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Whether a name may be in a tree that is checked out: it must not lead out of the folder, or into `.git`. */
export function isSafeName(name: string): boolean {
  if (EMPTY.includes(name) || /[/\\\0]/.test(name)) return false;
  const plain = name.replace(IGNORED, "").toLowerCase().replace(/[. ]+$/, "").replace(/:.*$/, "");
  return plain !== ".git" && plain !== "git~1";
}

/** Throws for a path that must not get into the index or the work tree. */
export function checkPath(path: string): void {
  const parts = path.split("/");
  if (parts.length > DEPTH) throw new GitError(`path is too deep: '${path.slice(0, 80)}...'`);
  if (!parts.every(isSafeName)) throw new GitError(`invalid path '${path}'`);
}

const ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A path as git shows it: in quotes with escapes if it holds anything unusual. */
export function quotePath(path: string, spaces = false): string {
  // deno-lint-ignore no-control-regex -- control characters are what is looked for
  const odd = /[\x00-\x1f"\\\x7f-\xff]/g;
  const bytes = encodeText(path);
  if (!odd.test(bytes)) return spaces && bytes.includes(" ") ? `"${bytes}"` : bytes;
  const escape = (char: string) => ESCAPES[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  return `"${bytes.replace(odd, escape)}"`;
}

/** The path of `target` seen from the folder `from`; both are relative to the same place. */
export function relativePath(from: string, target: string): string {
  if (from === "") return target === "" ? "./" : target;
  const [a, b] = [from.split("/"), target === "" ? [] : target.split("/")];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const parts = [...a.slice(same).map(() => ".."), ...b.slice(same)];
  return parts.length === 0 ? "./" : parts.join("/");
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
