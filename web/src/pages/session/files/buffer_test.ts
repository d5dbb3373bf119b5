/** Nothing that somebody typed or wrote is lost. */

import { edit, isChanged, keepMine, noteFile, noteSaved, openBuffer, takeTheirs, written } from "./buffer.ts";
import { expect } from "../../../testing/expect.ts";

const opened = openBuffer({ text: "one\n", etag: "1" });

Deno.test("a text without changes follows the file", () => {
  const now = noteFile(opened, { text: "two\n", etag: "2" });
  expect([now.text, now.base.etag, isChanged(now), now.theirs], ["two\n", "2", false, undefined]);
});

Deno.test("a text with changes is kept beside what others wrote, until one chooses", () => {
  const both = noteFile(edit(opened, "mine\n"), { text: "theirs\n", etag: "2" });
  expect([both.text, both.theirs], ["mine\n", { text: "theirs\n", etag: "2" }]);
  const mine = keepMine(both);
  expect([mine.text, mine.base.etag, isChanged(mine), mine.theirs], ["mine\n", "2", true, undefined]);
  const theirs = takeTheirs(both);
  expect([theirs.text, theirs.base.etag, isChanged(theirs), theirs.theirs], ["theirs\n", "2", false, undefined]);
});

Deno.test("who wrote the same is no conflict", () => {
  const same = noteFile(edit(opened, "same\n"), { text: "same\n", etag: "2" });
  expect([isChanged(same), same.theirs, same.base.etag], [false, undefined, "2"]);
  const touched = noteFile(edit(opened, "mine\n"), { text: "one\n", etag: "2" });
  expect([touched.text, touched.theirs, touched.base.etag], ["mine\n", undefined, "2"]);
});

Deno.test("a file that was removed keeps its text here, as a new file", () => {
  const gone = noteFile(edit(opened, "mine\n"), null);
  expect([gone.text, gone.theirs], ["mine\n", null]);
  const mine = keepMine(gone);
  expect([mine.base.etag, isChanged(mine)], ["", true]);
});

Deno.test("what is typed while it is saved is a change", () => {
  const saved = noteSaved(edit(edit(opened, "sent\n"), "sent and more\n"), "sent\n", "2");
  expect([isChanged(saved), saved.base], [true, { text: "sent\n", etag: "2" }]);
});

Deno.test("line ends stay, and mixed ones are told", () => {
  const windows = openBuffer({ text: "a\r\nb\r\n", etag: "1" });
  expect([windows.text, windows.mixed, isChanged(windows), written(edit(windows, "a\nc\n"))], [
    "a\nb\n",
    false,
    false,
    "a\r\nc\r\n",
  ]);
  expect([openBuffer({ text: "a\r\nb\n", etag: "1" }).mixed, openBuffer({ text: "a\rb", etag: "1" }).mixed], [
    true,
    true,
  ]);
});
