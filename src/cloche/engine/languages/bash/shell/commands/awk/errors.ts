/** How an awk program ends before its end. */

/** A mistake that ends the program, with its message; `line` is the line of the program, if it is known. */
export class AwkError extends Error {
  line = 0;

  constructor(message: string, readonly syntax = false) {
    super(message);
  }
}

/** Nobody reads standard output any more. */
export class BrokenPipe extends Error {}

/** `exit` in BEGINFILE or ENDFILE. */
export class ExitProgram extends Error {}
