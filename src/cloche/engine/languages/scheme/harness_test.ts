/** What the tests share: an interpreter over files in memory, and tables of expressions with what they give. */

import { Exit, type Files, Interpreter, SchemeError, type SchemeServices } from "./interpreter.ts";

export class Bench {
  out = "";
  err = "";
  input: string[] = [];
  polls = 0;
  onPoll = () => {};
  readonly files = new Map<string, Uint8Array>();
  readonly interpreter: Interpreter;

  constructor(options: Partial<SchemeServices> = {}) {
    this.interpreter = new Interpreter({
      poll: () => {
        this.polls++;
        this.onPoll();
      },
      stdout: (text) => this.out += text,
      stderr: (text) => this.err += text,
      stdin: () => this.input.shift() ?? null,
      files: memoryFiles(this.files),
      process: { arguments: ["scheme", "a"], environment: { HOME: "/workspace" }, sleep: () => {} },
      ...options,
    });
  }

  run(code: string): string | null {
    return this.interpreter.show(this.interpreter.run(code, "<cell>"));
  }

  /** The value as text, or the kind of failure behind "!". */
  outcome(code: string): string {
    try {
      return this.run(code) ?? "null";
    } catch (error) {
      if (error instanceof SchemeError) return `!${error.type}`;
      if (error instanceof Exit) return `exit ${error.code}`;
      throw error;
    }
  }

  failure(code: string): SchemeError {
    try {
      this.run(code);
    } catch (error) {
      if (error instanceof SchemeError) return error;
      throw error;
    }
    throw new Error(`no error in ${code}`);
  }
}

function memoryFiles(files: Map<string, Uint8Array>): Files {
  const missing = () => new Error("no such file or directory");
  return {
    read: (path) => {
      const data = files.get(path);
      if (!data) throw missing();
      return data;
    },
    open: (path, append) => {
      const parts = append ? [...files.get(path) ?? []] : [];
      files.set(path, Uint8Array.from(parts));
      return {
        write: (data) => {
          for (const byte of data) parts.push(byte);
          files.set(path, Uint8Array.from(parts));
        },
        close: () => {},
      };
    },
    exists: (path) => files.has(path),
    remove: (path) => {
      if (!files.delete(path)) throw missing();
    },
  };
}

/** Each case is code up to `;=>` and what it gives; the cases of a table share an interpreter. */
export function checkTable(name: string, table: string): void {
  Deno.test(name, () => {
    const bench = new Bench();
    const wrong: string[] = [];
    for (const { code, expected } of casesOf(table)) {
      const got = bench.outcome(code);
      if (got !== expected) wrong.push(`${code}\n  expected ${expected}\n  got      ${got}`);
    }
    if (wrong.length > 0) throw new Error(`${wrong.length} wrong:\n${wrong.join("\n")}`);
  });
}

function casesOf(table: string): { code: string; expected: string }[] {
  const cases: { code: string; expected: string }[] = [];
  let lines: string[] = [];
  for (const line of table.split("\n")) {
    const at = line.indexOf(";=>");
    lines.push(at < 0 ? line : line.slice(0, at));
    if (at < 0) continue;
    cases.push({ code: lines.join("\n").trim(), expected: line.slice(at + 3).trim() });
    lines = [];
  }
  return cases;
}
