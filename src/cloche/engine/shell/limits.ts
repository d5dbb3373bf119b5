/** Limits for just-bash: none on honest work, since time and memory are bounded from outside. */
import type { BashOptions } from "just-bash";

const FREE = Number.MAX_SAFE_INTEGER;
const HALF_GB = 512 * 1024 * 1024;

/** What one pipe, string or file in a script may hold. */
export const MAX_BYTES = HALF_GB;

/** How long a command may take to react to an interrupt before the shell goes on without it. */
const REACTION_MS = 2000;

export const LIMITS: BashOptions["executionLimits"] = {
  maxCallDepth: 2000,
  maxCommandCount: FREE,
  maxLoopIterations: FREE,
  maxAwkIterations: FREE,
  maxSedIterations: FREE,
  maxJqIterations: FREE,
  maxQueryElements: FREE,
  maxCsvRows: FREE,
  maxCsvCells: FREE,
  maxWorkUnits: FREE,
  maxTraversalEntries: FREE,
  maxTraversalWork: FREE,
  maxGlobOperations: FREE,
  maxArrayElements: 10_000_000,
  maxBraceExpansionResults: 10_000_000,
  maxLiveBytes: FREE,
  maxInputBytes: FREE,
  maxOutputSize: FREE,
  maxStringLength: MAX_BYTES,
  maxHeredocSize: MAX_BYTES,
  maxArchiveEntries: FREE,
  maxExecutionTimeMs: Infinity,
  maxExtensionCleanupTimeMs: REACTION_MS,
};
