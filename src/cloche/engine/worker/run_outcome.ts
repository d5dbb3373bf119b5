/** What a worker adds to the outcome of a run, and the outcome of a run that failed in the worker itself. */

import { FatalError } from "../languages/language.ts";
import type { Outcome } from "../protocol.ts";

/** Adds the hint at the end of the message to the traceback too, which may be read alone. */
export function addHint(outcome: Outcome): Outcome {
  const { error } = outcome;
  const hint = error ? /\nhint: [^]*$/.exec(error.message)?.[0] : undefined;
  if (!error || hint === undefined || error.traceback === "" || error.traceback.includes(hint.trim())) return outcome;
  return { ...outcome, error: { ...error, traceback: error.traceback.trimEnd() + hint } };
}

/** Time and memory of a run, for languages that cannot measure lines. */
export function makeProfile(began: number, memory: number): Record<string, unknown> {
  return { duration_ms: performance.now() - began, memory_peak_kb: memory / 1024, lines: [], functions: [] };
}

/** The interpreter cannot be used any more. */
export function fatalOutcome(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return {
    value: null,
    error: {
      type: error instanceof FatalError ? error.type : "InternalError",
      message,
      line: null,
      column: null,
      traceback: "",
    },
    exitCode: 70,
  };
}
