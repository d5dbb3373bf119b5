/** Decides whether a script is complete or more lines have to follow. */
import { parseScript } from "./shell/syntax/parser.ts";
import { ShellSyntaxError } from "./shell/syntax/scanner.ts";

type Status = "complete" | "incomplete" | "invalid";

/** An operator or a backslash at the end, after which more is to come. */
const OPEN_END = /(\||&&|(?<!\\)(?:\\\\)*\\)\s*$/;
const HEREDOC = /<<(-?)\s*(['"]?)(\w+)\2/g;

export function checkWhole(script: string): Status {
  if (isOpen(script)) return "incomplete";
  try {
    parseScript(script);
    return "complete";
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    return error.incomplete ? "incomplete" : "invalid";
  }
}

/** Whether the text itself says that more is to come; a script that ends there runs all the same. */
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
