/** look: lines that begin with a string. */
import { defineTool } from "../tool/define.ts";
import { UsageError } from "../tool/errors.ts";

const USAGE = {
  letters: "adft:",
  long: { alternative: "a", alphanum: "d", "ignore-case": "f", "terminate=": "t" },
  synopsis: "[options] <string> [<file>...]",
};
const WORDS = "/usr/share/dict/words";

const look = defineTool("look", USAGE, async (tool) => {
  const { given } = tool;
  const [text, file = WORDS, extra] = tool.operands;
  if (text === undefined || extra !== undefined) throw new UsageError("bad usage");
  const plain = given.has("d") || file === WORDS;
  const folds = given.has("f") || file === WORDS;
  const key = (line: string) => {
    const letters = plain ? line.replace(/[^\p{L}\p{Nd} \t]/gu, "") : line;
    return folds ? letters.toLowerCase() : letters;
  };
  const end = given.get("t");
  const stop = end === undefined ? -1 : text.indexOf(end);
  const wanted = key(stop < 0 ? text : text.slice(0, stop + 1));
  let found = false;
  for await (const lines of tool.batches(tool.open(file))) {
    for (const line of lines) {
      if (!key(line).startsWith(wanted)) continue;
      tool.print(`${line}\n`);
      found = true;
    }
  }
  return found ? 0 : 1;
});

export const commands = [look];
