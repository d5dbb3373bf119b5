/** The keys of a shell's line. */

import { expect } from "../../../testing/expect.ts";
import { type KeyName, readKeys } from "./keys.ts";
import { beginLine, insert, type Line, nextLine, press, remember, replace } from "./line.ts";

/** The line after some keys; `|` in a text is the cursor. */
function typed(line: Line, ...keys: KeyName[]): string {
  const { text, cursor } = keys.reduce((now, key) => press(now, key).line, line);
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

function at(marked: string, history: string[] = []): Line {
  const cursor = marked.indexOf("|");
  return { ...beginLine(history, marked.replace("|", "")), cursor };
}

Deno.test("the cursor moves by characters, words and to both ends", () => {
  const line = at("git log --all|");
  expect(["left", "word left", "home"].map((key) => typed(line, key as KeyName)), [
    "git log --al|l",
    "git log --|all",
    "|git log --all",
  ]);
  expect([typed(line, "home", "word right"), typed(line, "home", "right"), typed(line, "home", "end")], [
    "git| log --all",
    "g|it log --all",
    "git log --all|",
  ]);
  expect(typed(at("a👩‍👩‍👧é|"), "left", "left"), "a|👩‍👩‍👧é");
});

Deno.test("keys delete characters, words, and to both ends; what was cut comes back", () => {
  expect([
    typed(at("ab|c"), "delete left"),
    typed(at("ab|c"), "delete right"),
    typed(at("ab|c"), "end of input"),
    typed(at("rm a/b.txt |x"), "delete to space"),
    typed(at("rm a/b|"), "delete word left"),
    typed(at("|a b"), "delete word right"),
    typed(at("one|two"), "delete to start"),
    typed(at("one|two"), "delete to end"),
    typed(at("one |two"), "delete to end", "home", "yank"),
  ], ["a|c", "ab|", "ab|", "rm |x", "rm a/|", "| b", "|two", "one|", "two|one "]);
});

Deno.test("the arrows go through earlier lines and come back to the new one", () => {
  const line = at("new|", ["first", "second"]);
  expect([typed(line, "up"), typed(line, "up", "up", "up"), typed(line, "up", "down"), typed(line, "down")], [
    "second|",
    "first|",
    "new|",
    "new|",
  ]);
});

Deno.test("in a text of several rows the arrows first go through its rows", () => {
  expect(typed(at("for x\nd|o\ndone", ["old"]), "up"), "f|or x\ndo\ndone");
  expect(typed(at("for x\ndo\ndone|", ["old"]), "up", "up", "up"), "old|");
  expect(typed(at("fo|r x\nd"), "down"), "for x\nd|");
  expect([typed(at("ab\nc|d"), "home"), typed(at("a|b\ncd"), "end")], ["ab\n|cd", "ab|\ncd"]);
});

Deno.test("a search finds the latest line, then the one before, and can be given up", () => {
  const line = press(at("x|", ["make test", "ls", "make page"]), "search").line;
  const found = insert(line, "make");
  expect([typed(found), typed(found, "search"), typed(found, "escape"), typed(found, "end")], [
    "|make page",
    "|make test",
    "x|",
    "make page|",
  ]);
  expect(press(found, "enter").effect, "submit");
});

Deno.test("keys that do something else say what", () => {
  const effects = (["enter", "tab", "interrupt", "clear", "end of input"] as const)
    .map((key) => press(at("|"), key).effect);
  expect(effects, ["submit", "complete", "interrupt", "clear", "end"]);
});

Deno.test("an entered line is the latest of the earlier ones, once, unless it begins with a space", () => {
  expect(nextLine(at("ls|", ["ls"])).history, ["ls"]);
  expect([remember(["a"], "b"), remember(["a"], " b"), remember(["a"], "")], [["a", "b"], ["a"], ["a"]]);
  expect(typed(replace(at("ls /us|"), 3, 6, "/usr/")), "ls /usr/|");
});

Deno.test("keys are read from what a terminal sends", () => {
  expect(readKeys("a\x1b[A\x1bOB\x1b[1;5D\x1bb\x7f\x03é😀\r"), [
    { kind: "text", text: "a" },
    ...["up", "down", "word left", "word left", "delete left", "interrupt"].map((name) => ({ kind: "key", name })),
    { kind: "text", text: "é😀" },
    { kind: "key", name: "enter" },
  ]);
  expect(readKeys("\x1b[200~a\rb\x1b[31m\tc\x1b[201~"), [{ kind: "paste", text: "a\nb[31m    c" }]);
  expect(readKeys("\x1b[99;99Q\x1b"), [{ kind: "key", name: "escape" }]);
});
