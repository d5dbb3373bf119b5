/** WASI's error numbers. */

import { ERRNO as FILE_ERRNO, FileError } from "../fs/files.ts";

export const ERRNO = {
  ...FILE_ERRNO,
  SUCCESS: 0,
  EFAULT: 21,
  EILSEQ: 25,
  EINTR: 27,
  ENOSYS: 52,
  ENOTSUP: 58,
  ESPIPE: 70,
};

/** Wraps a call that returns only an error number. */
class Refused extends Error {
  override readonly name = "Refused";

  constructor(readonly errno: number) {
    super(`WASI error ${errno}`);
  }
}

export function throwErrno(code: keyof typeof ERRNO): never {
  throw new Refused(ERRNO[code]);
}

/** The error number for the program; anything that is not a failed call is rethrown. */
export function errnoOf(error: unknown): number {
  if (error instanceof Refused) return error.errno;
  if (error instanceof FileError) return ERRNO[error.code];
  throw error;
}
