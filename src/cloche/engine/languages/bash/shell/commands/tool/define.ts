/** Commands from their options and what they do with them. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import type { Later } from "../../task.ts";
import { CommandError, HelpWanted, UsageError } from "./errors.ts";
import { type Given, readOptions, type Usage } from "./options.ts";
import { complain, Tool } from "./tool.ts";

type MakeTool<T extends Tool> = (context: CommandContext, name: string, given: Given) => T;
/** Changes the arguments before they are read. */
export type Rewrite = (args: string[], context: CommandContext) => string[];
type RunTool<T extends Tool> = (tool: T) => Later<number | void>;

/** A command. What it throws as an error becomes its message; what it printed is written first. */
export function defineTool(name: string, usage: Usage, run: RunTool<Tool>, rewrite?: Rewrite): Command {
  return defineToolOf((context, name, given) => new Tool(context, name, given), name, usage, run, rewrite);
}

/** A command whose calls are of a class of their own. */
export function defineToolOf<T extends Tool>(
  make: MakeTool<T>,
  name: string,
  usage: Usage,
  run: RunTool<T>,
  rewrite: Rewrite = (args) => args,
): Command {
  return {
    name,
    run(context) {
      let tool: T | undefined;
      const finish = (code: number | void): Later<number> => {
        const flushed = tool?.flush();
        const value = () => code ?? tool?.code ?? 0;
        return flushed instanceof Promise ? flushed.then(value) : value();
      };
      const refuse = (error: unknown): Later<number> => {
        const flushed = tool?.flush();
        const explain = () => explainError(context, name, usage, error);
        return flushed instanceof Promise ? flushed.then(explain) : explain();
      };
      try {
        const args = rewrite(context.argv.slice(1), context);
        tool = make(context, name, readOptions(name, args, usage));
        const code = run(tool);
        return code instanceof Promise ? code.then(finish).catch(refuse) : finish(code);
      } catch (error) {
        return refuse(error);
      }
    },
  };
}

/** Writes what an error has to say; its exit code. */
function explainError(context: CommandContext, name: string, usage: Usage, error: unknown): Later<number> {
  const { code = 1, hint = `'${name} --help'` } = usage;
  if (error instanceof HelpWanted) {
    const written = context.fds.get(1).write(toArray(encodeText(error.message)));
    return written instanceof Promise ? written.then(() => 0) : 0;
  }
  if (error instanceof FileError) {
    const path = error.path.startsWith(`${context.cwd}/`) ? error.path.slice(context.cwd.length + 1) : error.path;
    complain(context, `${name}: ${path === "" ? "" : `${path}: `}${reasonOf(error)}`);
    return code;
  }
  if (!(error instanceof CommandError) && !(error instanceof UsageError)) throw error;
  complain(context, `${name}: ${usage.named ? error.message.replaceAll("\n", `\n${name}: `) : error.message}`);
  if (error instanceof CommandError) return error.code;
  complain(context, `${usage.hintNamed ? `${name}: ` : ""}Try ${hint} for more information.`);
  return error.code ?? code;
}
