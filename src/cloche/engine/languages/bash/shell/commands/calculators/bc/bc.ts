/** bc: arithmetic of any precision. */
import { FileError } from "../../../../../../fs/files.ts";
import type { OpenStream } from "../../../descriptors/stream.ts";
import { defineTool } from "../../tool/define.ts";
import { LineReader } from "../../tool/streams.ts";
import type { Tool } from "../../tool/tool.ts";
import { Halt, Machine } from "./machine.ts";
import { type Item, Mistake, Parser, Quit, Unfinished } from "./parser.ts";
import { readTokens, type Token } from "./tokens.ts";

const USAGE = {
  letters: "hilqsvw",
  long: { help: "h", interactive: "i", mathlib: "l", quiet: "q", standard: "s", version: "v", warn: "w" },
};
const HELP = `usage: bc [options] [file ...]
  -h  --help         print this usage and exit
  -i  --interactive  force interactive mode
  -l  --mathlib      use the predefined math routines
  -q  --quiet        don't print initial banner
  -s  --standard     non-standard bc constructs are errors
  -w  --warn         warn about non-standard bc constructs
  -v  --version      print version information and exit
`;
const LINE_LENGTH = 70;

/** The lines of a file, one at a time, each read when it is wanted: what follows belongs to others. */
type ReadLine = () => Promise<string | undefined>;

function linesOf(tool: Tool, reader: LineReader): ReadLine {
  const lines: string[] = [];
  return async () => {
    if (lines.length === 0) {
      await tool.flush();
      lines.push(...await reader.next() ?? []);
    }
    return lines.shift();
  };
}

class Program {
  #line = 1;

  constructor(
    private readonly tool: Tool,
    private readonly machine: Machine,
    private readonly name: string,
    private readonly readLine: ReadLine,
  ) {}

  async run(): Promise<void> {
    for (let line = await this.readLine(); line !== undefined; line = await this.readLine()) {
      for (const item of await this.#read(`${line}\n`)) {
        if (Array.isArray(item)) await this.machine.run(item);
        else this.machine.functions.set(item.name, item);
      }
    }
  }

  /** The items that begin in a line; more lines are read if they are needed. */
  async #read(text: string): Promise<Item[]> {
    for (;;) {
      const { list, illegal, open } = readTokens(text, this.#line);
      const end = list.at(-1)?.line ?? this.#line;
      const items = open === undefined && isBalanced(list) ? this.#parse(list) : undefined;
      const more = items ? undefined : await this.readLine();
      if (items || more === undefined) {
        for (const { character, line } of illegal) this.#report(line, `illegal character: ${character}`);
        if (!items) this.#reportEnd(open);
        this.#line = end;
        return items ?? [];
      }
      text += `${more}\n`;
    }
  }

  #reportEnd(open: string | undefined): void {
    if (open === "comment") this.tool.say("EOF encountered in a comment.");
    else this.#report(this.#line, open === "string" ? 'illegal character: "' : "syntax error");
  }

  /** Undefined if there must be more; none if there is a mistake. */
  #parse(list: Token[]): Item[] | undefined {
    const { functions } = this.machine;
    const items: Item[] = [];
    const isVoid = (name: string) =>
      items.some((item) => !Array.isArray(item) && item.name === name && item.isVoid) ||
      functions.get(name)?.isVoid === true;
    try {
      const parser = new Parser(list, isVoid);
      for (let item = parser.next(); item; item = parser.next()) items.push(item);
      return items;
    } catch (error) {
      if (error instanceof Unfinished) return undefined;
      if (!(error instanceof Mistake)) throw error;
      this.#report(error.line, error.message);
      return [];
    }
  }

  #report(line: number, message: string): void {
    this.tool.say(`${this.name} ${line}: ${message}`);
  }
}

function isBalanced(list: Token[]): boolean {
  let depth = 0;
  for (const { kind, text } of list) {
    if (kind === "mark") depth += text === "{" ? 1 : text === "}" ? -1 : 0;
  }
  return depth <= 0;
}

function lineLength({ BC_LINE_LENGTH: wanted = "" }: Readonly<Record<string, string>>): number {
  const length = /^\d+$/.test(wanted) ? Number(wanted) : LINE_LENGTH;
  return length === 0 || length >= 3 ? length : LINE_LENGTH;
}

const bc = defineTool("bc", USAGE, async (tool) => {
  const { given } = tool;
  if (given.has("h")) return tool.print(HELP);
  if (given.has("v")) return tool.print("bc 1.07.1 (this one is cloche's own)\n");
  const reader = new LineReader(tool.open("-"), tool.coding);
  const readInput = linesOf(tool, reader);
  const readNumber = async () => await readInput() ?? "";
  const machine = new Machine(tool, given.has("l"), lineLength(tool.context.env), readNumber);
  try {
    for (const name of tool.operands) {
      const stream = openProgram(tool, name);
      if (!stream) return 1;
      try {
        await new Program(tool, machine, name, linesOf(tool, new LineReader(stream, tool.coding))).run();
      } finally {
        stream.close();
      }
    }
    await new Program(tool, machine, "(standard_in)", readInput).run();
  } catch (error) {
    if (!(error instanceof Halt) && !(error instanceof Quit)) throw error;
  }
  return 0;
});

function openProgram(tool: Tool, name: string): OpenStream | undefined {
  try {
    return tool.open(name === "-" ? "./-" : name);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    tool.say(`File ${name} is unavailable.`);
  }
}

export const commands = [bc];
