/** sed. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { resolvePath } from "../../processes/system_files.ts";
import { runTask, type Task, wait } from "../../task.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { Writer } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import { SedMachine, SedOutput } from "./execute.ts";
import { SedInput } from "./input.ts";
import { parseScript, type Source } from "./parse.ts";
import type { SedCommand } from "./script.ts";

const USAGE = {
  letters: "ne:f:Eri::l:suz",
  long: {
    quiet: "n",
    silent: "n",
    "expression=": "e",
    "file=": "f",
    "regexp-extended": "E",
    "in-place?": "i",
    "line-length=": "l",
    separate: "s",
    unbuffered: "u",
    "null-data": "z",
    "zero-terminated": "z",
    sandbox: "sandbox",
    "follow-symlinks": "follow",
  },
  synopsis: "[OPTION]... {script-only-if-no-other-script} [input-file]...",
};

const MOST_LINKS = 40;

async function readSources(tool: Tool, operands: string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const [key, value = ""] of tool.given.list) {
    if (key === "e") sources.push({ text: value, name: `-e expression #${sources.length + 1}` });
    if (key !== "f") continue;
    try {
      sources.push({ text: await tool.readText(value), name: `file ${value}` });
    } catch (error) {
      if (error instanceof FileError) throw new CommandError(`couldn't open file ${value}: ${reasonOf(error)}`);
      throw error;
    }
  }
  if (sources.length > 0) return sources;
  const text = operands.shift();
  if (text === undefined) throw new UsageError("no script given");
  return [{ text, name: "-e expression #1" }];
}

/** Edits files in their place: what is printed goes to a new file that takes the old one's name. */
class InPlace {
  #target: { path: string; writer: Writer; temporary: string } | undefined;

  constructor(private readonly tool: Tool, private readonly suffix: string, private readonly end: string) {}

  enter(name: string, machine: SedMachine): void {
    const { context, coding } = this.tool;
    const path = this.#follow(context.files.resolve(context.cwd, name));
    const temporary = `${path.slice(0, path.lastIndexOf("/") + 1)}sed${context.pid}${
      Math.random().toString(36).slice(2, 8)
    }`;
    const writer = new Writer(this.tool.create(temporary), coding);
    context.files.chmod(temporary, context.files.stat(path).mode & 0o7777);
    this.#target = { path, writer, temporary };
    machine.output = new SedOutput(writer, this.end);
  }

  /** Where a link leads, if links are to be followed. */
  #follow(path: string): string {
    const { files } = this.tool.context;
    if (!this.tool.given.has("follow")) return path;
    let at = path;
    for (let i = 0; i < MOST_LINKS && files.lstat(at).kind === "link"; i++) {
      at = resolvePath(at.slice(0, at.lastIndexOf("/")) || "/", files.readLink(at));
    }
    return at;
  }

  *leave(): Task<void> {
    const { files } = this.tool.context;
    if (!this.#target) return;
    const { path, writer, temporary } = this.#target;
    this.#target = undefined;
    yield* wait(writer.flush());
    writer.stream.close();
    if (this.suffix !== "") files.rename(path, this.#backup(path));
    files.rename(temporary, path);
  }

  #backup(path: string): string {
    const slash = path.lastIndexOf("/") + 1;
    const base = path.slice(slash);
    const name = this.suffix.includes("*") ? this.suffix.replaceAll("*", base) : base + this.suffix;
    return name.includes("/")
      ? this.tool.context.files.resolve(this.tool.context.cwd, name)
      : path.slice(0, slash) + name;
  }
}

const sed = defineTool("sed", USAGE, async (tool) => {
  const { given } = tool;
  const operands = [...given.operands];
  const { commands, quiet } = parseScript(await readSources(tool, operands), given.has("E") || given.has("r"));
  const isUnsafe = ({ name, substitution }: SedCommand) =>
    "erRwW".includes(name) || substitution?.executes || substitution?.file !== undefined;
  if (given.has("sandbox") && commands.some(isUnsafe)) {
    throw new CommandError("-e expression #1, char 0: e/r/w commands disabled in sandbox mode");
  }
  if (given.has("i") && operands.length === 0) throw new CommandError("no input files", 4);
  const end = given.has("z") ? "\0" : "\n";
  const inPlace = given.has("i") ? new InPlace(tool, given.get("i") ?? "", end) : undefined;
  const machine = new SedMachine(tool, commands, {
    quiet: quiet || given.has("n"),
    end,
    width: Number(given.get("l") ?? 70),
    unbuffered: given.has("u"),
  });
  const input = new SedInput(
    tool,
    operands.length > 0 ? operands : ["-"],
    inPlace !== undefined || given.has("s"),
    end.charCodeAt(0),
    (name) => inPlace?.enter(name, machine),
    () => inPlace?.leave() ?? noTask(),
  );
  return await runTask(machine.run(input));
});

function* noTask(): Task<void> {}

export const commands = [sed];
