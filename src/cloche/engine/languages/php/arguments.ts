/** Parses the arguments of `php`: code given with -r gets what a file would get. */

/** Options that are followed by a word. */
const VALUED = /^-[cdfBREFStz]$/;
/** What must come before everything else. */
const FIRST = /^\s*(namespace|declare)\b/;

/** Puts a line of PHP before code that is given with -r; PHP does that for files by itself. */
export function withPrelude(words: string[], prelude: string): string[] {
  const put = (code: string) => FIRST.test(code) ? code : `require_once '${prelude}'; ${code}`;
  const changed = [...words];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "--" || !word.startsWith("-")) break;
    if (word === "-r" && at + 1 < words.length) {
      changed[at + 1] = put(words[at + 1]);
      break;
    }
    if (/^-r./.test(word)) {
      changed[at] = `-r${put(word.slice(2))}`;
      break;
    }
    if (VALUED.test(word)) at++;
  }
  return changed;
}
