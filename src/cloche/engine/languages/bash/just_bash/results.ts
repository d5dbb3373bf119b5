/** Results of commands of just-bash's interface. */
import type { ExecResult } from "just-bash";
import { decodeStrictly, isBytes } from "../text/byte_strings.ts";

/** The result of a command that wrote nothing. */
export function emptyResult(exitCode: number): ExecResult {
  return { stdout: "", stderr: "", exitCode };
}

/** The result of a command that only failed with a message. */
export function failure(message: string, exitCode = 1): ExecResult {
  return { stdout: "", stderr: message + "\n", exitCode };
}

/**
 * Input that is no UTF-8 is read by just-bash's text commands byte by byte: what they print of it then is bytes again.
 */
export function sameEncoding(result: ExecResult, stdin: string): ExecResult {
  const { stdout, stdoutKind, stdoutEncoding } = result;
  if (stdin === "" || stdout === "" || stdoutKind === "bytes" || stdoutEncoding === "binary") return result;
  return !isBytes(stdin) || decodeStrictly(stdin) !== undefined || !isBytes(stdout)
    ? result
    : { ...result, stdoutKind: "bytes" };
}
