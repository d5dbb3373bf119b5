/** Commands as bash prints them. */
import type { CommandNode, FunctionNode } from "./nodes.ts";

/** A command on one line. */
export function printCommand(node: CommandNode): string {
  if (node.type !== "Simple") return node.type;
  const assignments = node.assignments.map(({ name, append, value }) => `${name}${append ? "+=" : "="}${value?.text ?? ""}`);
  return [...assignments, ...node.words.map((word) => word.text)].join(" ");
}

export function printFunction(node: FunctionNode): string {
  return `${node.name} () \n{ \n}`;
}
