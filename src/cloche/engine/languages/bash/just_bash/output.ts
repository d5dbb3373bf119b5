/** Lets a command of just-bash's interface write its output while it runs, wherever it goes. */
import type { CommandContext } from "just-bash";

/** Output of a running command; what is written arrives in order with the rest, redirected or piped as the user asked. */
export interface CommandOutput {
  /** The run that has begun the command; 0 if none has. */
  readonly run: number;
  /** True if standard output is shown immediately: not piped, redirected or substituted. */
  readonly live: boolean;
  /** True if standard output is seen at once on a terminal that shows colours. */
  readonly terminal: boolean;
  /** True if standard input is from the previous command of a pipeline. */
  readonly piped: boolean;
  /** True if both streams are seen at once, each as itself: neither is redirected. */
  readonly direct: boolean;
  /** True if both streams go to one place. */
  readonly together: boolean;
  /** True if standard output is a pipe or is collected for a substitution. */
  readonly pipe: boolean;
  /** True once the reader of standard output has left: stop writing. */
  readonly closed: boolean;
  stdout(data: Uint8Array | string): void;
  stderr(data: Uint8Array | string): void;
}

/** Key under which a command's context carries its output. */
export const OUTPUT: unique symbol = Symbol("cloche.command.output");

/** Where the output of the command that was given `ctx` goes. */
export function outputOf(ctx: Pick<CommandContext, "exec" | "cwd" | "env">): CommandOutput {
  const given = (ctx as { [OUTPUT]?: CommandOutput })[OUTPUT];
  if (!given) throw new Error("this command was not started by the shell");
  return given;
}
