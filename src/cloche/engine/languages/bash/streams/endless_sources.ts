/**
 * Endless sources such as `yes` and /dev/zero. The commands of a pipeline run one after another, so a reader gets a finite
 * part; a reader that consumes all of it would print a wrong result, and fails instead.
 */
import type { CommandNode, WordNode } from "just-bash";
import type { ShellState } from "../interpreter/just_bash_types.ts";

/** Lines or bytes after which a command reads no more. */
export interface ReadLimit {
  lines: number;
  bytes: number;
}

export const UNKNOWN: ReadLimit = { lines: Infinity, bytes: Infinity };

/** Bytes of an endless source for a command whose demand is unknown. */
export const ENDLESS_PART = 1 << 20;
/** The most that is given to a command that is known to want more. */
const MOST = 8 << 20;
/** Filters on the way may throw away most of what they read. */
const FILTER_FACTOR = 32;
const LINE = 100;

/** What was read from endless devices; shared by the file system that provides it and the shell with the reader. */
export class EndlessInput {
  /** Bytes that a later command of the pipeline takes; infinite if unknown. */
  wanted = Infinity;
  #cut: string | undefined;

  /** Bytes of an endless source for a reader that reads all of it. */
  get size(): number {
    return this.wanted === Infinity
      ? ENDLESS_PART
      : Math.max(ENDLESS_PART, this.wanted, Math.min(MOST, FILTER_FACTOR * this.wanted));
  }

  /** Bytes to give of an endless device, which is remembered. */
  give(device: string): number {
    this.#cut = explainCut(device, this.size);
    return this.size;
  }

  /** Why what was read of a device since the last look is not whole. */
  take(): string | undefined {
    const cut = this.#cut;
    this.#cut = undefined;
    return cut;
  }
}

/** Says why a result is not whole. */
export function explainCut(source: string, bytes: number): string {
  return `${source}: has no end and was stopped after ${
    bytes >> 20
  } MB: commands of a pipeline run one after the other`;
}

/** Roughly how many bytes a limit allows. */
export function bytesOf({ lines, bytes }: ReadLimit): number {
  return Math.min(bytes, lines * LINE);
}

/** How much input a command will take, where its arguments say so; endless producers in front of it then end. */
export function readLimitOf(node: CommandNode | undefined, state: ShellState): ReadLimit {
  if (node?.type !== "SimpleCommand" || !node.name) return UNKNOWN;
  const [name, ...args] = [node.name, ...node.args].map((word) => textOf(word, state));
  if (name !== "head" && name !== "sed" && name !== "dd") return UNKNOWN;
  if (args.includes(undefined)) return UNKNOWN;
  const words = args as string[];
  return name === "head" ? ofHead(words) : name === "sed" ? ofSed(words) : ofDd(words);
}

function ofHead(words: string[]): ReadLimit {
  const rest = words.filter((word) => !/^-[qvz]+$|^--(quiet|silent|verbose)$/.test(word)).join(" ");
  if (rest === "") return { lines: 10, bytes: Infinity };
  const lines = rest.match(/^(?:-|-n ?|--lines[= ])(\d+)$/);
  if (lines) return { lines: Number(lines[1]), bytes: Infinity };
  const bytes = rest.match(/^(?:-c ?|--bytes[= ])(\d+)([kKMG]?)$/);
  return bytes ? { lines: Infinity, bytes: Number(bytes[1]) * unit(bytes[2]) } : UNKNOWN;
}

function ofSed(words: string[]): ReadLimit {
  const lines = words.join(" ").match(/^(?:-e )?(\d+)q$/);
  return { lines: lines ? Number(lines[1]) : Infinity, bytes: Infinity };
}

function ofDd(words: string[]): ReadLimit {
  const text = ` ${words.join(" ")} `;
  const count = text.match(/ count=(\d+) /);
  const size = text.match(/ i?bs=(\d+)([kKMG]?) /) ?? ["", "512", ""];
  if (!count || / (if|skip|iflag)=/.test(text)) return UNKNOWN;
  return { lines: Infinity, bytes: Number(count[1]) * Number(size[1]) * unit(size[2]) };
}

function unit(letter: string): number {
  return { k: 1 << 10, K: 1 << 10, M: 1 << 20, G: 1 << 30 }[letter] ?? 1;
}

/** The value of a word, if looking at variables is enough to know it. */
export function textOf(word: WordNode, state: ShellState): string | undefined {
  return joined(word.parts, state);
}

function joined(parts: WordNode["parts"], state: ShellState): string | undefined {
  let text = "";
  for (const part of parts) {
    let value: string | undefined;
    if (part.type === "Literal" || part.type === "SingleQuoted") value = part.value;
    else if (part.type === "DoubleQuoted") value = joined(part.parts, state);
    else if (part.type === "ParameterExpansion" && !part.operation) value = state.env.get(part.parameter);
    if (value === undefined) return undefined;
    text += value;
  }
  return text;
}

const FILTERS = new Set(
  ("cat tac rev tr cut paste sort uniq wc tail nl fold expand unexpand column comm join grep egrep fgrep rg sed awk gawk " +
    "tee base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum xxd od hexdump strings " +
    "gzip gunzip zcat bzip2 xz zstd jq yq xan cp split csplit shuf head dd xargs mapfile readarray bc dc fmt pr tsort " +
    "numfmt iconv patch html-to-markdown")
    .split(" "),
);

/** Options and programs with which a filter stops before the end of its input. */
const STOPS: Record<string, RegExp> = {
  sed: /[qQ]/,
  awk: /exit/,
  gawk: /exit/,
  grep: /^-\w*[mqlL]|^--(max-count|quiet|silent|files)/,
  rg: /^-\w*[mql]|^--(max-count|quiet|files)/,
  xxd: /^-l/,
  od: /^-N|^--read-bytes/,
  hexdump: /^-n/,
  shuf: /random-source/,
  jq: /limit|first/,
  mapfile: /^-n/,
  readarray: /^-n/,
};

/** Commands whose output depends on all of their input, always or with such arguments; others go line by line. */
const GATHER: Record<string, RegExp> = {
  ...Object.fromEntries(
    ("tac sort wc column md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum gzip bzip2 xz zstd cp " +
      "split csplit shuf tsort mapfile readarray patch html-to-markdown")
      .split(" ").map((name) => [name, /^/]),
  ),
  uniq: /^-\w*[cdu]|^--(count|repeated|unique)/,
  grep: /^-\w*c|^--count/,
  egrep: /^-\w*c|^--count/,
  fgrep: /^-\w*c|^--count/,
  rg: /^-\w*c|^--(count|stats)/,
  sed: /(^|[;{}\n])\s*(\d+,)?\$/,
  awk: /\bEND\b/,
  gawk: /\bEND\b/,
  jq: /^-\w*s|^--slurp|\binputs\b/,
};

const SHELLS = new Set(["bash", "sh", "dash"]);

/** Whether a command reads to the end of its input, so that what it says of a part is wrong of the whole. */
export function readsAll(name: string, args: string[]): boolean {
  // Without a file, a shell's script is its input.
  if (SHELLS.has(name)) return args.every((arg) => arg.startsWith("-") && !/^-\w*c/.test(arg));
  return FILTERS.has(name) && !args.some((arg) => STOPS[name]?.test(arg));
}

/** Whether the output for part of the input is not a prefix of the output for all of it (`tail`, `sort`, `tac`). */
export function needsWholeInput(name: string, args: string[]): boolean {
  if (name === "tail") return !args.some((arg) => /^(-[nc])?\+\d|^--(lines|bytes)=\+/.test(arg));
  return GATHER[name] !== undefined && (args.length > 0 ? args : [""]).some((arg) => GATHER[name].test(arg));
}
