/** Parts of the syntax tree that the shell makes itself. */
import type { CommandNode, ExecResult, StatementNode } from "just-bash";
import { literalText } from "../streams/redirections.ts";

/** Key of a statement that is not parsed but carries what to do. */
const ACTION: unique symbol = Symbol("cloche.action");

type Action = () => Promise<ExecResult>;

/** A statement that runs a function. */
export function makeStatement(action: Action): StatementNode {
  const node = { type: "Statement", pipelines: [], operators: [], background: false, [ACTION]: action };
  return node as StatementNode;
}

/** The function of a statement that `makeStatement` made. */
export function actionOf(node: StatementNode): Action | undefined {
  return (node as { [ACTION]?: Action })[ACTION];
}

/** Moves the redirections of a function definition to its body, where they are done at each call. */
export function withBodyRedirected(node: CommandNode & { type: "FunctionDef" }): CommandNode {
  if (node.redirections.length === 0) return node;
  const inner = { type: "Pipeline" as const, commands: [node.body], negated: false };
  const body = [{ type: "Statement" as const, pipelines: [inner], operators: [], background: false }];
  return { ...node, redirections: [], body: { type: "Group", body, redirections: node.redirections } };
}

/** `exec` with nothing but redirections, or redirections alone: just-bash keeps or drops them as it should. */
export function isBareExec(node: CommandNode): boolean {
  return node.type === "SimpleCommand" && (!node.name || (node.args.length === 0 && literalText(node.name) === "exec"));
}

/** Whether a failure of the statement is that of a command, not one already seen inside a loop or group. */
export function isFinal(node: StatementNode): boolean {
  const type = node.pipelines.at(-1)?.commands.at(-1)?.type;
  return type !== undefined && !/^(If|For|CStyleFor|While|Until|Case|Group)$/.test(type);
}
