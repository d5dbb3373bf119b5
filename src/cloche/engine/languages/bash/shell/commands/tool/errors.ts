/** What ends a command early: its message, and its exit code. */

/** A reason why a command cannot continue. */
export class CommandError extends Error {
  constructor(message: string, readonly code = 1) {
    super(message);
  }
}

/** A wrong call: the message is followed by where to find help. The command's own code for it holds unless one is given. */
export class UsageError extends Error {
  constructor(message: string, readonly code?: number) {
    super(message);
  }
}

/** Asked for its help or its version. */
export class HelpWanted extends Error {}
