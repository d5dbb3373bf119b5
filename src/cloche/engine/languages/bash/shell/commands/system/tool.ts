/** Commands of GNU's coreutils and the like: options, help, and the code of a wrong call. */
import { FileError } from "../../../../../fs/files.ts";
import { CommandError, type Options, readOptions } from "../../../commands/command.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import type { Later } from "../../task.ts";
import { complain } from "../options.ts";

export interface ToolOptions {
  letters?: string;
  long?: Record<string, string>;
  /** Options end at the first other argument. */
  strict?: boolean;
  /** The exit code of a wrong call. */
  wrong?: number;
  usage?: string;
  /** Changes the arguments before they are read. */
  rewrite?(args: string[], context: CommandContext): string[];
}

type Run = (context: CommandContext, given: Options) => Later<number>;

export function defineTool(name: string, options: ToolOptions, run: Run): Command {
  return {
    name,
    async run(context) {
      let args = context.argv.slice(1);
      try {
        args = options.rewrite?.(args, context) ?? args;
      } catch (error) {
        return refuse(context, name, error);
      }
      const until = options.strict ? Math.max(0, args.findIndex((arg) => !arg.startsWith("-"))) : args.length;
      const early = args.slice(0, until === 0 && args[0]?.startsWith("-") ? args.length : until);
      if (early[0] === "--help") return await print(context, `Usage: ${options.usage ?? `${name} [OPTION]...`}\n`);
      if (early[0] === "--version") return await print(context, `${name} (GNU coreutils) 9.1\n`);
      let given: Options;
      try {
        given = readOptions(args, options.letters ?? "", options.long, options.strict);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        complain(context, `${name}: ${error.message}\nTry '${name} --help' for more information.`);
        return options.wrong ?? 1;
      }
      try {
        return await run(context, given);
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

/** Writes text; the code is 0. */
export async function print(context: CommandContext, text: string): Promise<number> {
  await context.fds.get(1).write(toArray(encodeText(text)));
  return 0;
}

/** An error after which GNU's tools point to --help. */
export function wrongCall(name: string, message: string, code: number): CommandError {
  return new CommandError(`${message}\nTry '${name} --help' for more information.`, code);
}

/** Runs a command in place of this one; 127 if there is none. */
export async function runInstead(
  context: CommandContext,
  name: string,
  argv: string[],
  more: { env?: Record<string, string>; cwd?: string } = {},
): Promise<number> {
  if (!context.has(argv[0])) throw new CommandError(`${quote(name, argv[0])}: No such file or directory`, 127);
  return await context.spawn(argv, more).done;
}

function quote(name: string, word: string): string {
  return name === "time"
    ? `cannot run ${word}`
    : name === "nohup" || name === "timeout" || name === "stdbuf"
    ? `failed to run command '${word}'`
    : `'${word}'`;
}
