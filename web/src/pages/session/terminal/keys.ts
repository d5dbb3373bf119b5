/** What was typed, from what xterm sends for it. */

export type Key =
  | { kind: "text" | "paste"; text: string }
  | { kind: "key"; name: KeyName };

export type KeyName =
  | "enter"
  | "tab"
  | "interrupt"
  | "end of input"
  | "clear"
  | "escape"
  | "left"
  | "right"
  | "up"
  | "down"
  | "word left"
  | "word right"
  | "home"
  | "end"
  | "delete left"
  | "delete right"
  | "delete word left"
  | "delete word right"
  | "delete to start"
  | "delete to end"
  | "delete to space"
  | "yank"
  | "search";

const CONTROLS: Record<string, KeyName> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\x7f": "delete left",
  "\b": "delete word left",
  "\x01": "home",
  "\x02": "left",
  "\x03": "interrupt",
  "\x04": "end of input",
  "\x05": "end",
  "\x06": "right",
  "\x07": "escape",
  "\x0b": "delete to end",
  "\x0c": "clear",
  "\x0e": "down",
  "\x10": "up",
  "\x12": "search",
  "\x15": "delete to start",
  "\x17": "delete to space",
  "\x19": "yank",
};

const SEQUENCES: Record<string, KeyName> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "[1~": "home",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[3~": "delete right",
  "[1;5C": "word right",
  "[1;5D": "word left",
  "[1;3C": "word right",
  "[1;3D": "word left",
  "[3;5~": "delete word right",
  "[3;3~": "delete word right",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  b: "word left",
  f: "word right",
  d: "delete word right",
  "\x7f": "delete word left",
  "\b": "delete word left",
};

const PASTE = "[200~";
const PASTE_END = "\x1b[201~";
/** What follows an escape. */
const SEQUENCE = /^(\[[\d;]*[A-Za-z~]|O[A-Z]|[^[O]|$)/;
const TEXT = /^\P{Cc}+/u;

export function readKeys(data: string): Key[] {
  const keys: Key[] = [];
  for (let rest = data; rest;) {
    const [key, length] = rest.startsWith("\x1b") ? readEscape(rest.slice(1)) : readPlain(rest);
    if (key) keys.push(key);
    rest = rest.slice(length);
  }
  return keys;
}

function readPlain(data: string): [key: Key | undefined, length: number] {
  const text = TEXT.exec(data);
  if (text) return [{ kind: "text", text: text[0] }, text[0].length];
  const name = CONTROLS[data.charAt(0)];
  return [name && { kind: "key", name }, 1];
}

function readEscape(data: string): [key: Key | undefined, length: number] {
  if (!data) return [{ kind: "key", name: "escape" }, 1];
  if (data.startsWith(PASTE)) {
    const end = data.indexOf(PASTE_END);
    const text = data.slice(PASTE.length, end < 0 ? undefined : end);
    return [{ kind: "paste", text: cleanPaste(text) }, 1 + (end < 0 ? data.length : end + PASTE_END.length)];
  }
  const sequence = SEQUENCE.exec(data)?.[1] ?? "";
  const name = SEQUENCES[sequence];
  return [name && { kind: "key", name }, 1 + sequence.length];
}

/** What was pasted, as text: its lines stay, other control characters go. */
export function cleanPaste(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").replace(/(?!\n)\p{Cc}/gu, "");
}
