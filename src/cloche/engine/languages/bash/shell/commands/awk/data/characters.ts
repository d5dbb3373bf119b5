/** Characters of a text, which JavaScript counts in units of 16 bits. */

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** How many characters a text has. */
export function characterCount(text: string): number {
  return PAIR.test(text) ? Array.from(text).length : text.length;
}

/** The first characters of a text. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  return PAIR.test(text) ? Array.from(text).slice(0, count).join("") : text.slice(0, count);
}

/** Characters from `start`, counted from 0, up to `end`. */
export function sliceCharacters(text: string, start: number, end: number): string {
  return PAIR.test(text) ? Array.from(text).slice(start, end).join("") : text.slice(start, end);
}

/** How many characters come before a place in a text. */
export function charactersBefore(text: string, at: number): number {
  return PAIR.test(text) ? characterCount(text.slice(0, at)) : at;
}

// deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
const ASCII = /^[\x00-\x7f]*$/;

/** Upper case, letter by letter: "ß" stays. */
export function upperCase(text: string): string {
  if (ASCII.test(text)) return text.toUpperCase();
  return Array.from(text, (char) => sameLength(char, char.toUpperCase())).join("");
}

/** Lower case, letter by letter. */
export function lowerCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return Array.from(text, (char) => sameLength(char, char.toLowerCase())).join("");
}

function sameLength(char: string, changed: string): string {
  return Array.from(changed).length === 1 ? changed : char;
}
