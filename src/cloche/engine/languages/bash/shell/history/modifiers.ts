/** What is done to the words of an event: `:h`, `:t`, `:r`, `:e`, `:q`, `:x`, `:p`, `:s/old/new/`, `:&`. */
import { quoteSingle } from "../expansion/quote.ts";
import type { History } from "../state/history.ts";
import { tokenize } from "./tokens.ts";

interface Modified {
  text: string;
  /** Where the modifiers end. */
  end: number;
  printOnly: boolean;
  error?: string;
}

const CUTS: Record<string, (text: string) => string> = {
  h: (text) => text.includes("/") ? text.slice(0, text.lastIndexOf("/")) : text,
  t: (text) => text.slice(text.lastIndexOf("/") + 1),
  r: (text) => text.includes(".") ? text.slice(0, text.lastIndexOf(".")) : text,
  e: (text) => text.includes(".") ? text.slice(text.lastIndexOf(".")) : text,
};

/** Applies the modifiers that begin at a place. */
export function modify(line: string, at: number, given: string, history: History): Modified {
  let text = given;
  let quote = "";
  let printOnly = false;
  let place = at;
  const fail = (error: string, length: number) => ({ text, end: place + length, printOnly, error });
  while (line[place] === ":") {
    const [scope] = /^[gaG]/.exec(line.slice(place + 1)) ?? [""];
    const letter = line[place + 1 + scope.length];
    let end = place + 2 + scope.length;
    if (letter in CUTS) text = CUTS[letter](text);
    else if (letter === "p") printOnly = true;
    else if (letter === "q" || letter === "x") quote = letter;
    else if (letter === "s" || letter === "&") {
      if (letter === "s") end = readSubstitution(line, end, history);
      if (!history.substitution) return fail("no previous substitution", end - place);
      const { from, to } = history.substitution;
      if (!text.includes(from)) return fail("substitution failed", end - place);
      text = replace(text, from, to, scope);
    } else return fail("unrecognized history modifier", letter === undefined ? 1 : 2);
    place = end;
  }
  if (quote === "q") text = quoteSingle(text);
  if (quote === "x") {
    text = text.split(/([ \t\n]+)/).map((part, i) => i % 2 || part === "" ? part : quoteSingle(part)).join("");
  }
  return { text, end: place, printOnly };
}

/** Reads `/old/new/` with any character in the place of the slash; an empty `old` is what was looked for last. */
function readSubstitution(line: string, start: number, history: History): number {
  const mark = line[start];
  const read = (from: number): { text: string; end: number } => {
    let text = "";
    let at = from;
    for (; at < line.length && line[at] !== mark; at++) {
      if (line[at] === "\\" && line[at + 1] === mark) at++;
      text += line[at];
    }
    return { text, end: at };
  };
  if (mark === undefined) return start;
  const old = read(start + 1);
  const fresh = read(old.end + 1);
  const from = old.text === "" ? history.substitution?.from ?? history.search?.text : old.text;
  if (from === undefined) return fresh.end;
  const to = fresh.text.replace(/\\&|&/g, (found) => found === "&" ? from : "&");
  history.substitution = { from, to };
  return Math.min(fresh.end + 1, line.length);
}

function replace(text: string, from: string, to: string, scope: string): string {
  if (scope === "") return text.replace(from, () => to);
  if (scope !== "G") return text.replaceAll(from, () => to);
  // Once in each word.
  let result = "";
  let at = 0;
  for (const token of tokenize(text)) {
    result += text.slice(at, token.start) + token.text.replace(from, () => to);
    at = token.start + token.text.length;
  }
  return result + text.slice(at);
}
