/** The words that bash itself is called with. */
import { SET_LETTERS, SET_OPTIONS, type SetOption, SHOPT_OPTIONS } from "../state/shell_state.ts";

export interface Start {
  set: [name: string, on: boolean][];
  shopt: [name: string, on: boolean][];
  command: boolean;
  stdin: boolean;
  interactive: boolean;
  login: boolean;
  /** Whether files at the start are left out. */
  bare: boolean;
  /** Only prints the script as bash would write it. */
  pretty: boolean;
  /** Whether what is typed is shown, as line editing does. */
  editing: boolean;
  rc?: string;
  words: string[];
  done?: { text: string; code: number };
}

const VERSION = "GNU bash, version 5.2.0(1)-release (x86_64-pc-linux-gnu)\n";
/** Those without effect have an empty action. */
const LONG: Record<string, (start: Start) => void> = {
  debug: () => {},
  debugger: (start) => start.shopt.push(["extdebug", true]),
  "dump-po-strings": (start) => start.set.push(["noexec", true]),
  "dump-strings": (start) => start.set.push(["noexec", true]),
  help: () => {},
  "init-file": () => {},
  login: (start) => start.login = true,
  noediting: (start) => start.editing = false,
  noprofile: (start) => start.bare = true,
  norc: (start) => start.bare = true,
  posix: (start) => start.set.push(["posix", true]),
  "pretty-print": (start) => start.pretty = true,
  rcfile: () => {},
  restricted: () => {},
  verbose: (start) => start.set.push(["verbose", true]),
  version: () => {},
};
const WITH_VALUE = new Set(["init-file", "rcfile"]);
const MISUSED = 2;

function usage(name: string): string {
  const long = Object.keys(LONG).map((option) => `\t--${option}\n`).join("");
  return `Usage:\t${name} [GNU long option] [option] ...\n\t${name} [GNU long option] [option] script-file ...\n` +
    `GNU long options:\n${long}Shell options:\n` +
    "\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n" +
    "\t-abefhkmnptuvxBCEHPT or -o option\n";
}

function refuse(name: string, option: string): Start["done"] {
  return { text: `${name}: ${option}: invalid option\n${usage(name)}`, code: MISUSED };
}

export function parseStart(name: string, args: readonly string[]): Start {
  const start: Start = {
    set: [],
    shopt: [],
    command: false,
    stdin: false,
    interactive: false,
    login: false,
    bare: false,
    pretty: false,
    editing: true,
    words: [],
  };
  let at = 0;
  for (; at < args.length && !start.done; at++) {
    const word = args[at];
    if (word === "--" || word === "-") {
      at++;
      break;
    }
    if (word.startsWith("--")) {
      start.done = readLong(start, name, word);
      if (WITH_VALUE.has(word.slice(2))) start.rc = args[++at];
    } else if (!/^[-+]./.test(word)) break;
    else at += readLetters(start, name, args, at);
  }
  start.words = args.slice(at);
  start.done ??= findUnknown(start, name);
  return start;
}

function readLong(start: Start, name: string, word: string): Start["done"] {
  if (word === "--version") return { text: VERSION, code: 0 };
  if (word === "--help") return { text: usage(name), code: 0 };
  const option = word.slice(2);
  if (!Object.hasOwn(LONG, option) || option === "restricted") return refuse(name, word);
  LONG[option](start);
  return undefined;
}

/** Reads the letters of a word; returns how many words after it they took. */
function readLetters(start: Start, name: string, args: readonly string[], at: number): number {
  const word = args[at];
  const on = word[0] === "-";
  let taken = 0;
  for (const letter of word.slice(1)) {
    if (letter === "c") start.command = true;
    else if (letter === "s") start.stdin = true;
    else if (letter === "i") start.interactive = true;
    else if (letter === "l") start.login = true;
    else if (letter === "D") start.set.push(["noexec", true]);
    else if (letter === "o") start.set.push([args[at + ++taken] ?? "", on]);
    else if (letter === "O") start.shopt.push([args[at + ++taken] ?? "", on]);
    else if (letter in SET_LETTERS) start.set.push([SET_LETTERS[letter], on]);
    else start.done = refuse(name, `${word[0]}${letter}`);
  }
  return taken;
}

function findUnknown({ set, shopt }: Start, name: string): Start["done"] {
  const option = set.find(([each]) => !SET_OPTIONS.includes(each as SetOption))?.[0];
  if (option !== undefined) return { text: `${name}: ${option}: invalid option name\n`, code: MISUSED };
  const other = shopt.find(([each]) => !SHOPT_OPTIONS.includes(each))?.[0];
  if (other === undefined) return undefined;
  return { text: `${name}: line 0: ${other}: invalid shell option name\n`, code: MISUSED };
}
