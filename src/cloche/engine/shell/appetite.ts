/** How much input the next command of a pipeline will take, where that can be told from its words. */
import type { CommandNode } from "just-bash";
import { literal } from "./redirect.ts";

/** Lines or bytes after which a command reads no more. */
export interface Appetite {
  lines: number;
  bytes: number;
}

const ENDLESS: Appetite = { lines: Infinity, bytes: Infinity };

/** Knows `head`, and `sed 5q`, so that endless producers in front of them end. */
export function appetite(node: CommandNode | undefined): Appetite {
  if (node?.type !== "SimpleCommand" || !node.name) return ENDLESS;
  const name = literal(node.name);
  if (name !== "head" && name !== "sed") return ENDLESS;
  let text = "";
  for (const arg of node.args) {
    const word = literal(arg);
    if (word === undefined) return ENDLESS;
    text += ` ${word}`;
  }
  if (name === "sed") return { lines: Number(text.match(/^ (\d+)q$/)?.[1] ?? Infinity), bytes: Infinity };
  if (text === "") return { lines: 10, bytes: Infinity };
  const lines = text.match(/^ (?:-|-n ?|--lines=)(\d+)$/);
  if (lines) return { lines: Number(lines[1]), bytes: Infinity };
  const bytes = text.match(/^ (?:-c ?|--bytes=)(\d+)([kM]?)$/);
  if (!bytes) return ENDLESS;
  return { lines: Infinity, bytes: Number(bytes[1]) * ({ k: 1024, M: 1048576 }[bytes[2]] ?? 1) };
}
