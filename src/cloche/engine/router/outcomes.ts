/** Results for code that could not answer itself. */

import type { ExecResult, Outcome } from "../protocol.ts";

export const STUCK = "the code could not be interrupted: its worker was replaced, variables are gone, files are kept";

export function killedResult(why: string): ExecResult {
  return { exitCode: 137, stdout: new Uint8Array(0), stderr: new TextEncoder().encode(`killed: ${why}\n`) };
}

/** For a program that was ended from outside, as by a signal. */
export function stoppedResult(): ExecResult {
  return { exitCode: 143, stdout: new Uint8Array(0), stderr: new Uint8Array(0) };
}

/** For a program that there is no room for. */
export function refusedResult(name: string, why: string): ExecResult {
  const text = `${name}: ${why}\n`;
  return { exitCode: 126, stdout: new Uint8Array(0), stderr: new TextEncoder().encode(text) };
}

export function interruptedOutcome(why: string, exitCode = 137): Outcome {
  const error = { type: "KeyboardInterrupt", message: why, line: null, column: null, traceback: "" };
  return { value: null, error, exitCode };
}

export function unavailableOutcome(why: string): Outcome {
  return {
    value: null,
    error: { type: "LanguageUnavailable", message: why, line: null, column: null, traceback: "" },
    exitCode: 69,
  };
}
