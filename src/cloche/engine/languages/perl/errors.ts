/** Turns perl's messages into errors with a line and a hint. */

import type { RunError } from "../../protocol.ts";
import { tokenizePerl } from "./tokens.ts";

/** What perl calls a cell. */
export const CELL = "<cell>";
const PLACE = / at <cell> line (\d+)/;
const SYNTAX = new RegExp(
  "^(?:syntax error|Can't find string terminator|Missing right|Unmatched right|Global symbol|Bareword |Number found where|" +
    "String found where|Scalar found where|Array found where|Can't redeclare|Not enough arguments for|" +
    "Too many arguments for|Type of arg|Search pattern not terminated|Substitution |Transliteration |" +
    "Can't use global|Experimental |Unrecognized character|Can't modify|Illegal declaration|Unknown regexp modifier|" +
    "Can't find prototype|Missing braces)",
);
const THREADS = /^(?:threads(?:::|$)|Thread::)/;
const NETWORK = /^(?:Socket6?|IO::Socket|Net::|LWP|HTTP::Tiny$|IO::Select$|AnyEvent|Mojo::)/;
/** The file that was read last, which perl adds to every place. */
const HANDLE = /, <[^<>\n]*> (?:line|chunk) \d+(?=\.?$)/gm;
const NEAR = /, near "([^]*?)"(?=\n|$)/;
const MISSING = /^Can't locate (\S+)\.pm in @INC[^\n]*?(?= at |\n|$)/;
const METHOD = /^Can't locate object method "([^"]*)" via package "([^"]*)" \(perhaps you forgot to load "[^"]*"\?\)/;

/** What a failed cell has reported. */
export interface Failure {
  className: string;
  message: string;
  /** Where it was raised. */
  place: string;
  frames: string[];
  /** Why a missing module could not be installed. */
  refusal: string;
}

/** A cell's name as a file name for perl; it is quoted, on one line. */
export function nameOf(file = CELL): string {
  // deno-lint-ignore no-control-regex -- a line must not end
  return /["\x00-\x1f]|^$/.test(file) ? CELL : file;
}

/** `name` is the cell's name. */
export function errorOf(
  source: string,
  failure: Failure,
  name = CELL,
): RunError {
  if (name === CELL) return toRunError(source, failure);
  const rename = (text: string, from: string, to: string) =>
    text.replaceAll(` at ${from} line `, () => ` at ${to} line `);
  const plain = (text: string) => rename(` ${text}`, name, CELL).slice(1);
  const { message, place, frames } = failure;
  const error = toRunError(source, {
    ...failure,
    message: plain(message),
    place: plain(place),
    frames: frames.map(plain),
  });
  return {
    ...error,
    message: rename(error.message, CELL, name),
    traceback: rename(error.traceback, CELL, name),
  };
}

function toRunError(source: string, failure: Failure): RunError {
  const { className, frames } = failure;
  const whole = asWritten(
    source,
    failure.message.replace(/\n?$/, "").replace(HANDLE, ""),
  );
  const syntax = className === "" && SYNTAX.test(whole);
  const text = syntax ? within(source, whole) : whole;
  const module = MISSING.exec(text)?.[1].replaceAll("/", "::");
  const line = lineOf([text, ` ${failure.place}`, ...frames]);
  const message = shortened(text, module, syntax);
  const hint = hintFor(source, text, module, failure.refusal);
  return {
    type: className ||
      (syntax ? "SyntaxError" : module ? "ModuleNotFoundError" : "Error"),
    message: hint ? `${message}\nhint: ${hint}` : message,
    line,
    column: line === null || !syntax ? null : columnOf(source, line, text),
    traceback: [text, ...ofGuest(frames).map((frame) => `\t${frame}`)].join(
      "\n",
    ),
  };
}

/** The first line of the cell that the message mentions. */
function lineOf(texts: string[]): number | null {
  const [, line] = PLACE.exec(texts.find((text) => PLACE.test(text)) ?? "") ??
    [];
  return line === undefined ? null : Number(line);
}

/** Perl quotes `our` where the cell has `my`. */
function asWritten(source: string, text: string): string {
  const [, near] = NEAR.exec(text) ?? [];
  if (near === undefined || source.includes(near.trim())) return text;
  return text.replace(NEAR, (whole) => whole.replaceAll(/\bour\b/g, "my"));
}

/** An error found at the end gets the number of the last line, not of the one after it. */
function within(source: string, text: string): string {
  const last = source.trimEnd().split("\n").length;
  return text.replaceAll(
    / at <cell> line (\d+)/g,
    (_, line) => ` at <cell> line ${Math.min(Number(line), last)}`,
  );
}

function ofGuest(frames: string[]): string[] {
  return frames.filter((frame) =>
    !frame.startsWith("Cloche::") &&
    !frame.includes(" at /usr/share/perl5/Cloche")
  );
}

/** The first sentence, without the place, which the error has as a field. */
function shortened(
  text: string,
  module: string | undefined,
  syntax: boolean,
): string {
  if (module) return `Can't locate ${module.replaceAll("::", "/")}.pm in @INC`;
  const lines = text.replace(NEAR, (whole) => whole.replaceAll(/\s+/g, " "))
    .split("\n").filter((line) => !/^(?:BEGIN failed|Execution of .* aborted|Compilation failed)/.test(line));
  // One mistake results in several messages; the first says most.
  const kept = syntax ? lines.slice(0, 1) : lines;
  return kept.join("\n").replace(/ at <cell> line \d+\.?$/, "").replace(
    PLACE,
    "",
  );
}

function hintFor(
  source: string,
  text: string,
  module: string | undefined,
  refusal: string,
): string | null {
  if (module) return refusal || moduleHint(module);
  const method = METHOD.exec(text);
  if (method) {
    return `write \`use ${method[2]};\` before the method ${method[1]} is called`;
  }
  const { unclosed } = tokenizePerl(source);
  if (
    unclosed &&
    /Missing right|string terminator|not terminated|syntax error|at EOF/.test(
      text,
    )
  ) {
    return `the ${unclosed.sign} in line ${lineAt(source, unclosed.at)} is never closed`;
  }
  if (/^Global symbol "([^"]+)"/.test(text)) {
    return "declare it with `my` before it is used";
  }
  return /^syntax error/.test(text) ? semicolonHint(source, text) : null;
}

/** Whether a package could bring the module; some need what no sandbox has. */
export function isPossible(module: string): boolean {
  return !THREADS.test(module) && !NETWORK.test(module);
}

export function moduleHint(module: string): string {
  if (THREADS.test(module)) return "there are no threads in a sandbox";
  if (NETWORK.test(module)) {
    return "Perl has no sockets here; `curl` by system() or backticks goes where the sandbox may";
  }
  return `\`cpanm ${module}\` in bash installs it, or box.install("${module}", language="perl")`;
}

/** A statement that continues in the next line by mistake is noticed only there. */
function semicolonHint(source: string, text: string): string | null {
  const line = Number(PLACE.exec(text)?.[1] ?? 0);
  const lines = source.split("\n");
  for (let at = line - 1; at >= 1; at--) {
    const before = lines[at - 1].replace(/(^|\s)#.*$/, "").trimEnd();
    if (before === "") continue;
    return /[;{}(,]$/.test(before) ? null : `a semicolon may be missing at the end of line ${at}`;
  }
  return null;
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split("\n").length;
}

function columnOf(source: string, line: number, text: string): number | null {
  const near = NEAR.exec(text)?.[1].trim().split("\n").at(-1);
  const at = near ? (source.split("\n")[line - 1] ?? "").indexOf(near) : -1;
  return at < 0 ? null : at + 1;
}
