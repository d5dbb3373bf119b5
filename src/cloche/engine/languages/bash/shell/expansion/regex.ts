/** The right side of `=~`. */
import { compileRegex as compilePosix } from "../../commands/posix_regex.ts";

const CACHE_SIZE = 512;
const cache = new Map<string, RegExp>();

/** An extended regular expression; throws if it is none. */
export function compileRegex(source: string, nocase: boolean): RegExp {
  const key = `${nocase ? "i" : ""}:${source}`;
  const known = cache.get(key);
  if (known) return known;
  const regex = compilePosix(source, "extended", nocase ? "si" : "s");
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, regex);
  return regex;
}
