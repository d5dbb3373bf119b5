/** Input that `read` and `cat` get from the user, line by line. */
import { encodeText } from "./byte_strings.ts";

/** Asks for a line; null at the end of input, and on a timeout. */
export type AskLine = (prompt: string, hidden: boolean, seconds?: number) => Promise<string | null>;

/** What was typed for a command, and whether its time was over before that. */
interface Typed {
  text: string;
  late: boolean;
}

interface ReadOptions {
  prompt: string;
  hidden: boolean;
  raw: boolean;
  until: string;
  /** Characters that must come, whatever they are. */
  count: number;
  seconds: number | undefined;
  /** False for a descriptor that is not the terminal's, and if waiting is not allowed. */
  asks: boolean;
}

/** Bytes that are taken for one command. */
const MOST = 1 << 20;
/** The clock by which the caller waits may be a little ahead. */
const SLACK_MS = 50;
const WITH_VALUE = new Set("adinNptu");

/** What the command gets from the terminal; undefined if it does not read it. */
export async function typedFor(name: string, args: string[], ask: AskLine): Promise<Typed | undefined> {
  if (name === "read") return await typedForRead(parseReadOptions(args), ask);
  if (name === "cat" && args.every((arg) => /^-[A-Za-z]*$/.test(arg))) {
    const { text } = await gather(() => ask("", false), () => false);
    return { text: encodeText(text), late: false };
  }
}

async function typedForRead(wanted: ReadOptions, ask: AskLine): Promise<Typed | undefined> {
  if (!wanted.asks) return undefined;
  const { prompt, hidden, seconds = Infinity } = wanted;
  const end = performance.now() + seconds * 1000;
  let first = true;
  return await gather(
    () => {
      const left = wanted.seconds === undefined ? undefined : Math.max(0, end - performance.now()) / 1000;
      const line = ask(first ? prompt : "", hidden, left);
      first = false;
      return line;
    },
    (text) => isEnough(text, wanted),
    () => performance.now() >= end - SLACK_MS,
  );
}

async function gather(
  ask: () => Promise<string | null>,
  enough: (text: string) => boolean,
  late = () => false,
): Promise<Typed> {
  let text = "";
  while (text.length < MOST) {
    const line = await ask();
    if (line === null) return { text, late: late() };
    text += line.endsWith("\n") ? line : `${line}\n`;
    if (enough(text)) break;
  }
  return { text, late: false };
}

function isEnough(text: string, { raw, until, count }: ReadOptions): boolean {
  if (count > 0) return [...text].length >= count;
  if (until !== "\n") return text.includes(until);
  // A line that ends with a backslash continues in the next.
  return raw || (text.match(/\\*(?=\n$)/)?.[0].length ?? 0) % 2 === 0;
}

function parseReadOptions(args: string[]): ReadOptions {
  const { flags, values } = options(args);
  const seconds = values.has("t") ? Number(values.get("t")) : undefined;
  const descriptor = Number(values.get("u") ?? 0);
  return {
    prompt: values.get("p") ?? "",
    hidden: flags.has("s"),
    raw: flags.has("r"),
    until: values.get("d") ?? "\n",
    count: Number(values.get("N") ?? 0),
    seconds,
    asks: descriptor === 0 && (seconds === undefined || seconds > 0),
  };
}

function options(args: string[]): { flags: Set<string>; values: Map<string, string> } {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  for (let i = 0; i < args.length && args[i] !== "--"; i++) {
    if (!/^-./.test(args[i])) continue;
    for (let at = 1; at < args[i].length; at++) {
      const letter = args[i][at];
      if (!WITH_VALUE.has(letter)) flags.add(letter);
      else {
        values.set(letter, args[i].slice(at + 1) || (args[++i] ?? ""));
        break;
      }
    }
  }
  return { flags, values };
}
