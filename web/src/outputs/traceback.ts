/** Tracebacks of all languages, taken apart: the user's own lines, those of libraries, and the words around them. */

import { stripAnsi } from "./ansi.ts";

export interface Section {
  kind: "words" | "own" | "library";
  /** As it was written, with its colours. */
  text: string;
  /** How many frames, for libraries. */
  frames: number;
}

/** How code failed, as observations say it. */
export interface Failure {
  type: string;
  message: string;
  line?: number;
  traceback: string;
}

/** A frame of several lines: where it is, then its source. */
const BLOCK = [/^\s*File ("[^"]*"|\S+), line \d+/, /^File \S+?(:\d+|, line \d+)/, /^(Cell|Input) In ?\[\d+\]/];
/** A frame of one line. */
const LINE = [
  /^\s+at \S/,
  /^\s+from \S+:\d+/,
  /^\S*<cell>:\d+:in /,
  /^#\d+ /,
  /^\t(\[C\]|\S+:\d+):? in /,
  /^\t.+ called at .+ line \d+/,
  /^\d+\. .+ at \S+:\d+/,
  /^ {2}<cell>:\d+$/,
];
const LIBRARY =
  /site-packages|dist-packages|\/lib\/(python|ruby|perl|node)|\.zip[/\\]|<frozen |<internal|\[C\]|\bnode:|node_modules|\/gems\/|\/usr\/(lib|share)\/|\[internal/;

/** The traceback in sections; frames of libraries that follow each other are one. */
export function splitTraceback(traceback: string): Section[] {
  const sections: Section[] = [];
  let current: Section["kind"] = "words";
  let inBlock = false;
  for (const raw of traceback.replace(/\n+$/, "").split("\n")) {
    const line = stripAnsi(raw);
    const starts = BLOCK.some((each) => each.test(line));
    const single = !starts && LINE.some((each) => each.test(line));
    if (starts || single) {
      current = LIBRARY.test(line) ? "library" : "own";
      inBlock = starts;
      addLine(sections, current, raw, 1);
    } else {
      // The source of a frame is indented or numbered; what stands at the margin is the error itself.
      if (inBlock && !/^(\s|-+>|\d|$)/.test(line)) inBlock = false;
      addLine(sections, inBlock ? current : "words", raw, 0);
    }
  }
  return sections;
}

function addLine(sections: Section[], kind: Section["kind"], text: string, frames: number): void {
  const last = sections.at(-1);
  if (last?.kind === kind) {
    last.text += `\n${text}`;
    last.frames += frames;
  } else sections.push({ kind, text, frames });
}

/** How code failed, from data; undefined if it is none. */
export function readFailure(data: unknown): Failure | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, message, line, traceback } = data as Record<string, unknown>;
  if (typeof type !== "string") return undefined;
  return {
    type,
    message: typeof message === "string" ? message : "",
    ...(typeof line === "number" && { line }),
    traceback: typeof traceback === "string" ? traceback : "",
  };
}

/** The traceback at the end of what a cell of Python printed; undefined if it ended well. */
export function findFailure(content: string): Failure | undefined {
  const text = stripNotes(content);
  const begins = [...text.matchAll(/^(?:Traceback \(most recent call last\):| {2}File "Cell In\[\d+\]", line \d+)$/gm)];
  const header = begins.findLast(({ 0: line }) => line.startsWith("T")) ?? begins.at(-1);
  if (!header) return undefined;
  const traceback = text.slice(header.index);
  // The error stands at the margin, and nothing comes after it but its own message.
  const error = /^([\w.]+)(?:: ([\s\S]*))?$/m.exec(
    traceback.replace(/^Traceback .*\n/, "").replace(/^( .*\n|\n)+/, ""),
  );
  if (!error) return undefined;
  const line = [...traceback.matchAll(/^ {2}File "Cell In\[\d+\]", line (\d+)/gm)].at(-1)?.[1];
  return {
    type: (error[1] ?? "").split(".").at(-1) ?? "",
    message: (error[2] ?? "").split("\n", 1)[0] ?? "",
    ...(line !== undefined && { line: Number(line) }),
    traceback,
  };
}

/** Without what the runtime adds for its reader. */
function stripNotes(content: string): string {
  const notes = /\n\[(?:Jupyter current working directory|Execution timed out|The interpreter had to be restarted)/
    .exec(content);
  return (notes ? content.slice(0, notes.index) : content).trimEnd();
}
