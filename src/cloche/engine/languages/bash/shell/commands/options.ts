/** Options and messages of commands. */
import { FileError } from "../../../../fs/files.ts";
import { CommandError, type Options, readOptions } from "../../commands/command.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { encodeText, toArray } from "../../text/byte_strings.ts";
import type { Command, CommandContext } from "../processes/command.ts";
import type { Later } from "../task.ts";

/** A command whose options are read first; what it throws as a CommandError or FileError becomes its message. */
export function defineStreaming(
  name: string,
  letters: string,
  long: Record<string, string>,
  run: (context: CommandContext, given: Options) => Later<number>,
): Command {
  return {
    name,
    run(context) {
      try {
        const code = run(context, readOptions(context.argv.slice(1), letters, long));
        return code instanceof Promise ? code.catch((error) => refuse(context, name, error)) : code;
      } catch (error) {
        return refuse(context, name, error);
      }
    },
  };
}

function refuse(context: CommandContext, name: string, error: unknown): number {
  if (!(error instanceof CommandError) && !(error instanceof FileError)) throw error;
  complain(context, `${name}: ${error instanceof CommandError ? error.message : reasonOf(error)}`);
  return error instanceof CommandError ? error.code : 1;
}

export function complain(context: CommandContext, text: string): void {
  const written = context.fds.find(2)?.write(toArray(encodeText(`${text}\n`)));
  if (written instanceof Promise) written.catch(() => {});
}
