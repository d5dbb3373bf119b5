/** Decides whether a script is complete or more lines have to follow. */
import { parse } from "just-bash";

type Status = "complete" | "incomplete" | "invalid";

const OPEN_END = /(\||&&|(?<!\\)(?:\\\\)*\\)\s*$/;
const HEREDOC = /<<(-?)\s*(['"]?)(\w+)\2/g;
const AT = /Parse error at (\d+):(\d+)/;

export function checkWhole(script: string): Status {
  if (isOpen(script)) return "incomplete";
  try {
    parse(script);
    return "complete";
  } catch (error) {
    return lacksEnd(error instanceof Error ? error.message : String(error), script) ? "incomplete" : "invalid";
  }
}

/** Whether the text itself says that more is to come: an operator at its end, a here-document without end. */
function isOpen(script: string): boolean {
  const lines = script.split("\n");
  if (OPEN_END.test(lines[lines.length - 1])) return true;
  return lines.some((line, index) =>
    [...line.matchAll(HEREDOC)].some(([_, dash, __, word]) => {
      const rest = lines.slice(index + 1);
      return !rest.some((each) => (dash ? each.replace(/^\t+/, "") : each) === word);
    })
  );
}

/** Whether the parser complains that the text ended too early. */
function lacksEnd(message: string, script: string): boolean {
  if (/unexpected EOF|got EOF/.test(message)) return true;
  const found = AT.exec(message);
  if (found === null) return false;
  const lines = script.split("\n");
  const [line, column] = [Number(found[1]), Number(found[2])];
  const end = lines[lines.length - 1].length + 1;
  return line > lines.length || (line === lines.length && column >= end);
}
