/** No output may make the terminal answer, obey, or lie outside its place. */

import { expect } from "../../../testing/expect.ts";
import { EscapeFilter, filterEscapes } from "./escape_filter.ts";

const HOSTILE: Record<string, string> = {
  "a question for the place of the cursor": "\x1b[6n",
  "one for the state": "\x1b[5n",
  "who are you": "\x1b[c\x1b[>c\x1b[=c\x1bZ",
  "a question for a mode": "\x1b[?2026$p",
  "a question for the size of the window": "\x1b[18t\x1b[21t",
  "moving the window": "\x1b[3;0;0t",
  "answerback": "\x05",
  "a title": "\x1b]0;owned\x07",
  "a title that ends otherwise": "\x1b]2;owned\x1b\\",
  "the clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
  "a link": "\x1b]8;;https://example.com\x07\x1b]8;;\x07",
  "a question for colours": "\x1b]4;1;?\x07\x1b]10;?\x07\x1b]11;?\x1b\\",
  "a question for a setting": "\x1bP$qm\x1b\\",
  "a terminal's own language": "\x1bP+q544e\x1b\\\x1b_app\x1b\\\x1b^private\x1b\\\x1bXstart\x1b\\",
  "one of a single byte": "\x9b6n\x9d0;owned\x9c\x90x\x9c",
  "the mouse, the paste, the other screen": "\x1b[?1000h\x1b[?2004l\x1b[?1049h\x1b[?25l",
  "a reset": "\x1bc\x1b[!p",
  "other letters": "\x1b(0\x1b)0\x0e\x0f\x1b#8",
  "a million repetitions": "\x1b[999999999b",
  "a scroll without end": "\x1b[999999999S\x1b[99999L",
  "a bell": "\x07",
  "bytes that say nothing": "\0\x7f\x80\x18",
  "a sequence without end": `\x1b[${"1".repeat(65)}`,
};

for (const [what, text] of Object.entries(HOSTILE)) {
  Deno.test(`nothing is left of ${what}`, () => expect(filterEscapes(`a${text}b`), "ab"));

  Deno.test(`nothing is left of ${what} that comes byte by byte`, () => {
    const filter = new EscapeFilter();
    expect([...`a${text}b`].map((char) => filter.push(char)).join(""), "ab");
  });
}

Deno.test("a string that does not end swallows what follows, and no more than that", () => {
  expect(filterEscapes("a\x1b]0;title"), "a");
});

Deno.test("colours, moves and text stay as they are", () => {
  const plain = "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[m\r\x1b[K50 %\n\ttab é 😀 漢\x1b[2A\x1b[H\x1b[2J\x1b[3J";
  expect(filterEscapes(plain), plain);
});

Deno.test("a sequence that is cut in two pieces is one", () => {
  const filter = new EscapeFilter();
  expect([filter.push("a\x1b[3"), filter.push("1mb")], ["a", "\x1b[31mb"]);
});
