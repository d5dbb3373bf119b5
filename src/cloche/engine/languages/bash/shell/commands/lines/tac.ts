/** tac and rev. */
import { compileRegex } from "../../../text/regex/regex.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";

const TAC = { letters: "brs:", long: { before: "b", regex: "r", "separator=": "s" } };

const tac = defineTool("tac", TAC, async (tool) => {
  const { given } = tool;
  const separator = given.get("s") ?? "\n";
  if (separator === "" && given.has("r")) throw new CommandError("separator cannot be empty");
  const mark = separator === "" ? "\0" : separator;
  const split = given.has("r") ? splitByRegex(mark) : (text: string) => splitByText(text, mark);
  await tool.eachFile(
    tool.inputs,
    async (_, name) => {
      const text = await tool.readText(name);
      const { pieces, marks } = split(text);
      const before = given.has("b");
      const parts = before
        ? pieces.map((piece, i) => (i === 0 ? "" : marks[i - 1]) + piece)
        : pieces.map((piece, i) => piece + (marks[i] ?? ""));
      for (let i = parts.length - 1; i >= 0; i--) {
        tool.out.write(parts[i]);
        if (tool.out.full) await tool.out.flush();
      }
    },
    (name, reason) =>
      reason === "Is a directory"
        ? `${name}: read error: ${reason}`
        : `failed to open '${name}' for reading: ${reason}`,
  );
});

interface Parts {
  pieces: string[];
  marks: string[];
}

function splitByText(text: string, mark: string): Parts {
  const pieces = text.split(mark);
  return { pieces, marks: pieces.slice(1).map(() => mark) };
}

function splitByRegex(source: string): (text: string) => Parts {
  const matcher = compileRegex(source, { extended: false, escapes: true });
  return (text) => {
    const pieces: string[] = [];
    const marks: string[] = [];
    let from = 0;
    for (let match = matcher.find(text, 0); match; match = matcher.find(text, from)) {
      if (match.end === match.start) break;
      pieces.push(text.slice(from, match.start));
      marks.push(text.slice(match.start, match.end));
      from = match.end;
    }
    pieces.push(text.slice(from));
    return { pieces, marks };
  };
}

const rev = defineTool("rev", { letters: "0", long: { zero: "0" } }, async (tool) => {
  const end = tool.given.has("0") ? 0 : 10;
  const mark = String.fromCharCode(end);
  await tool.eachFile(tool.inputs, async (stream) => {
    for await (const lines of tool.batches(stream, end)) {
      const text = lines.map((line) => [...line].reverse().join("")).join(mark);
      tool.out.write(tool.endsOpen ? text : text + mark);
    }
  }, (name, reason) => `cannot open ${name}: ${reason}`);
});

export const commands = [tac, rev];
