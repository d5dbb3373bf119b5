/** fold: lines cut to a width. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { BYTES } from "../tool/streams.ts";

const USAGE = {
  letters: "bsw:",
  long: { bytes: "b", spaces: "s", "width=": "w" },
};

const fold = defineTool("fold", USAGE, async (tool) => {
  const { given } = tool;
  const word = given.get("w") ?? "80";
  const width = /^\+?\d+$/.test(word) ? Number(word) : 0;
  if (width === 0) {
    const range = /^\+?0+$/.test(word) ? ": Numerical result out of range" : "";
    throw new CommandError(`invalid number of columns: '${word}'${range}`);
  }
  // GNU's counts bytes, whatever the locale.
  tool.out.coding = BYTES;
  await tool.eachFile(tool.inputs, async (stream) => {
    for await (const lines of tool.batches(stream, 10, BYTES)) {
      const end = tool.endsOpen ? lines.length - 1 : -1;
      lines.forEach((line, i) => {
        const text = foldLine(line, width, given.has("s"), given.has("b"));
        tool.print(i === end ? text : `${text}\n`);
      });
    }
  });
}, (args) => args.flatMap((arg) => /^-\d+$/.test(arg) ? [`-w${arg.slice(1)}`] : [arg]));

/** The column after a character that was written at another. */
function advance(column: number, char: string, bytes: boolean): number {
  if (bytes) return column + 1;
  if (char === "\b") return Math.max(0, column - 1);
  if (char === "\r") return 0;
  return char === "\t" ? column + 8 - column % 8 : column + 1;
}

function foldLine(line: string, width: number, atSpaces: boolean, bytes: boolean): string {
  let out = "";
  let start = 0;
  let column = 0;
  for (let at = 0; at < line.length; at++) {
    const next = advance(column, line[at], bytes);
    if (next <= width || at === start) {
      column = next;
      continue;
    }
    let cut = at;
    if (atSpaces) {
      const space = Math.max(line.lastIndexOf(" ", at - 1), line.lastIndexOf("\t", at - 1));
      if (space >= start) cut = space + 1;
    }
    out += `${line.slice(start, cut)}\n`;
    start = cut;
    column = 0;
    at = cut - 1;
  }
  return out + line.slice(start);
}

export const commands = [fold];
