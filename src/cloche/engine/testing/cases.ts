/** Runs the cases of a language and reports what differs; the same in Deno and in a browser. */

import type { RuntimeManager } from "../client/manager.ts";
import type { ExecuteResult } from "../client/base_runtime.ts";

export interface Case {
  name: string;
  /** Several cells, or one. */
  cells?: string[];
  code?: string;
  stdin?: string;
  env?: Record<string, string>;
  /** Files that exist before. */
  files?: Record<string, string>;
  /** What all cells together print. */
  stdout?: string;
  stderr?: string;
  /** Of the last cell, like everything below. */
  value?: string | null;
  error?: { type?: string; message?: string; line?: number; column?: number } | null;
  exit?: number;
}

/** Where cases run. */
export interface CaseHost {
  manager: RuntimeManager;
  write(path: string, text: string): void;
}

/** Returns what is not as expected, a line each. */
export async function runCase({ manager, write }: CaseHost, language: string, test: Case): Promise<string[]> {
  for (const [path, text] of Object.entries(test.files ?? {})) write(path, text);
  const printed = { stdout: "", stderr: "" };
  manager.setOutputCallback(({ type, message }) => {
    if (type === "stdout" || type === "stderr") printed[type] += message;
  });
  let result: ExecuteResult | undefined;
  for (const code of test.cells ?? [test.code ?? ""]) {
    result = await manager.executeIn(language, code, { stdin: test.stdin, environmentVariables: test.env });
  }
  if (!result) return ["no cell was run"];
  return [...compareOutput(test, printed), ...compareResult(test, result)];
}

function compareOutput(test: Case, printed: { stdout: string; stderr: string }): string[] {
  const streams = ["stdout", "stderr"] as const;
  return streams.flatMap((stream) => test[stream] === undefined ? [] : differ(stream, test[stream], printed[stream]));
}

function compareResult(test: Case, { returnValue, error, exitCode }: ExecuteResult): string[] {
  const wrong = test.value === undefined ? [] : differ("value", test.value, returnValue);
  if (test.exit !== undefined) wrong.push(...differ("exit", test.exit, exitCode));
  if (!test.error) return error ? [...wrong, `error: ${JSON.stringify(error)}`] : wrong;
  if (!error) return [...wrong, "error: there was none"];
  const { type, message, line, column } = test.error;
  if (type !== undefined) wrong.push(...differ("error's type", type, error.type));
  if (line !== undefined) wrong.push(...differ("error's line", line, error.line));
  if (column !== undefined) wrong.push(...differ("error's column", column, error.column));
  if (message !== undefined && !error.message.includes(message)) {
    wrong.push(...differ("message", message, error.message));
  }
  return wrong;
}

function differ(what: string, expected: unknown, actual: unknown): string[] {
  if (expected === actual) return [];
  return [`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`];
}
