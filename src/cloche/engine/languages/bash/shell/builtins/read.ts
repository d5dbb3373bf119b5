/** read. */
import { decodeText, fromArray } from "../../streams/byte_strings.ts";
import { Input } from "../descriptors/input.ts";
import { terminalOf } from "../descriptors/terminal.ts";
import type { Builtin } from "../interpreter.ts";
import { assignArray, assignVariable, readVariable } from "../state/assign.ts";
import { type Task, wait } from "../task.ts";

const read: Builtin = function* (shell, args): Task<number> {
  const flags = new Set<string>();
  let delimiter = 10;
  let fd = 0;
  let prompt = "";
  let array: string | undefined;
  let at = 0;
  for (; /^-./.test(args[at] ?? ""); at++) {
    const word = args[at];
    if (word === "--") {
      at++;
      break;
    }
    for (let i = 1; i < word.length; i++) {
      if (!"adinNptu".includes(word[i])) {
        flags.add(word[i]);
        continue;
      }
      const value = word.slice(i + 1) || (args[++at] ?? "");
      if (word[i] === "d") delimiter = value === "" ? 0 : value.charCodeAt(0);
      else if (word[i] === "u") fd = Number(value);
      else if (word[i] === "p") prompt = value;
      else if (word[i] === "a") array = value;
      break;
    }
  }
  const names = args.slice(at);
  const stream = shell.fds.get(fd);
  const input = new Input(stream);
  const raw = flags.has("r");
  let text = "";
  let ended = false;
  for (;;) {
    const terminal = terminalOf(stream);
    const bytes = terminal && prompt !== ""
      ? yield* wait(terminal.prompt(prompt, flags.has("s")))
      : yield* wait(input.readLine(delimiter));
    ended = bytes === undefined || bytes[bytes.length - 1] !== delimiter;
    const part = bytes === undefined ? "" : decodeText(fromArray(ended ? bytes : bytes.subarray(0, -1)));
    if (raw || ended || (/\\*$/.exec(part)?.[0].length ?? 0) % 2 === 0 || delimiter !== 10) {
      text += part;
      break;
    }
    text += part.slice(0, -1);
  }
  const ifs = readVariable(shell, "IFS") ?? " \t\n";
  const escaped = raw ? text : text;
  if (names.length === 0 && array === undefined) {
    assignVariable(shell, "REPLY", raw ? escaped : escaped.replace(/\\([^])/g, "$1"));
    return ended ? 1 : 0;
  }
  const fields = splitRead(escaped, ifs, array === undefined ? names.length : Infinity, raw);
  if (array !== undefined) assignArray(shell, array, fields.map((value) => ({ append: false, value })), false);
  else names.forEach((name, i) => assignVariable(shell, name, fields[i] ?? ""));
  return ended ? 1 : 0;
};

/** Splits by IFS into at most so many fields; the last one takes the rest. */
function splitRead(text: string, ifs: string, most: number, raw: boolean): string[] {
  const blank = (char: string) => " \t\n".includes(char) && ifs.includes(char);
  const fields: string[] = [];
  let at = 0;
  while (at < text.length && blank(text[at])) at++;
  while (at < text.length) {
    if (fields.length === most - 1) {
      let end = text.length;
      while (end > at && blank(text[end - 1])) end--;
      const rest = text.slice(at, end);
      const single = rest.length > 0 && ifs.includes(rest[rest.length - 1]) && !blank(rest[rest.length - 1]) &&
        [...rest.slice(0, -1)].every((char) => !ifs.includes(char));
      fields.push(unescape(single ? rest.slice(0, -1) : rest, raw));
      return fields;
    }
    let field = "";
    while (at < text.length && !ifs.includes(text[at])) {
      if (!raw && text[at] === "\\" && at + 1 < text.length) at++;
      field += text[at++];
    }
    fields.push(field);
    while (at < text.length && blank(text[at])) at++;
    if (at < text.length && ifs.includes(text[at]) && !blank(text[at])) {
      at++;
      while (at < text.length && blank(text[at])) at++;
    }
  }
  return fields;
}

function unescape(text: string, raw: boolean): string {
  return raw ? text : text.replace(/\\([^])/g, "$1");
}

export const readBuiltins: Record<string, Builtin> = { read };
