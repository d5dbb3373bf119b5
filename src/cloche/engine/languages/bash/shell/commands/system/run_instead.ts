/** Running a command in place of another. */
import type { CommandContext } from "../../processes/command.ts";
import { CommandError } from "../tool/errors.ts";

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
