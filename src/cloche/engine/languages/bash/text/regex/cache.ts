/** Extended expressions that were compiled lately. */
import { compileRegex, type Matcher } from "./regex.ts";

const CACHE_SIZE = 512;
const cache = new Map<string, Matcher>();

/** An extended regular expression; throws a RegexError if it is none. */
export function compileCached(source: string, ignoreCase: boolean): Matcher {
  const key = `${ignoreCase ? "i" : ""}:${source}`;
  const known = cache.get(key);
  if (known) return known;
  const matcher = compileRegex(source, { extended: true, ignoreCase });
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, matcher);
  return matcher;
}
