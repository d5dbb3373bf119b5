/** Lets through what may be shown: colours and moves of the cursor, and nothing that a terminal would answer or obey.

What programs print is untrusted. Left out are questions (what the terminal answers would be typed into the shell),
titles, the clipboard, links, modes, character sets, and all control characters besides those that write text. */

const ESC = "\x1b";
/** Ends of control sequences that are let through: colours, moves, erasing. */
const HARMLESS = new Set("mABCDEFGHJKfdPX@LM");
/** Characters of a sequence, beyond which it is none. */
const LONGEST = 64;
/** The most that a move of the cursor, or a number of lines, may be. */
const MOST = 1000;
const PLAIN = new Set(["\n", "\r", "\t", "\b"]);

type State = "text" | "escape" | "sequence" | "string" | "string escape" | "skip one";

export class EscapeFilter {
  #state: State = "text";
  #sequence = "";

  /** What may be written of the next piece of output. */
  push(text: string): string {
    let out = "";
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at);
      if (this.#state === "text") {
        if (char >= " " && (char < "\x7f" || char > "\x9f")) continue;
        out += text.slice(from, at);
        if (PLAIN.has(char)) out += char;
        else this.#begin(char);
      } else out += this.#take(char);
      from = at + 1;
    }
    return this.#state === "text" ? out + text.slice(from) : out;
  }

  #begin(char: string): void {
    this.#sequence = "";
    if (char === ESC) this.#state = "escape";
    else if (char === "\x9b") this.#state = "sequence";
    else if ("\x90\x98\x9d\x9e\x9f".includes(char)) this.#state = "string";
  }

  #take(char: string): string {
    switch (this.#state) {
      case "escape":
        return this.#takeEscape(char);
      case "sequence":
        return this.#takeSequence(char);
      case "skip one":
        this.#state = "text";
        return "";
      case "string":
        if (char === ESC) this.#state = "string escape";
        else if (char === "\x07" || char === "\x9c" || char === "\x18" || char === "\x1a") this.#state = "text";
        return "";
      default:
        // ESC \ ends a string; any other escape begins anew.
        this.#state = "text";
        return char === "\\" ? "" : this.#takeEscape(char);
    }
  }

  #takeEscape(char: string): string {
    this.#state = "text";
    if (char === "[") this.#state = "sequence";
    else if ("]PX^_".includes(char)) this.#state = "string";
    else if (" #%()*+-./".includes(char)) this.#state = "skip one";
    else if (char === ESC) this.#state = "escape";
    else if (PLAIN.has(char)) return char;
    return "";
  }

  #takeSequence(char: string): string {
    if (char === ESC) {
      this.#begin(char);
      return "";
    }
    if (char >= "@" && char <= "~") {
      this.#state = "text";
      return this.#check(char);
    }
    if (char < " " || char > "~") {
      // It is broken off: what breaks it is text again.
      this.#state = "text";
      return PLAIN.has(char) || char > "\x9f" ? char : "";
    }
    this.#sequence += char;
    if (this.#sequence.length > LONGEST) this.#state = "text";
    return "";
  }

  #check(end: string): string {
    const given = this.#sequence;
    if (!HARMLESS.has(end) || !/^[\d;:]*$/.test(given)) return "";
    if (end !== "m" && given.split(/[;:]/).some((number) => Number(number) > MOST)) return "";
    return `${ESC}[${given}${end}`;
  }
}

/** A text that is whole. */
export const filterEscapes = (text: string): string => new EscapeFilter().push(text);
