/** Where an error is, as the editor marks it. */

import type { Diagnostic } from "../../editor/props.ts";
import type { RunError } from "../engine/engine_types.ts";

const NONE: Diagnostic[] = [];
const marks = new WeakMap<RunError, Diagnostic[]>();

/** The same list for the same error: the editor marks it once. */
export function markError(error: RunError | null): Diagnostic[] {
  if (!error?.line) return NONE;
  const known = marks.get(error) ??
    [{
      line: error.line,
      column: error.column,
      message: `${error.type}: ${error.message}`,
      severity: "error" as const,
    }];
  marks.set(error, known);
  return known;
}
