/** fc: lists, edits and repeats commands. */
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { addCommand } from "../../history/record.ts";
import type { Builtin, Interpreter } from "../../interpreter.ts";
import { readVariable } from "../../state/assign.ts";
import type { Task } from "../../task.ts";
import { readFlags } from "../options.ts";

/** As many commands as `fc -l` shows. */
const LISTED = 16;
const OUTSIDE = "history specification out of range";
const MISSING = "no command found";

export const fc: Builtin = function* (shell, args): Task<number> {
  const at = args.findIndex((word) => /^-?\d+$/.test(word));
  const options = at < 0 ? args : args.slice(0, at);
  const given = readFlags(shell, "fc", options, "e:lnrs");
  if (!given) return 2;
  const words = at < 0 ? given.rest : [...given.rest, ...args.slice(at)];
  if (given.has("s") || given.get("e") === "-") return yield* repeat(shell, words);
  const { history } = shell.state;
  const listing = given.has("l");
  if (history.lines.length === 0) return 0;
  const last = lastPlace(shell);
  const first = words[0] === undefined
    ? listing ? Math.max(0, last - LISTED + 1) : last
    : placeOf(shell, words[0], listing, true);
  const end = first === history.lines.length - 1 ? first : last;
  const final = words[1] !== undefined ? placeOf(shell, words[1], listing, false) : listing ? end : first;
  for (const place of [first, final]) {
    if (typeof place === "number") continue;
    shell.complain(`fc: ${place}`);
    return 1;
  }
  const [from, to] = [first as number, final as number];
  const reversed = given.has("r") !== from > to;
  const lines = history.lines.slice(Math.min(from, to), Math.max(from, to) + 1);
  if (!listing) return yield* edit(shell, reversed ? lines.reverse() : lines, given.get("e"));
  const base = history.base + Math.min(from, to);
  const shown = lines.map((line, i) => `${given.has("n") ? "" : base + i}\t ${line}\n`);
  yield* shell.print((reversed ? shown.reverse() : shown).join(""));
  return 0;
};

/** The place of the latest command but this one. */
function lastPlace({ state: { history, options } }: Interpreter): number {
  const { length } = history.lines;
  return Math.max(0, length - (options.has("history") && history.added ? 2 : 1));
}

/** A number, an offset from the end, or how a command begins; what is wrong with it if there is none. */
function placeOf(shell: Interpreter, word: string, listing: boolean, first: boolean): number | string {
  const { lines, base } = shell.state.history;
  const last = lastPlace(shell);
  if (!/^-?\d+$/.test(word)) {
    const found = lines.slice(0, last + 1).findLastIndex((line) => line.startsWith(word));
    return found < 0 ? MISSING : found;
  }
  const number = Number(word);
  if (number === 0) return !word.startsWith("-") ? last : listing ? lines.length - 1 : OUTSIDE;
  if (number < 0) return Math.max(0, last + 1 + number);
  const place = number - base;
  return place >= 0 && place < last ? place : first ? 0 : last;
}

/** `fc -s old=new command`. */
function* repeat(shell: Interpreter, words: string[]): Task<number> {
  const { history } = shell.state;
  const changes: [from: string, to: string][] = [];
  let at = 0;
  for (; /^[^=]+=/.test(words[at] ?? ""); at++) {
    const split = words[at].indexOf("=");
    changes.push([words[at].slice(0, split), words[at].slice(split + 1)]);
  }
  const place = words[at] === undefined ? lastPlace(shell) : placeOf(shell, words[at], false, false);
  if (typeof place !== "number" || history.lines[place] === undefined) {
    shell.complain(`fc: ${MISSING}`);
    return 1;
  }
  const text = changes.reduce((line, [from, to]) => line.replaceAll(from, to), history.lines[place]);
  shell.say(text);
  takePlace(shell, text);
  return yield* shell.runText(text);
}

/** Puts what is run in the place of the `fc` that asked for it. */
function takePlace(shell: Interpreter, text: string): void {
  const { history, options } = shell.state;
  if (!options.has("history")) return;
  if (history.added) history.removeLast();
  addCommand(shell, text);
}

/** Lets an editor change the commands in a file, then runs them. */
function* edit(shell: Interpreter, lines: string[], editor: string | undefined): Task<number> {
  const program = editor ?? (readVariable(shell, "FCEDIT") || readVariable(shell, "EDITOR") || "vi");
  const file = `${readVariable(shell, "TMPDIR") || "/tmp"}/bash-fc.${crypto.randomUUID().slice(0, 6)}`;
  const stream = shell.files.open(file, { read: false, write: true, create: true, exclusive: true }, 0o600);
  stream.write(toArray(encodeText(lines.map((line) => `${line}\n`).join(""))));
  stream.close();
  try {
    const code = yield* shell.runText(`${program} ${file}`);
    if (code !== 0) return code;
    const text = new TextDecoder().decode(shell.files.readFile(file));
    shell.say(text.replace(/\n$/, ""));
    takePlace(shell, text.replace(/\n+$/, ""));
    return yield* shell.runText(text);
  } finally {
    shell.files.removeFile(file);
  }
}
