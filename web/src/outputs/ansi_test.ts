import { parseAnsi, type Piece, stripAnsi } from "./ansi.ts";

function expect(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const texts = (text: string) => parseAnsi(text).map((piece) => piece.text).join("");
const plain = (text: string): Piece => ({ text, look: {} });

Deno.test("text without sequences is one piece", () => {
  expect(parseAnsi("one\ntwo\n"), [plain("one\ntwo\n")]);
  expect(parseAnsi(""), []);
});

Deno.test("colours begin and end", () => {
  expect(parseAnsi("a\x1b[31mb\x1b[0mc"), [plain("a"), { text: "b", look: { color: 1 } }, plain("c")]);
  expect(parseAnsi("\x1b[1;92;44mx\x1b[39;49;22my"), [
    { text: "x", look: { bold: true, color: 10, ground: 4 } },
    plain("y"),
  ]);
});

Deno.test("colours of 256 and of 16 million", () => {
  expect(parseAnsi("\x1b[38;5;196mx")[0]?.look.color, "rgb(255 0 0)");
  expect(parseAnsi("\x1b[48;2;1;2;3mx")[0]?.look.ground, "rgb(1 2 3)");
  expect(parseAnsi("\x1b[38;5;244mx")[0]?.look.color, "rgb(128 128 128)");
  expect(parseAnsi("\x1b[38;5;9mx")[0]?.look.color, 9);
  expect(parseAnsi("\x1b[38;2;1;2;3;1mx")[0]?.look, { color: "rgb(1 2 3)", bold: true });
});

Deno.test("other sequences are dropped, also unfinished ones", () => {
  expect(texts("a\x1b[2Jb\x1b]0;title\x07c\x1b]8;;http://x\x1b\\d\x1b(Be\x1b[?25lf"), "abcdef");
  expect(texts("a\x1b[3"), "a");
  expect(texts("a\x1b"), "a");
  expect(texts("bell\x07 null\x00"), "bell null");
});

Deno.test("a return writes over the line, as progress bars do", () => {
  expect(texts("head\n 10%\r 20%\r100%\nend"), "head\n100%\nend");
  expect(texts("long line\rx"), "xong line");
  expect(texts("long line\r\x1b[Kx"), "x");
  expect(texts("ab\bc\n"), "ac\n");
  expect(texts("one\r\ntwo\r\r\n"), "one\ntwo\n");
  expect(parseAnsi("\x1b[31mred\x1b[0m\rg"), [plain("g"), { text: "ed", look: { color: 1 } }]);
});

Deno.test("erasing from where one is erases nothing that stands", () => {
  expect(texts("abc\x1b[Kdef\x1b[K\n"), "abcdef\n");
});

Deno.test("strip leaves the text", () => {
  expect(stripAnsi("\x1b[1;31mValueError\x1b[0m: no"), "ValueError: no");
});

Deno.test("a million characters with colours take less than two seconds", () => {
  const line = "\x1b[32m" + "x".repeat(40) + "\x1b[0m\n";
  const began = performance.now();
  parseAnsi(line.repeat(25_000));
  parseAnsi("12345678901234567890\r".repeat(50_000));
  const took = performance.now() - began;
  if (took > 2000) throw new Error(`took ${took} ms`);
});
