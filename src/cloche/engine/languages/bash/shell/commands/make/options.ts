/** The command line of make, and MAKEFLAGS. */

export interface MakeOptions {
  /** -B -e -i -k -n -q -r -R -s -t -w as letters. */
  letters: Set<string>;
  makefiles: string[];
  folders: string[];
  includes: string[];
  jobs: number;
  old: string[];
  changed: string[];
  texts: string[];
  noPrintDirectory: boolean;
  warnUndefined: boolean;
  trace: boolean;
  assignments: string[];
  goals: string[];
  /** What is printed instead of making something. */
  done?: { text: string; code: number };
}

const LONG: Record<string, string> = {
  "always-make": "B",
  directory: "C",
  "environment-overrides": "e",
  eval: "E",
  file: "f",
  makefile: "f",
  "ignore-errors": "i",
  "include-dir": "I",
  jobs: "j",
  "keep-going": "k",
  "load-average": "l",
  "max-load": "l",
  "check-symlink-times": "L",
  "just-print": "n",
  "dry-run": "n",
  recon: "n",
  "old-file": "o",
  "assume-old": "o",
  "output-sync": "O",
  question: "q",
  "no-builtin-rules": "r",
  "no-builtin-variables": "R",
  silent: "s",
  quiet: "s",
  "no-silent": "S1",
  "no-keep-going": "S",
  stop: "S",
  touch: "t",
  version: "v",
  "print-directory": "w",
  "no-print-directory": "w0",
  "what-if": "W",
  "new-file": "W",
  "assume-new": "W",
  "warn-undefined-variables": "u",
  trace: "T",
  help: "h",
  debug: "d",
};

const NEEDS = "CEfIoW";
const MAY_HAVE = "jlOd";
/** Those that a make below is told about. */
export const PASSED = "BeiknqrRstw";
const KNOWN = `${PASSED}${NEEDS}jlOdLSvhbm`;

export const USAGE = `Usage: make [options] [target] ...
Options:
  -B, --always-make           Unconditionally make all targets.
  -C DIRECTORY, --directory=DIRECTORY
                              Change to DIRECTORY before doing anything.
  -e, --environment-overrides Environment variables override makefiles.
  -E STRING, --eval=STRING    Evaluate STRING as a makefile statement.
  -f FILE, --file=FILE, --makefile=FILE
                              Read FILE as a makefile.
  -h, --help                  Print this message and exit.
  -i, --ignore-errors         Ignore errors from recipes.
  -I DIRECTORY, --include-dir=DIRECTORY
                              Search DIRECTORY for included makefiles.
  -j [N], --jobs[=N]          Allow N jobs at once; infinite jobs with no arg.
  -k, --keep-going            Keep going when some targets can't be made.
  -n, --just-print, --dry-run, --recon
                              Don't actually run any recipe; just print them.
  -o FILE, --old-file=FILE, --assume-old=FILE
                              Consider FILE to be very old and don't remake it.
  -q, --question              Run no recipe; exit status says if up to date.
  -r, --no-builtin-rules      Disable the built-in implicit rules.
  -R, --no-builtin-variables  Disable the built-in variable settings.
  -s, --silent, --quiet       Don't echo recipes.
  -S, --no-keep-going, --stop Turns off -k.
  -t, --touch                 Touch targets instead of remaking them.
  --trace                     Print tracing information.
  -v, --version               Print the version number of make and exit.
  -w, --print-directory       Print the current directory.
  --no-print-directory        Turn off -w, even if it was turned on implicitly.
  -W FILE, --what-if=FILE, --new-file=FILE, --assume-new=FILE
                              Consider FILE to be infinitely new.
  --warn-undefined-variables  Warn when an undefined variable is referenced.
`;

const VERSION = "GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu\n";

export function parseArguments(args: readonly string[], makeflags: string | undefined): MakeOptions {
  const options: MakeOptions = {
    letters: new Set(),
    makefiles: [],
    folders: [],
    includes: [],
    jobs: 1,
    old: [],
    changed: [],
    texts: [],
    noPrintDirectory: false,
    warnUndefined: false,
    trace: false,
    assignments: [],
    goals: [],
  };
  if (makeflags !== undefined) readWords(options, splitFlags(makeflags), true);
  readWords(options, [...args], false);
  return options;
}

/** Words with `\ ` for a space; the letters of the first need no dash. */
function splitFlags(text: string): string[] {
  const words = (text.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replace(/\\(.)/gs, "$1"));
  if (words.length > 0 && !/^-|=/.test(words[0])) words[0] = `-${words[0]}`;
  return words;
}

function readWords(options: MakeOptions, words: string[], inherited: boolean): void {
  for (let i = 0; i < words.length && !options.done; i++) {
    const word = words[i];
    if (word === "--") {
      for (const rest of words.slice(i + 1)) addOperand(options, rest, inherited);
      return;
    }
    if (word.startsWith("--")) {
      const [, name, value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
      const names = Object.keys(LONG).filter((long) => long.startsWith(name));
      const key = LONG[name] ?? (new Set(names.map((long) => LONG[long])).size === 1 ? LONG[names[0]] : undefined);
      if (key === undefined) refuse(options, `unrecognized option '${word}'`);
      else if (NEEDS.includes(key) && value === undefined && i + 1 >= words.length) {
        refuse(options, `option '${word}' requires an argument`);
      } else apply(options, key, value ?? (NEEDS.includes(key) ? words[++i] : ""));
    } else if (word.startsWith("-") && word !== "-") i += readLetters(options, word, words[i + 1]);
    else addOperand(options, word, inherited);
  }
}

/** Returns how many of the following words were used. */
function readLetters(options: MakeOptions, word: string, next: string | undefined): number {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at];
    const rest = word.slice(at + 1);
    if (!KNOWN.includes(letter)) {
      refuse(options, `invalid option -- '${letter}'`);
      return 0;
    }
    if (NEEDS.includes(letter)) {
      if (rest === "" && next === undefined) refuse(options, `option requires an argument -- '${letter}'`);
      else apply(options, letter, rest || (next ?? ""));
      return rest === "" ? 1 : 0;
    }
    if (MAY_HAVE.includes(letter)) {
      const number = "jl".includes(letter) && /^[\d.]+$/.test(rest) ? rest : undefined;
      if (number === undefined && rest === "" && "jl".includes(letter) && /^[\d.]+$/.test(next ?? "")) {
        apply(options, letter, next ?? "");
        return 1;
      }
      apply(options, letter, number ?? (letter === "O" || letter === "d" ? rest : ""));
      if (number !== undefined || letter === "O") return 0;
    } else apply(options, letter, "");
  }
  return 0;
}

function addOperand(options: MakeOptions, word: string, inherited: boolean): void {
  if (/^[^\s:=]+\s*(?:::?|[?+!])?=/.test(word)) options.assignments.push(word);
  else if (!inherited) options.goals.push(word);
}

function refuse(options: MakeOptions, message: string): void {
  options.done = { text: `make: ${message}\n${USAGE}`, code: 2 };
}

function apply(options: MakeOptions, key: string, value: string): void {
  const lists: Record<string, string[]> = {
    C: options.folders,
    E: options.texts,
    f: options.makefiles,
    I: options.includes,
    o: options.old,
    W: options.changed,
  };
  if (lists[key]) lists[key].push(value);
  else if (key === "j") setJobs(options, value);
  else if (key === "S") options.letters.delete("k");
  else if (key === "S1") options.letters.delete("s");
  else if (key === "w0") {
    options.letters.delete("w");
    options.noPrintDirectory = true;
  } else if (key === "u") options.warnUndefined = true;
  else if (key === "T") options.trace = true;
  else if (key === "v") options.done = { text: VERSION, code: 0 };
  else if (key === "h") options.done = { text: USAGE, code: 0 };
  else if (PASSED.includes(key)) options.letters.add(key);
}

function setJobs(options: MakeOptions, value: string): void {
  options.jobs = value === "" ? Infinity : Number(value);
  if (!(options.jobs >= 1) || !Number.isInteger(options.jobs) && value !== "") {
    options.done = {
      text: `make: the '-j' option requires a positive integer argument\n${USAGE}`,
      code: 2,
    };
  }
}

/** MAKEFLAGS for the recipes. */
export function formatFlags(options: MakeOptions): string {
  const letters = [...PASSED].filter((letter) => options.letters.has(letter)).join("");
  const more = [
    ...options.jobs === 1 ? [] : [options.jobs === Infinity ? "-j" : `-j${options.jobs}`],
    ...options.includes.map((folder) => `-I${folder}`),
    ...options.noPrintDirectory ? ["--no-print-directory"] : [],
    ...options.warnUndefined ? ["--warn-undefined-variables"] : [],
    ...options.trace ? ["--trace"] : [],
  ];
  const variables = options.assignments.map((word) => word.replace(/[\\\s]/g, "\\$&"));
  const tail = variables.length > 0 ? ["--", ...variables] : [];
  const flags = [...letters === "" ? [] : [letters], ...more, ...tail].join(" ");
  return letters === "" && flags !== "" ? ` ${flags}` : flags;
}
