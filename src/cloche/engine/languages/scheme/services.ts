/** What a Scheme program may use of its worker: the guest's files; and its errors as results. */

import { FileError, type OpenFile, type OpenMode } from "../../fs/files.ts";
import type { Tree } from "../../fs/tree.ts";
import type { RunError } from "../../protocol.ts";
import type { SchemeError } from "./vm/errors.ts";
import type { Files, Sink } from "./vm/ports.ts";

const WRITE: OpenMode = { read: false, write: true, create: true, exclusive: false, truncate: true };
const LARGEST = 64 << 20;

/** Relative paths start at the working directory. */
export function treeFiles(tree: Tree, cwd: () => string): Files {
  const full = (path: string) => path.startsWith("/") ? path : `${cwd()}/${path}`;
  return {
    read: (path) =>
      plain(() => {
        if (tree.stat(full(path)).size > LARGEST) throw new FileError("EFBIG");
        return tree.readFile(full(path));
      }),
    open: (path, append) => plain(() => sinkOf(tree.open(full(path), { ...WRITE, truncate: !append }), append)),
    exists: (path) => tree.exists(full(path)),
    remove: (path) => plain(() => tree.removeFile(full(path))),
  };
}

/** Without the path: the caller adds it. */
function plain<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof FileError ? new FileError(error.code) : error;
  }
}

function sinkOf(file: OpenFile, append: boolean): Sink {
  let at = append ? file.stat().size : 0;
  return {
    write: (data) => {
      for (let done = 0; done < data.length;) {
        const count = file.write(data.subarray(done), at);
        if (count === 0) throw new FileError("EIO");
        done += count;
        at += count;
      }
    },
    close: () => file.close(),
  };
}

export function runError(error: SchemeError): RunError {
  const { type, line, column } = error;
  const message = error.hint ? `${error.message}\nhint: ${error.hint}` : error.message;
  return { type, message, line, column, traceback: tracebackOf(error, message) };
}

/** Outermost first, as in Python; what repeats is counted. */
function tracebackOf(error: SchemeError, message: string): string {
  const lines = error.trace.length > 0
    ? error.trace.map(({ procedure, source, line }) => `  ${source}:${line}${procedure ? `, in ${procedure}` : ""}`)
    : error.line === null
    ? []
    : [`  ${error.source}:${error.line}`];
  const shown: string[] = [];
  for (let i = lines.length - 1, repeated = 0; i >= 0; i--) {
    repeated = lines[i] === lines[i + 1] ? repeated + 1 : 0;
    if (repeated === 0) shown.push(lines[i]);
    else if (lines[i - 1] !== lines[i]) shown.push(`  (repeated ${repeated} more times)`);
  }
  return [...shown, `${error.type}: ${message}`].join("\n") + "\n";
}
