/** Signals by name and number. */

const NAMES = (
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU " +
  "XFSZ VTALRM PROF WINCH IO PWR SYS"
).split(" ");

/** Those that are the shell's own events. */
const EVENTS = ["EXIT", "DEBUG", "ERR", "RETURN"];

/** Signals that end nothing unless there is a trap. */
const HARMLESS = new Set(["CHLD", "CONT", "URG", "WINCH", "STOP", "TSTP", "TTIN", "TTOU"]);

export const SIGINT = 2;
export const SIGKILL = 9;
export const SIGPIPE = 13;
export const SIGTERM = 15;

/** All signals, the first has number 1; 34 to 64 are the real-time ones. */
export function listSignals(): [number: number, name: string][] {
  const plain = NAMES.map((name, i): [number, string] => [i + 1, name]);
  const realtime = Array.from({ length: 31 }, (_, i): [number, string] => [34 + i, realtimeName(34 + i)]);
  return [...plain, ...realtime];
}

function realtimeName(number: number): string {
  if (number === 34) return "RTMIN";
  if (number === 64) return "RTMAX";
  return number < 50 ? `RTMIN+${number - 34}` : `RTMAX-${64 - number}`;
}

const BY_NAME = new Map(listSignals().map(([number, name]) => [name, number]));

/** The name of a signal or event as `trap` and `kill` take it (2, INT, SIGINT, int, 0, EXIT); undefined if none. */
export function signalName(word: string): string | undefined {
  if (/^\d+$/.test(word)) return word === "0" ? "EXIT" : nameOf(Number(word));
  const name = word.toUpperCase().replace(/^SIG/, "");
  return BY_NAME.has(name) || EVENTS.includes(name) ? name : undefined;
}

export function nameOf(number: number): string | undefined {
  return number >= 34 && number <= 64 ? realtimeName(number) : NAMES[number - 1];
}

export function signalNumber(name: string): number | undefined {
  return name === "EXIT" ? 0 : BY_NAME.get(name);
}

export function isHarmless(number: number): boolean {
  return HARMLESS.has(nameOf(number) ?? "");
}

const DESCRIPTIONS: Record<number, string> = {
  1: "Hangup",
  2: "Interrupt",
  3: "Quit",
  4: "Illegal instruction",
  6: "Aborted",
  8: "Floating point exception",
  9: "Killed",
  10: "User defined signal 1",
  11: "Segmentation fault",
  12: "User defined signal 2",
  13: "Broken pipe",
  14: "Alarm clock",
  15: "Terminated",
};

/** As `jobs` says it. */
export function describeSignal(number: number): string {
  return DESCRIPTIONS[number] ?? `Signal ${number}`;
}
