/** Subscripts in text that is expanded before it is read: what expansions give in them is a key, not more text. */
import type { Interpreter } from "../interpreter.ts";
import type { WordNode, WordPart } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import { FieldBuilder } from "./fields.ts";
import { expandParts } from "./words.ts";

const ACTIVE_QUOTED = /[\\$`"]/g;
const ACTIVE = /[\\$`"'[\]]/g;

/** Where a text is: how many brackets are open, and the quote within them. */
interface Place {
  depth: number;
  quote: string;
}

/** The text of arithmetic. */
export function* expandArithmetic(shell: Interpreter, word: WordNode): Task<string> {
  const place: Place = { depth: 0, quote: "" };
  let text = "";
  for (const part of word.parts) {
    if (part.type === "Literal") {
      text += part.value;
      follow(place, part.value);
      continue;
    }
    const value = yield* expandPart(shell, part);
    text += place.depth > 0 ? escapeKey(value, place.quote) : value;
  }
  return text;
}

function follow(place: Place, text: string): void {
  for (const char of text) {
    if (place.quote !== "") {
      if (char === place.quote) place.quote = "";
    } else if (char === "[") place.depth++;
    else if (char === "]" && place.depth > 0) place.depth--;
    else if (place.depth > 0 && (char === '"' || char === "'")) place.quote = char;
  }
}

function* expandPart(shell: Interpreter, part: WordPart): Task<string> {
  const out = new FieldBuilder(undefined);
  yield* expandParts(shell, [part], out, "quoted");
  return out.text;
}

/** A key so that reading it as a subscript gives it back; within quotes less counts. */
function escapeKey(text: string, quote = ""): string {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  return text.replace(quote === "" ? ACTIVE : ACTIVE_QUOTED, "\\$&");
}

/** `name[key]` that a word became; where it was written so, the key is not expanded again. */
export function protectKey(word: WordNode, text: string): string {
  if (word.plain !== undefined || !/^[A-Za-z_]\w*\[/.test(word.text)) return text;
  const [, name, key] = /^([A-Za-z_]\w*)\[([^]*)\]$/.exec(text) ?? [];
  return name === undefined ? text : `${name}[${escapeKey(key)}]`;
}
