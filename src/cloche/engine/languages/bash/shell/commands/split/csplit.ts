/** csplit: cuts a file where lines match. */
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import { RegexError } from "../../../text/regex/syntax.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "b:f:kn:sqz",
  long: {
    "suffix-format=": "b",
    "prefix=": "f",
    "keep-files": "k",
    "digits=": "n",
    quiet: "q",
    silent: "q",
    "elide-empty-files": "z",
    "suppress-matched": "suppress",
  },
  synopsis: "[OPTION]... FILE PATTERN...",
};

interface Pattern {
  word: string;
  line: number | undefined;
  matcher: Matcher | undefined;
  /** Lines up to the match are left out. */
  skips: boolean;
  offset: number;
  times: number;
}

function readPatterns(words: string[]): Pattern[] {
  const patterns: Pattern[] = [];
  for (const word of words) {
    const repeat = /^\{(\d+|\*)\}$/.exec(word);
    const last = patterns.at(-1);
    if (repeat && last) {
      last.times = repeat[1] === "*" ? Infinity : Number(repeat[1]) + 1;
      continue;
    }
    const [whole, mark, source, offset] = /^([/%])((?:[^\\]|\\.)*)\1([-+]?\d+)?$/s.exec(word) ?? [];
    if (whole !== undefined) {
      patterns.push({
        word,
        line: undefined,
        matcher: compile(source),
        skips: mark === "%",
        offset: Number(offset ?? 0),
        times: 1,
      });
    } else if (/^\d+$/.test(word)) {
      if (Number(word) === 0) throw new CommandError(`${word}: line number must be greater than zero`);
      patterns.push({ word, line: Number(word), matcher: undefined, skips: false, offset: 0, times: 1 });
    } else if (/^[/%]/.test(word)) throw new CommandError(`${word}: closing delimiter '${word[0]}' missing`);
    else throw new CommandError(`${word}: invalid pattern`);
  }
  return patterns;
}

function compile(source: string): Matcher {
  try {
    return compileRegex(source, { extended: false });
  } catch (error) {
    if (error instanceof RegexError) throw new CommandError(`${source}: invalid regular expression: ${error.message}`);
    throw error;
  }
}

class Pieces {
  readonly names: string[] = [];

  constructor(private readonly tool: Tool) {}

  async write(lines: string[], ends: string): Promise<void> {
    const { tool } = this;
    const { given } = tool;
    if (given.has("z") && lines.length === 0) return;
    const number = String(this.names.length);
    const format = given.get("b");
    const suffix = format === undefined
      ? number.padStart(Number(given.get("n") ?? 2), "0")
      : format.replace(/%(0?)(\d*)[diu]/, (_, zero, width) =>
        number.padStart(Number(width || 0), zero === "" ? " " : "0"));
    const name = (given.get("f") ?? "xx") + suffix;
    const stream = tool.create(name);
    this.names.push(name);
    const text = lines.length === 0 ? "" : lines.join("\n") + ends;
    const bytes = tool.coding.encode(text);
    await stream.write(bytes);
    stream.close();
    if (!given.has("q") && !given.has("s")) tool.out.write(`${bytes.length}\n`);
  }

  remove(): void {
    if (this.tool.given.has("k")) return;
    const { files, cwd } = this.tool.context;
    for (const name of this.names) files.removeFile(files.resolve(cwd, name));
  }
}

const csplit = defineTool("csplit", USAGE, async (tool) => {
  const [name, ...words] = tool.given.operands;
  if (name === undefined) throw new UsageError("missing operand");
  if (words.length === 0) throw new UsageError(`missing operand after '${name}'`);
  const patterns = readPatterns(words);
  const text = await tool.readText(name);
  const open = text !== "" && !text.endsWith("\n");
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const pieces = new Pieces(tool);
  const suppress = tool.given.has("suppress");
  let at = 0;
  // A line that began a piece does not begin the next one too.
  let from = 0;
  const cut = async (to: number, skips: boolean) => {
    if (!skips) await pieces.write(lines.slice(at, to), to === lines.length && open ? "" : "\n");
    at = to;
  };
  try {
    for (const pattern of patterns) {
      for (let time = 0; time < pattern.times; time++) {
        if (pattern.line !== undefined) {
          const to = pattern.line * (time + 1) - 1;
          if (to > lines.length || to < at) {
            if (pattern.times === Infinity) break;
            await cut(lines.length, false);
            throw new CommandError(
              `'${pattern.word}': line number out of range${time > 0 ? ` on repetition ${time}` : ""}`,
            );
          }
          await cut(to, false);
          if (suppress) at++;
          from = at;
          continue;
        }
        let found = from;
        while (found < lines.length && !pattern.matcher?.test(lines[found])) found++;
        if (found >= lines.length) {
          if (pattern.times === Infinity) break;
          await cut(lines.length, pattern.skips);
          throw new CommandError(`'${pattern.word}': match not found${time > 0 ? ` on repetition ${time}` : ""}`);
        }
        const to = found + pattern.offset;
        if (to > lines.length || to < at) throw new CommandError(`'${pattern.word}': line number out of range`);
        await cut(to, pattern.skips);
        if (suppress && pattern.offset === 0) at++;
        from = found + 1;
      }
    }
    await cut(lines.length, false);
  } catch (error) {
    if (error instanceof CommandError) pieces.remove();
    throw error;
  }
});

export const commands = [csplit];
