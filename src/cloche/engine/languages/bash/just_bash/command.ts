/** Helpers for commands behind just-bash's interface: input, results, errors. */
import type { Command, ExecResult, ResolvedCommandContext } from "just-bash";
import { encodeText, fromArray } from "../text/byte_strings.ts";
import { CommandError, HelpWanted } from "../shell/commands/tool/errors.ts";
import { reasonOf } from "../text/file_errors.ts";
import { failure } from "./results.ts";

export type Context = ResolvedCommandContext;

export { CommandError };

/** A command; what it throws becomes its error message. */
export function defineCommand(
  name: string,
  run: (args: string[], ctx: Context) => Promise<ExecResult> | ExecResult,
): Command {
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      try {
        return await run(args, ctx);
      } catch (error) {
        if (error instanceof HelpWanted) return textResult(error.message);
        if (error instanceof CommandError) return failure(`${name}: ${error.message}`, error.code);
        throw error;
      }
    },
  };
}

/** Stands for a command until its module is loaded. */
export function loadLater(name: string, load: () => Promise<Command>): Command {
  let command: Command | undefined;
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      command ??= await load();
      return await command.execute(args, ctx);
    },
  };
}

/** A result whose output is text. */
export function textResult(stdout: string, exitCode = 0, stderr = ""): ExecResult {
  return { stdout: encodeText(stdout), stdoutKind: "bytes", stderr, exitCode };
}

/** Standard input as a byte string: just-bash's own type for those is a string that was marked. */
export function stdinOf(ctx: Context): string {
  return ctx.stdin as unknown as string;
}

/** An absolute path. */
export function pathOf(ctx: Context, path: string): string {
  return ctx.fs.resolvePath(ctx.cwd, path);
}

/** A file ("-" or none: standard input) as a byte string. */
export async function readInput(ctx: Context, path = "-"): Promise<string> {
  if (path === "-" || path === "/dev/stdin") return stdinOf(ctx);
  const whole = pathOf(ctx, path);
  try {
    if ((await ctx.fs.stat(whole)).isDirectory) throw new CommandError(`${path}: Is a directory`);
    return fromArray(await ctx.fs.readFileBuffer(whole));
  } catch (error) {
    throw asCommandError(error, path);
  }
}

/** Says in the usual words what the file system says in its own. */
export function asCommandError(error: unknown, path: string): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(`${path}: ${reasonOf(error)}`);
}

/** The lines of a text, without their ends. */
export function linesOf(text: string, end = "\n"): string[] {
  if (text === "") return [];
  const lines = text.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Stops here if the script was interrupted; loops over much input call it now and then. */
export function checkInterrupt(ctx: Context): void {
  ctx.executionScope?.throwIfAborted();
}
