/** mkfifo, and mknod as far as named pipes go. */
import { CommandError, UsageError } from "../tool/errors.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { readMode } from "./modes.ts";
import { quote } from "./paths.ts";

const MODE = { letters: "m:Z", long: { "mode=": "m", "context?": "Z" } };

export const mkfifo = defineFileTool("mkfifo", { ...MODE, synopsis: "[OPTION]... NAME..." }, (tool) => {
  if (tool.operands.length === 0) throw new UsageError("missing operand");
  for (const name of tool.operands) make(tool, `cannot create fifo ${quote(name)}`, name);
});

export const mknod = defineFileTool("mknod", { ...MODE, synopsis: "[OPTION]... NAME TYPE [MAJOR MINOR]" }, (tool) => {
  const [name, type, extra] = tool.operands;
  if (name === undefined) throw new UsageError("missing operand");
  if (type === undefined) throw new UsageError(`missing operand after ${quote(name)}`);
  if (type !== "p") throw new CommandError(`${name}: Operation not permitted`);
  if (extra !== undefined) throw new UsageError("Fifos do not have major and minor device numbers.");
  make(tool, name, name);
});

function make(tool: FileTool, what: string, name: string): void {
  const { umask } = tool.context;
  const text = tool.given.get("m");
  const mode = text === undefined ? 0o666 & ~umask : readMode(text, 0o666, false, umask);
  tool.try(what, () => tool.files.makeFifo(tool.path(name), mode));
}
