/** The outline of a script: its simple commands with their literal words, for a judge who reads it in his own way. */
import type { WordNode, WordPart } from "./nodes.ts";
import { parseScript } from "./parser.ts";
import { type ParseOptions, ShellSyntaxError } from "./scanner.ts";

/** The words of a command after quotes are removed; null where something is expanded. */
type Words = (string | null)[];

export interface Outline {
  /** False if the script has a syntax error. */
  readable: boolean;
  /** In the order in which they stand; those of substitutions and functions too. */
  commands: Words[];
}

/** Their arguments are assignments, which say little. */
const DECLARING = new Set(["declare", "typeset", "export", "readonly", "local", "unset", "unsetenv"]);
/** An outline longer than this is of no use to anybody. */
const MOST = 20_000;

export function outlineScript(text: string, options?: ParseOptions): Outline {
  const commands: Words[] = [];
  try {
    collect(parseScript(text, options), commands);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError || error instanceof RangeError)) throw error;
    return { readable: false, commands: [] };
  }
  return { readable: commands.length <= MOST, commands: commands.slice(0, MOST) };
}

function collect(node: unknown, found: Words[]): void {
  if (found.length > MOST || typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) return node.forEach((each) => collect(each, found));
  if (isSimple(node) && node.words.length > 0) found.push(wordsOf(node.words));
  for (const [name, value] of Object.entries(node)) {
    // The same again as the parts of its word.
    if (name !== "assignment") collect(value, found);
  }
}

function isSimple(node: object): node is { words: WordNode[] } {
  return "type" in node && node.type === "Simple";
}

function wordsOf(words: WordNode[]): Words {
  const all = words.map((word) => textOf(word.parts));
  return DECLARING.has(all[0] ?? "") ? all.slice(0, 1) : all;
}

function textOf(parts: WordPart[]): string | null {
  let text = "";
  for (const part of parts) {
    const more = textOfPart(part);
    if (more === null) return null;
    text += more;
  }
  return text;
}

function textOfPart(part: WordPart): string | null {
  switch (part.type) {
    case "Literal":
    case "Quoted":
      return part.value;
    case "DoubleQuoted":
      return textOf(part.parts);
    case "Tilde":
      return part.user === "" ? "~" : null;
    default:
      return null;
  }
}
