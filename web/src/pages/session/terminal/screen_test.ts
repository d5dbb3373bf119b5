/** What is written into a terminal, and in which order. */

import { expect } from "../../../testing/expect.ts";
import { findFresh, type Paper, type Piece, Screen } from "./screen.ts";

/** Paper that shows what it was given when it is told to. */
class SlowPaper implements Paper {
  readonly cols = 20;
  column = 0;
  written = "";
  resets = 0;
  #done: (() => void)[] = [];

  write(text: string, done: () => void): void {
    this.written += text;
    this.#done.push(done);
  }

  reset(): void {
    this.written = "";
    this.resets++;
  }

  /** Shows all that was written, and all that is written then. */
  settle(): string {
    for (let done = this.#done.shift(); done; done = this.#done.shift()) done();
    const { written } = this;
    this.written = "";
    return written;
  }
}

const piece = (id: number, text: string): Piece => ({ id, text });

Deno.test("only what is new is written", () => {
  const paper = new SlowPaper();
  const screen = new Screen(paper);
  screen.show([piece(1, "$ a\n")]);
  expect(paper.settle(), "\x1b[?2004h\x1b[0m$ a\r\n");
  screen.show([piece(1, "$ a\nout\n"), piece(3, "$ b\n")]);
  expect([paper.settle(), paper.resets], ["out\r\n\x1b[0m$ b\r\n", 1]);
  screen.show([piece(3, "$ b\n")]);
  expect([paper.settle(), paper.resets], ["", 1]);
});

Deno.test("what is not so any more is written anew", () => {
  const paper = new SlowPaper();
  const screen = new Screen(paper);
  screen.show([piece(1, "live")]);
  paper.settle();
  screen.show([piece(1, "the record")]);
  expect([paper.settle(), paper.resets], ["\x1b[?2004h\x1b[0mthe record", 2]);
});

Deno.test("while the terminal is slow only the latest waits", () => {
  const paper = new SlowPaper();
  const screen = new Screen(paper);
  for (let size = 1; size <= 1000; size++) screen.show([piece(1, "x".repeat(size))]);
  expect(paper.written.length, "\x1b[?2004h\x1b[0mx".length);
  expect(paper.settle().replaceAll(/[^x]/g, "").length, 1000);
});

Deno.test("the line is taken away before output and drawn after it", () => {
  const paper = new SlowPaper();
  const screen = new Screen(paper);
  const ask = { prompt: "$ ", text: "ls", cursor: 2, hint: "" };
  screen.show([], ask);
  expect(paper.settle(), "\x1b[?2004h\x1b[0m$ ls\r\x1b[4C");
  screen.show([piece(1, "more\n")], ask);
  expect(paper.settle(), "\r\x1b[J\x1b[0mmore\r\n\x1b[0m$ ls\r\x1b[4C");
});

Deno.test("a cleared screen stays clear", () => {
  const paper = new SlowPaper();
  const screen = new Screen(paper);
  screen.show([piece(1, "old\n")]);
  paper.settle();
  screen.clear();
  screen.show([piece(1, "old\n"), piece(2, "new\n")]);
  expect(paper.settle().includes("old"), false);
});

Deno.test("a sequence of one command does not reach into the next", () => {
  const paper = new SlowPaper();
  const screen = new Screen(paper);
  screen.show([piece(1, "a\x1b]0;"), piece(2, "$ b\n")]);
  expect(paper.settle(), "\x1b[?2004h\x1b[0ma\x1b[0m$ b\r\n");
  expect([findFresh([], []), findFresh([piece(1, "a")], [])], [[], undefined]);
});
