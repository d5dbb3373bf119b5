/** The shell of a session, as its events tell of it. */

import type { Card } from "../../../events/cards.ts";
import { expect } from "../../../testing/expect.ts";
import { listHistory, makePrompt, makeTranscript } from "./transcript.ts";

let id = 0;

interface Told {
  content?: string;
  code?: number;
  folder?: string;
  suffix?: string;
}

function card(command: string, told?: Told, args: object = {}, source = "user"): Card {
  const event = { id: id++, timestamp: "", source, action: "run", args: { command, ...args } };
  if (!told) return { id: event.id, event };
  const metadata = {
    exit_code: told.code ?? 0,
    working_dir: told.folder ?? "/workspace",
    suffix: told.suffix ?? "",
  };
  const answer = { id: id++, timestamp: "", observation: "run", content: told.content ?? "", extras: { metadata } };
  return { id: event.id, event, answer };
}

const show = (cards: Card[]) =>
  makeTranscript(cards).entries.map(({ head, body = "", tail }) => head + body + tail).join("");

Deno.test("commands stand with their prompts and what they printed, each from the beginning of a row", () => {
  const cards = [
    card("cd /tmp; false", { code: 1, folder: "/tmp" }),
    card("printf a", { content: "a", folder: "/tmp" }, {}, "agent"),
    card("ls"),
  ];
  expect(
    show(cards),
    [
      `${makePrompt("/workspace", 0)}cd /tmp; false\n`,
      `${makePrompt("/tmp", 1, "agent")}printf a\na\n`,
      `${makePrompt("/tmp", 0)}ls\n`,
    ].join(""),
  );
  const { state, folder, code } = makeTranscript(cards.slice(0, 1));
  expect([state, folder, code, makeTranscript(cards).state], ["free", "/tmp", 1, "running"]);
});

Deno.test("a question and its answer are one row", () => {
  const asked = card("read x", { content: "Name? ", code: -1, suffix: "[The command waits for input: …]" });
  expect([makeTranscript([asked]).state, show([asked]).endsWith("Name? ")], ["asking", true]);
  const answered = card("Ann", { content: "hello Ann\n" }, { is_input: true });
  expect([makeTranscript([asked, answered]).state, show([asked, answered]).split("\n").slice(1)], [
    "free",
    ["Name? Ann", "hello Ann", ""],
  ]);
  const stopped = card("C-c", { code: 130 }, { is_input: true });
  expect(show([asked, stopped]).split("\n").slice(1), ["Name? ^C", ""]);
});

Deno.test("a command that is left running says so; one that is not executed too", () => {
  const left = card("sleep 9", { code: -1, suffix: "[The command timed out after 2.0 seconds. …]" });
  const refused = card("ls", { code: -1, suffix: '[Your command "ls" is NOT executed. …]' }, {}, "agent");
  expect([makeTranscript([left]).state, makeTranscript([left, refused]).state], ["left", "left"]);
  expect([show([left]).includes("still running"), show([left, refused]).includes("not executed")], [true, true]);
  const asked = card("read x", { content: "? ", code: -1, suffix: "waits for input" });
  expect(makeTranscript([asked, refused]).state, "asking");
});

Deno.test("a command whose output is not whole yet has no body", () => {
  expect(makeTranscript([card("make")]).entries.map(({ body }) => body), [undefined]);
});

Deno.test("what is not of this shell is not shown", () => {
  const other = { id: 1, event: { id: 1, timestamp: "", action: "run_ipython", args: { code: "1" } } };
  expect(show([card("ls", {}, { is_static: true }), card("ls", {}, { hidden: true }), other]), "");
});

Deno.test("earlier lines are those of the user, without answers to questions", () => {
  const cards = [card("a"), card("a"), card("Ann", {}, { is_input: true }), card("b", {}, {}, "agent"), card("c\nd")];
  expect(listHistory(cards), ["a", "c\nd"]);
});
