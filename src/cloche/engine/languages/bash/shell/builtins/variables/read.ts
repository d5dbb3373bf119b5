/** read and mapfile. */
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import { terminalOf } from "../../descriptors/terminal.ts";
import type { Builtin, Interpreter } from "../../interpreter.ts";
import { IndexedArray } from "../../state/arrays.ts";
import {
  assignArray,
  assignElement,
  assignVariable,
  isName,
  parseElement,
  readValue,
  readVariable,
  splitElement,
} from "../../state/assign.ts";
import { type Later, type Task, wait } from "../../task.ts";
import { Input } from "../../descriptors/input.ts";
import { type Flags, readFlags } from "../options.ts";

const TIMED_OUT = 142;
/** The clock by which the caller waits may be a little ahead. */
const SLACK_MS = 50;

interface Wanted {
  raw: boolean;
  /** The byte that ends the input. */
  end: number;
  /** Characters that are enough, with or without an end before. */
  count: number;
  exact: boolean;
  deadline: number;
  prompt: string;
  hidden: boolean;
}

/** What came: text in which escaped characters are marked by a backslash unless it is raw. */
interface Came {
  text: string;
  status: "line" | "end" | "late";
}

const read: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(shell, "read", args, "a:d:ei:n:N:p:rst:u:E");
  if (!given) return 2;
  const names = given.rest;
  const array = given.get("a");
  for (const name of array === undefined ? names : [array]) {
    if (isName(splitElement(name).name)) continue;
    shell.complain(`read: \`${name}': not a valid identifier`);
    return 1;
  }
  const seconds = given.has("t") ? Number(given.get("t")) : undefined;
  if (seconds !== undefined && !(seconds >= 0)) {
    shell.complain(`read: ${given.get("t")}: invalid timeout specification`);
    return 1;
  }
  const amount = given.get("N") ?? given.get("n");
  if (amount !== undefined && !isCount(amount)) {
    shell.complain(`read: ${amount}: invalid number`);
    return 1;
  }
  const stream = findInput(shell, "read", given.get("u"));
  if (!stream) return 1;
  if (seconds === 0) return stream.ready() ? 0 : 1;
  const came = yield* readText(stream, wantedOf(given, seconds));
  assign(shell, names, array, came.text, given.has("r"), given.has("N"));
  return came.status === "late" ? TIMED_OUT : came.status === "end" ? 1 : 0;
};

function isCount(text: string): boolean {
  return /^\s*\+?\d+\s*$/.test(text);
}

/** What the descriptor of -u, or 0, refers to; if there is none it is said. */
function findInput(shell: Interpreter, name: string, given: string | undefined): OpenStream | undefined {
  if (given !== undefined && !isCount(given)) {
    shell.complain(`${name}: ${given}: invalid file descriptor specification`);
    return undefined;
  }
  const stream = shell.fds.find(Number(given ?? 0));
  if (stream) return stream;
  const reads = name === "read" && given === undefined;
  shell.complain(
    reads
      ? "read: read error: 0: Bad file descriptor"
      : `${name}: ${given ?? 0}: invalid file descriptor: Bad file descriptor`,
  );
  return undefined;
}

function wantedOf(given: Flags, seconds: number | undefined): Wanted {
  const delimiter = given.get("d");
  const count = Number(given.get("N") ?? given.get("n") ?? Infinity);
  return {
    raw: given.has("r"),
    end: given.has("N") ? -1 : delimiter === undefined ? 10 : delimiter === "" ? 0 : delimiter.charCodeAt(0),
    count: count === 0 ? 0 : count,
    exact: given.has("N"),
    deadline: seconds === undefined ? Infinity : performance.now() + seconds * 1000,
    prompt: given.get("p") ?? "",
    hidden: given.has("s"),
  };
}

/** Reads up to the end that is wanted; what follows is given back. */
function* readText(stream: OpenStream, wanted: Wanted): Task<Came> {
  const parts: Uint8Array[] = [];
  let prompt = wanted.prompt;
  for (;;) {
    if (wanted.count === 0) return { text: "", status: "line" };
    const terminal = terminalOf(stream);
    const left = wanted.deadline === Infinity ? undefined : Math.max(0, wanted.deadline - performance.now()) / 1000;
    const next = terminal && !terminal.ready()
      ? terminal.prompt(prompt, wanted.hidden, left)
      : stream.read(wanted.count === Infinity ? 4096 : 512);
    prompt = "";
    const chunk = left === undefined || terminal ? yield* wait(next) : yield* waitUntil(next, left);
    const late = () => performance.now() >= wanted.deadline - SLACK_MS;
    if (chunk === undefined || chunk === "late") {
      const text = clean(parts);
      return { text, status: chunk === "late" || terminal && late() ? "late" : "end" };
    }
    const all = parts.length === 0 ? chunk : concatBytes([...parts, chunk]);
    const found = enough(all, wanted);
    if (found === undefined) {
      parts.splice(0, parts.length, all);
      continue;
    }
    stream.unread(all.subarray(found.next));
    return { text: clean([all.subarray(0, found.length)], wanted), status: "line" };
  }
}

function* waitUntil<T>(value: Later<T>, seconds: number): Task<T | "late"> {
  if (!(value instanceof Promise)) return value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), seconds * 1000));
  try {
    return (yield Promise.race([value, late])) as T | "late";
  } finally {
    clearTimeout(timer);
  }
}

/** Where the wanted part ends, and where the next one begins; undefined if more is needed. */
function enough(bytes: Uint8Array, { raw, end, count }: Wanted): { length: number; next: number } | undefined {
  let characters = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 92 && !raw) {
      if (at + 1 >= bytes.length) return undefined;
      at++;
      if (bytes[at] !== 10) characters++;
    } else if (byte === end) return { length: at, next: at + 1 };
    else characters++;
    while ((bytes[at + 1] & 0xc0) === 0x80) at++;
    if (characters >= count) return { length: at + 1, next: at + 1 };
  }
  return undefined;
}

/** Joined lines are joined, NULs dropped. */
function clean(parts: Uint8Array[], wanted?: Wanted): string {
  const text = decodeText(fromArray(parts.length === 1 ? parts[0] : concatBytes(parts))).replaceAll("\0", "");
  return wanted?.raw ? text : text.replace(/\\(\n|[^])/g, (all, char: string) => char === "\n" ? "" : all);
}

function assign(
  shell: Interpreter,
  names: string[],
  array: string | undefined,
  text: string,
  raw: boolean,
  whole: boolean,
): void {
  const plain = (part: string) => raw ? part : part.replace(/\\([^])/g, "$1");
  const set = (word: string, value: string) => {
    const { name, subscript } = parseElement(shell, word);
    if (subscript === undefined) assignVariable(shell, name, value);
    else assignElement(shell, name, subscript, value);
  };
  if (whole && array === undefined) {
    return (names.length > 0 ? names : ["REPLY"]).forEach((name, i) => set(name, i === 0 ? plain(text) : ""));
  }
  if (names.length === 0 && array === undefined) return set("REPLY", plain(text));
  const ifs = readVariable(shell, "IFS") ?? " \t\n";
  const fields = splitFields(text, ifs, array === undefined ? names.length : Infinity, raw).map(plain);
  if (array !== undefined) return assignArray(shell, array, fields.map((value) => ({ append: false, value })), false);
  names.forEach((name, i) => set(name, fields[i] ?? ""));
}

/** Splits by IFS into at most so many fields, the last of which takes the rest. */
export function splitFields(text: string, ifs: string, most: number, raw: boolean): string[] {
  const blank = (char: string) => " \t\n".includes(char) && ifs.includes(char);
  const fields: string[] = [];
  let at = 0;
  while (at < text.length && blank(text[at])) at++;
  while (at < text.length) {
    const start = at;
    while (at < text.length && !ifs.includes(text[at])) at += !raw && text[at] === "\\" ? 2 : 1;
    const field = text.slice(start, at);
    const separator = at;
    while (at < text.length && blank(text[at])) at++;
    if (at < text.length && ifs.includes(text[at]) && !blank(text[at])) {
      at++;
      while (at < text.length && blank(text[at])) at++;
    }
    if (fields.length < most - 1) fields.push(field);
    else {
      // The rest counts as it is, but one separator at its end does not.
      fields.push(at >= text.length ? field : trimEnd(text.slice(start), blank, raw));
      return fields;
    }
    if (separator >= text.length) break;
  }
  return fields;
}

function trimEnd(text: string, blank: (char: string) => boolean, raw: boolean): string {
  let end = text.length;
  while (end > 0 && blank(text[end - 1]) && (raw || text[end - 2] !== "\\")) end--;
  return text.slice(0, end);
}

/** What is wrong with the numbers and the name that mapfile is given. */
function findMistake(given: Flags, name: string): string | undefined {
  for (const [letter, what] of [["n", "line count"], ["O", "array origin"], ["s", "line count"]]) {
    const text = given.get(letter);
    if (text !== undefined && !isCount(text)) return `${text}: invalid ${what}`;
  }
  const quantum = given.get("c");
  if (quantum !== undefined && !(isCount(quantum) && Number(quantum) > 0)) {
    return `${quantum}: invalid callback quantum`;
  }
  if (name === "") return "empty array variable name";
  return isName(name) ? undefined : `\`${name}': not a valid identifier`;
}

const mapfile: Builtin = function* (shell, args): Task<number> {
  const given = readFlags(
    shell,
    "mapfile",
    args,
    "d:n:O:s:tu:C:c:",
  );
  if (!given) return 2;
  const [name = "MAPFILE"] = given.rest;
  const wrong = findMistake(given, name);
  if (wrong !== undefined) {
    shell.complain(`mapfile: ${wrong}`);
    return 1;
  }
  const stream = findInput(shell, "mapfile", given.get("u"));
  if (!stream) return 1;
  const delimiter = given.get("d");
  const end = delimiter === undefined ? 10 : delimiter === "" ? 0 : delimiter.charCodeAt(0);
  const most = Number(given.get("n") ?? 0) || Infinity;
  const origin = Number(given.get("O") ?? 0);
  const quantum = Number(given.get("c") ?? 5000);
  const callback = given.get("C");
  const before = readValue(shell, name);
  const array = given.has("O") && before instanceof IndexedArray ? before.writable() : new IndexedArray();
  const input = new Input(stream);
  let skip = Number(given.get("s") ?? 0);
  for (let count = 0; count < most;) {
    const bytes = yield* wait(input.readLine(end));
    if (bytes === undefined) break;
    if (skip-- > 0) continue;
    const ended = bytes[bytes.length - 1] === end;
    const line = decodeText(fromArray(given.has("t") && ended || end === 0 && ended ? bytes.subarray(0, -1) : bytes))
      .replaceAll("\0", "");
    const index = origin + count++;
    if (callback !== undefined && count % quantum === 0) {
      yield* shell.runText(`${callback} ${index} '${line.replaceAll("'", "'\\''")}'`);
    }
    array.put(index, line);
  }
  const { attributes = 0 } = shell.state.variables.find(name) ?? {};
  shell.state.variables.replace(name, { value: array, attributes });
  return 0;
};

export const readBuiltins: Record<string, Builtin> = { read, mapfile, readarray: mapfile };
