/** Words of an event: `:0`, `:^`, `:$`, `:%`, `:2-4`, `:2*`, `:2-`, `*`. */
import { tokenize } from "./tokens.ts";

interface Words {
  /** Undefined: there are no such words. */
  text: string | undefined;
  /** Where the designator ends. */
  end: number;
}

const FIRST = /(\d+)|([\^$%*-])/y;
const LAST = /\*|-(?:(\d+)|(\$))?/y;

/** The words that a designator at a place asks for; the whole event if there is none. `short` says that it may follow `!` at once. */
export function designateWords(
  line: string,
  at: number,
  event: string,
  searched: string | undefined,
  short: boolean,
): Words {
  const colon = line[at] === ":";
  FIRST.lastIndex = colon ? at + 1 : at;
  const [whole, digits, sign] = FIRST.exec(line) ?? [];
  // Without a colon only signs are designators, and after `!` at once a dash is none.
  if (whole === undefined || !colon && (digits !== undefined || short && sign === "-")) return { text: event, end: at };
  const end = FIRST.lastIndex;
  const words = tokenize(event).map(({ text }) => text);
  if (sign === "%") return { text: searched, end };
  if (sign === "*") return { text: words.slice(1).join(" "), end };
  if (sign === "$") return { text: words.at(-1) ?? "", end };
  const first = sign === "^" ? 1 : sign === "-" ? 0 : Number(digits);
  LAST.lastIndex = sign === "-" ? end - 1 : end;
  const [range, number, dollar] = LAST.exec(line) ?? [];
  const final = words.length - 1;
  if (range === undefined) return { text: words[first], end };
  const last = range === "*" || dollar !== undefined ? final : number === undefined ? final - 1 : Number(number);
  const none = first > words.length || last > final || last < 0 && first > 0 || first > last && range !== "*";
  return { text: none ? undefined : words.slice(first, last + 1).join(" "), end: LAST.lastIndex };
}
