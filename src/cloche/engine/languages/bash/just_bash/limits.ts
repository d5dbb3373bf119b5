/**
 * Limits for just-bash: none on honest work, since time and memory are bounded from outside. Those that stay keep a script
 * from using up all memory at once, or the stack; each of them fails the script and says which it was.
 */
import type { BashOptions } from "just-bash";

const FREE = Number.MAX_SAFE_INTEGER;
const HALF_GB = 512 * 1024 * 1024;

/** What one pipe, string or file in a script may hold. */
export const MAX_BYTES = HALF_GB;

/** How long a command may take to react to an interrupt before the shell continues without it. */
const REACTION_MS = 2000;

/** How deep calls, substitutions and child shells may nest before JavaScript's stack is in danger. */
const DEPTH = 2000;

export const LIMITS: BashOptions["executionLimits"] = {
  maxSourceBytes: MAX_BYTES,
  maxExecDepth: 500,
  maxCallDepth: DEPTH,
  maxSubstitutionDepth: 500,
  maxSourceDepth: DEPTH,
  maxCommandCount: FREE,
  maxLoopIterations: FREE,
  maxAwkIterations: FREE,
  maxAwkParserTokens: FREE,
  maxAwkParserDepth: DEPTH,
  maxAwkParserOperations: FREE,
  maxSedIterations: FREE,
  // jq collects the output of `repeat` before `limit` takes some of it: without a bound, it would take all memory.
  maxJqIterations: 10_000_000,
  maxQueryTokens: FREE,
  maxQueryDepth: 10_000,
  maxQueryElements: FREE,
  maxCsvRows: FREE,
  maxCsvCells: FREE,
  maxWorkUnits: FREE,
  maxTraversalEntries: FREE,
  maxTraversalDepth: DEPTH,
  maxTraversalWork: FREE,
  maxGlobOperations: FREE,
  maxArrayElements: 10_000_000,
  maxBraceExpansionResults: 5_000_000,
  maxLiveBytes: FREE,
  maxInputBytes: FREE,
  maxOutputSize: FREE,
  maxStringLength: MAX_BYTES,
  maxHeredocSize: MAX_BYTES,
  maxArchiveBytes: FREE,
  maxArchiveCompressedBytes: FREE,
  maxArchiveEntryBytes: MAX_BYTES,
  maxArchiveEntries: FREE,
  maxExecutionTimeMs: Infinity,
  maxExtensionCleanupTimeMs: REACTION_MS,
};
