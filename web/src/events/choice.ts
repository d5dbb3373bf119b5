/** Which events one wants to see. */

import type { Card } from "./cards.ts";
import { isLine, kindOf } from "./kinds.ts";

export interface Choice {
  kind: keyof typeof KINDS;
  text: string;
}

export const KINDS = {
  all: () => true,
  messages: ({ event }: Card) => /^(message|think|finish|reject|delegate)$/.test(kindOf(event)),
  commands: ({ event }: Card) => event.action === "run",
  code: ({ event }: Card) => event.action === "run_ipython" || event.action === "run_code",
  files: ({ event }: Card) => /^(read|write|edit|mkdir|rmdir|rm|move|upload|list_files|copy_\w+)$/.test(kindOf(event)),
  agent: ({ event }: Card) => event.source === "agent",
  user: ({ event }: Card) => event.source === "user",
  failures: (card: Card) => hasFailed(card),
  status: ({ event }: Card) => isLine(event),
} as const;

export const ALL: Choice = { kind: "all", text: "" };

/** Whether its action did not succeed. */
export function hasFailed({ event, answer }: Card): boolean {
  const last = answer ?? event;
  const code = (last.extras?.["metadata"] as { exit_code?: number } | undefined)?.exit_code ??
    last.extras?.["exit_code"];
  return last.observation === "error" || event.level === "error" || event.extras?.["level"] === "error" ||
    (typeof code === "number" && code > 0) || isRefused(last);
}

/** A question to each card; undefined if all are wanted. */
export function makeTest({ kind, text }: Choice): ((card: Card) => boolean) | undefined {
  const wanted = text.trim();
  const isKind = KINDS[kind];
  if (!wanted) return kind === "all" ? undefined : isKind;
  const pattern = makePattern(wanted);
  const number = /^#\d+$/.test(wanted) ? Number(wanted.slice(1)) : undefined;
  return (card) =>
    isKind(card) && (number === undefined ? says(card, pattern) : card.id === number || card.answer?.id === number);
}

/** Finds a text as it is, in small letters or large. */
export function makePattern(text: string, flags = "i"): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags);
}

function says({ event, answer }: Card, pattern: RegExp): boolean {
  return [event, answer].some((each) =>
    each &&
    (pattern.test(each.message ?? "") || (each.content !== each.message && pattern.test(each.content ?? "")) ||
      hasText(each.args, pattern, 0) || hasText(each.extras, pattern, 0))
  );
}

/** Whether any text of a value, but not the names in it, fits. */
function hasText(value: unknown, pattern: RegExp, depth: number): boolean {
  if (typeof value === "string") return pattern.test(value);
  if (typeof value !== "object" || value === null || depth > 8) return false;
  for (const each of Object.values(value)) if (hasText(each, pattern, depth + 1)) return true;
  return false;
}

/** Whether an edit or a view failed. */
function isRefused({ observation, content, extras }: Card["event"]): boolean {
  if (observation !== "edit" && (observation !== "read" || extras?.["impl_source"] !== "oh_aci")) return false;
  return content?.startsWith("ERROR:\n") ?? false;
}
