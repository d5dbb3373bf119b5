/** Text without which an expression cannot match, so that most texts need not be looked at closely. */
import { parseRegex, type RegexNode, type SyntaxOptions } from "./syntax.ts";

/** The longest text that every match contains; empty if there is none. */
export function requiredText(source: string, options: SyntaxOptions): string {
  return longest(parseRegex(source, options).tree);
}

function longest(node: RegexNode): string {
  if (node.kind === "char") return String.fromCodePoint(node.code);
  if (node.kind === "group") return longest(node.item);
  if (node.kind === "repeat") return node.least > 0 ? longest(node.item) : "";
  if (node.kind !== "sequence") return "";
  let best = "";
  let run = "";
  for (const item of node.items) {
    run = item.kind === "char" ? run + String.fromCodePoint(item.code) : "";
    const found = item.kind === "char" ? run : longest(item);
    if (found.length > best.length) best = found;
  }
  return best;
}
