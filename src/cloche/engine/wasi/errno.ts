/** WASI's error numbers. */

import { type Code, FileError } from "../fs/files.ts";

export const ERRNO = {
  SUCCESS: 0,
  EACCES: 2,
  EBADF: 8,
  EBUSY: 10,
  EEXIST: 20,
  EFAULT: 21,
  EFBIG: 22,
  EILSEQ: 25,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  ENAMETOOLONG: 37,
  ENOENT: 44,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTSUP: 58,
  EPERM: 63,
  EROFS: 69,
  ESPIPE: 70,
  EXDEV: 75,
} satisfies Record<Code, number> & Record<string, number>;

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
