/** Errors that leave SQLite's module usable. */

import { FileError } from "../../fs/files.ts";
import { SqlError } from "./database.ts";
import { CODE } from "./vm/exports.ts";

/** A command ended the session. */
export class Quit extends Error {
  override readonly name = "Quit";

  constructor(readonly code: number) {
    super("quit");
  }
}

/** Something failed at a position in the text. */
export class Failed extends Error {
  override readonly name = "Failed";

  /** `file` names the source of the code, if it is a file. */
  constructor(
    override readonly cause: Error,
    readonly text: Uint8Array,
    readonly from: number,
    readonly file: string | null,
  ) {
    super(cause.message);
  }
}

/** A dot command failed. */
export class DotError extends Error {
  override readonly name = "DotError";
}

/** Whether the user's text is to blame, or the files it names. */
export function isFailure(error: unknown): error is Error {
  return error instanceof SqlError || error instanceof DotError || error instanceof FileError;
}

export function isInterrupt(error: unknown): boolean {
  const cause = error instanceof Failed ? error.cause : error;
  return cause instanceof SqlError && cause.primary === CODE.interrupt;
}
