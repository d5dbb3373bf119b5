/** nl. */
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import { RegexError } from "../../../text/regex/syntax.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";

const USAGE = {
  letters: "b:h:f:v:i:l:n:s:w:pd:",
  long: {
    "body-numbering=": "b",
    "header-numbering=": "h",
    "footer-numbering=": "f",
    "starting-line-number=": "v",
    "line-increment=": "i",
    "join-blank-lines=": "l",
    "number-format=": "n",
    "number-separator=": "s",
    "number-width=": "w",
    "no-renumber": "p",
    "section-delimiter=": "d",
  },
};

function styleOf(word: string, part: string): (line: string, blank: number, join: number) => boolean {
  if (word === "a") return (line, blank, join) => line !== "" || blank % join === 0;
  if (word === "t") return (line) => line !== "";
  if (word === "n") return () => false;
  if (!word.startsWith("p")) throw new CommandError(`invalid ${part} numbering style: '${word}'`);
  let matcher: Matcher;
  try {
    matcher = compileRegex(word.slice(1), { extended: false });
  } catch (error) {
    if (error instanceof RegexError) throw new CommandError(error.message);
    throw error;
  }
  return (line) => matcher.test(line);
}

const nl = defineTool("nl", USAGE, async (tool) => {
  const { given } = tool;
  const number = (key: string, otherwise: number, what: string, least = -Infinity) => {
    const word = given.get(key);
    if (word === undefined) return otherwise;
    if (!/^-?\d+$/.test(word) || Number(word) < least) throw new CommandError(`invalid ${what}: '${word}'`);
    return Number(word);
  };
  const styles = {
    header: styleOf(given.get("h") ?? "n", "header"),
    body: styleOf(given.get("b") ?? "t", "body"),
    footer: styleOf(given.get("f") ?? "n", "footer"),
  };
  const first = number("v", 1, "starting line number");
  const step = number("i", 1, "line number increment");
  const join = number("l", 1, "line number of blank lines", 1);
  const width = number("w", 6, "line number field width", 1);
  const separator = given.get("s") ?? "\t";
  const format = given.get("n") ?? "rn";
  if (!["ln", "rn", "rz"].includes(format)) throw new CommandError(`invalid line numbering format: '${format}'`);
  const mark = given.get("d") ?? "\\:";
  const delimiter = mark.length === 1 ? `${mark}:` : mark;
  const show = (value: number) => {
    if (format === "ln") return String(value).padEnd(width);
    if (format === "rn") return String(value).padStart(width);
    return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
  };
  let section: keyof typeof styles = "body";
  let next = first;
  let blank = 0;
  const sections: Record<string, keyof typeof styles> = {
    [delimiter.repeat(3)]: "header",
    [delimiter.repeat(2)]: "body",
    [delimiter]: "footer",
  };
  await tool.eachFile(tool.inputs, async (stream) => {
    for await (const lines of tool.batches(stream)) {
      for (const line of lines) {
        const begins = delimiter === "" ? undefined : sections[line];
        if (begins) {
          section = begins;
          if (!given.has("p")) next = first;
          tool.out.write("\n");
          continue;
        }
        blank = line === "" ? blank + 1 : 0;
        if (styles[section](line, blank, join)) {
          tool.out.write(`${show(next)}${separator}${line}\n`);
          next += step;
          blank = 0;
        } else tool.out.write(`${" ".repeat(width + separator.length)}${line}\n`);
      }
    }
  });
});

export const commands = [nl];
