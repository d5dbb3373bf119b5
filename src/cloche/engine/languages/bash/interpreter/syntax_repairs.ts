/** Rewrites syntax that just-bash parses but executes wrongly. */
import { type CommandNode, parse, serialize, type WordNode } from "just-bash";
import { literalText } from "../streams/redirections.ts";

type Simple = CommandNode & { type: "SimpleCommand" };
type Part = WordNode["parts"][number];

/** A name no user can type: the command that only shows what its words expand to. */
export const PROBE = "\0words";

/** A word that is only what it says. */
export function plainWord(value: string): WordNode {
  return { type: "Word", parts: [{ type: "SingleQuoted", value }] };
}

/** `for x; do` goes over the arguments as they are; just-bash would split them at spaces. */
export function overArguments(node: CommandNode): CommandNode {
  if (node.type !== "For" || node.words) return node;
  const all: Part = { type: "ParameterExpansion", parameter: "@", operation: null };
  return { ...node, words: [{ type: "Word", parts: [{ type: "DoubleQuoted", parts: [all] }] }] };
}

/** A command that runs `PROBE` with a word. */
export function makeProbe(word: WordNode): Simple {
  const name: WordNode = { type: "Word", parts: [{ type: "Literal", value: PROBE }] };
  return { type: "SimpleCommand", assignments: [], name, args: [word], redirections: [] };
}

/** For a pattern such as `*` + `/`, which names folders only: the pattern before the slash. */
export function folderPattern(word: WordNode): WordNode | undefined {
  const last = word.parts.at(-1);
  if (last?.type !== "Literal" || !last.value.endsWith("/") || !word.parts.some((part) => part.type === "Glob")) {
    return undefined;
  }
  const rest: Part[] = last.value === "/" ? [] : [{ type: "Literal", value: last.value.slice(0, -1) }];
  return { type: "Word", parts: [...word.parts.slice(0, -1), ...rest] };
}

/** The pattern as written, which is what a pattern that matches nothing stands for. */
export function patternText(word: WordNode): string {
  return word.parts.map((part) => part.type === "Glob" ? part.pattern : part.type === "Literal" ? part.value : "").join(
    "",
  );
}

const DECLARES = new Set(["declare", "typeset", "local"]);

/**
 * Splits `declare -a x=("$@")` into the declaration and the assignment `x=("$@")`, in which just-bash expands lists;
 * undefined if there is nothing to split.
 */
export function splitDeclaration(node: CommandNode): { declaration: Simple; assignments: Simple } | undefined {
  if (node.type !== "SimpleCommand" || !node.name || !DECLARES.has(literalText(node.name) ?? "")) return undefined;
  const isArray = (word: WordNode) => {
    const [first] = word.parts;
    return first?.type === "Literal" && /^\w+\+?=\(/.test(first.value);
  };
  if (!node.args.some((word) => isArray(word) && word.parts.length > 1)) return undefined;
  const readonly = node.args.some((word) => /^-\w*[rn]/.test(literalText(word) ?? ""));
  if (readonly) return undefined;
  const nameOf = (word: WordNode): WordNode => {
    const [first] = word.parts;
    const name = first?.type === "Literal" ? first.value.match(/^\w+/)?.[0] ?? "" : "";
    return { type: "Word", parts: [{ type: "Literal", value: name }] };
  };
  const arrays = node.args.filter(isArray);
  const kind: WordNode = { type: "Word", parts: [{ type: "Literal", value: "-a" }] };
  const associative = node.args.some((word) => /^-\w*A/.test(literalText(word) ?? ""));
  const declaration: Simple = {
    ...node,
    args: [...(associative ? [] : [kind]), ...node.args.map((word) => isArray(word) ? nameOf(word) : word)],
  };
  const source = arrays.map(sourceOf).join(" ");
  const command = parse(source).statements[0]?.pipelines[0]?.commands[0];
  if (command?.type !== "SimpleCommand" || command.name) return undefined;
  return { declaration, assignments: command };
}

function sourceOf(word: WordNode): string {
  const inner = { type: "SimpleCommand" as const, assignments: [], name: plainWord("x"), args: [], redirections: [] };
  const text = (part: Part) => {
    if (part.type === "Literal") return part.value;
    const command = { ...inner, args: [{ type: "Word" as const, parts: [part] }] };
    const pipeline = { type: "Pipeline" as const, commands: [command], negated: false };
    const one = { type: "Statement" as const, pipelines: [pipeline], operators: [], background: false };
    return serialize({ type: "Script", statements: [one] }).trim().replace(/^'x' /, "");
  };
  return word.parts.map(text).join("");
}
