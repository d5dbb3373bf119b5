/** What the session's shell has seen: its commands with what they printed, from the cards of the session. */

import type { Card } from "../../../events/cards.ts";
import { textAt, valueAt } from "../../../events/wire.ts";

/** What has happened to the command that came last. */
export type ShellState = "free" | "running" | "asking" | "left";

export interface Entry {
  id: number;
  /** The prompt with the command. */
  head: string;
  /** What it printed; undefined while it runs, when that comes live. */
  body?: string;
  /** What stands after it. */
  tail: string;
}

export interface Transcript {
  entries: Entry[];
  state: ShellState;
  /** The folder and the exit code, for the next prompt. */
  folder: string;
  code: number;
}

/** Commands that are shown, and the characters of all of them. */
const SHOWN = 300;
const CHARACTERS = 400_000;
const HOME = "/workspace";
const WAITS = "waits for input";
const NOT_RUN = "NOT executed";

/** Whether a card is a command of the shell; others have shells of their own. */
export function isCommand({ event }: Card): boolean {
  return event.action === "run" && !valueAt(event.args, "is_static") && !valueAt(event.args, "hidden");
}

export function makeTranscript(cards: readonly Card[]): Transcript {
  const made: Transcript = { entries: [], state: "free", folder: HOME, code: 0 };
  let open = false;
  for (const card of takeLatest(cards)) {
    const entry = makeEntry(card, made, open);
    made.entries.push(entry);
    open = entry.body !== undefined && !endsLine(entry, open);
  }
  return made;
}

/** The commands of the session that are shown, the oldest first. */
function takeLatest(cards: readonly Card[]): Card[] {
  const taken: Card[] = [];
  let size = 0;
  for (let at = cards.length - 1; at >= 0 && taken.length < SHOWN && size < CHARACTERS; at--) {
    const card = cards[at];
    if (!card || !isCommand(card)) continue;
    taken.push(card);
    size += card.answer?.content?.length ?? 0;
  }
  return taken.reverse();
}

/** Takes a command into what the shell has seen. */
function makeEntry({ id, event, answer }: Card, now: Transcript, open: boolean): Entry {
  const isInput = valueAt(event.args, "is_input") === true;
  const command = textAt(event.args, "command");
  const begin = isInput || !command ? "" : makePrompt(now.folder, now.code, event.source);
  const echo = isInput ? echoInput(command) : command;
  const line = begin + echo.replaceAll("\n", "\n> ");
  const head = line || isInput ? `${open && begin ? "\n" : ""}${line}\n` : "";
  if (!answer) {
    now.state = "running";
    return { id, head, tail: "" };
  }
  const body = answer.content ?? "";
  if (answer.observation !== "run") {
    // It was refused, or the runtime failed: the shell is as it was.
    return { id, head, body: `${body || answer.message || ""}`, tail: body.endsWith("\n") ? "" : "\n" };
  }
  const code = valueAt(answer.extras, "metadata", "exit_code");
  const suffix = textAt(answer.extras, "metadata", "suffix");
  now.folder = textAt(answer.extras, "metadata", "working_dir") || now.folder;
  if (code === -1) {
    now.state = suffix.includes(WAITS) || (suffix.includes(NOT_RUN) && now.state === "asking") ? "asking" : "left";
    return { id, head, body, tail: makeNote(body, suffix) };
  }
  now.state = "free";
  now.code = typeof code === "number" ? code : 0;
  return { id, head, body, tail: body === "" || body.endsWith("\n") ? "" : "\n" };
}

/** What is said of a command that has not ended. */
function makeNote(body: string, suffix: string): string {
  if (suffix.includes(WAITS)) return "";
  const words = suffix.includes(NOT_RUN)
    ? "not executed: the command before it is still running"
    : "still running: Enter waits for more, Ctrl+C stops it";
  return `${body === "" || body.endsWith("\n") ? "" : "\n"}\x1b[2m[${words}]\x1b[0m\n`;
}

function echoInput(command: string): string {
  return /^C-[a-z]$/.test(command) ? `^${command.slice(2).toUpperCase()}` : command;
}

function endsLine({ head, body = "", tail }: Entry, open: boolean): boolean {
  const all = head + body + tail;
  return all === "" ? !open : all.endsWith("\n");
}

/** The prompt before a command: dimmer before those of others. */
export function makePrompt(folder: string, code: number, source = "user"): string {
  const failed = code === 0 ? "" : `\x1b[31m[${code}]\x1b[39m `;
  if (source !== "user") return `\x1b[2m${source} ${folder} $\x1b[0m `;
  return `${failed}\x1b[32m${folder}\x1b[39m $ `;
}

/** Earlier lines of the user, the oldest first. */
export function listHistory(cards: readonly Card[]): string[] {
  return cards
    .filter((card) => isCommand(card) && card.event.source === "user" && !valueAt(card.event.args, "is_input"))
    .map(({ event }) => textAt(event.args, "command"))
    .filter((command, at, all) => /^\S/.test(command) && command !== all[at - 1]);
}
