/** Splits a text into words as `env -S` does. */
import { CommandError } from "../tool/errors.ts";

const ESCAPES: Record<string, string> = {
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "#": "#",
  $: "$",
  '"': '"',
  "'": "'",
  "\\": "\\",
};

export function splitString(text: string, env: Readonly<Record<string, string>>): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "'" && quote !== '"' || char === '"' && quote !== "'") {
      quote = quote === "" ? char : "";
      word ??= "";
    } else if (char === "\\" && quote !== "'") {
      const next = text[++at];
      if (next === undefined) throw new CommandError("invalid backslash at end of string in -S", 125);
      if (next === "c") break;
      if (next === "_") {
        if (quote === "") {
          if (word !== undefined) words.push(word);
          word = undefined;
        } else word = (word ?? "") + " ";
      } else if (next in ESCAPES) word = (word ?? "") + ESCAPES[next];
      else throw new CommandError(`invalid sequence '\\${next}' in -S`, 125);
    } else if (char === "\\" && (text[at + 1] === "'" || text[at + 1] === "\\")) word = (word ?? "") + text[++at];
    else if (/\s/.test(char) && quote === "") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "#" && quote === "" && word === undefined) break;
    else if (char === "$" && quote !== "'") {
      const [whole = "", name] = /^\$\{([A-Za-z_]\w*)\}/.exec(text.slice(at)) ?? [];
      if (name === undefined) {
        throw new CommandError(`only \${VARNAME} expansion is supported, error at: ${text.slice(at)}`, 125);
      }
      word = (word ?? "") + (env[name] ?? "");
      at += whole.length - 1;
    } else word = (word ?? "") + char;
  }
  if (quote !== "") throw new CommandError("no terminating quote in -S string", 125);
  if (word !== undefined) words.push(word);
  return words;
}
