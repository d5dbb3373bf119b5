/** Actions that a user makes, and what was made before. */

import { textAt, valueAt, type WireEvent } from "../../../events/wire.ts";

/** What is not code, but said to the agent. */
export const MESSAGE = "message";

export interface Sent {
  kind: string;
  text: string;
}

/** What runs a text: a command of bash, a cell of Python, code of another language. */
export function makeAction(language: string, text: string): object {
  if (language === "bash") return { action: "run", args: { command: text } };
  if (language === "python") return { action: "run_ipython", args: { code: text } };
  return { action: "run_code", args: { language, code: text } };
}

/** A line for the command that is running; keys are C-c and C-d, nothing asks for more output. */
export function makeInput(line: string, isInput = true): object {
  return { action: "run", args: { command: line, is_input: isInput } };
}

/** What the user sent in these events, the last first; the same again counts once. */
export function listSent(events: readonly WireEvent[]): Sent[] {
  const sent: Sent[] = [];
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at];
    const made = event && readSent(event);
    if (made && (made.text !== sent.at(-1)?.text || made.kind !== sent.at(-1)?.kind)) sent.push(made);
  }
  return sent;
}

function readSent(event: WireEvent): Sent | undefined {
  if (event.source !== "user" || valueAt(event.args, "is_input") === true) return undefined;
  const read = READ.get(event.action ?? "");
  const sent = read?.(event.args);
  return sent?.kind && sent.text ? sent : undefined;
}

const READ = new Map<string, (args: WireEvent["args"]) => Sent>([
  ["run", (args) => ({ kind: "bash", text: textAt(args, "command") })],
  ["run_ipython", (args) => ({ kind: "python", text: textAt(args, "code") })],
  ["run_code", (args) => ({ kind: textAt(args, "language"), text: textAt(args, "code") })],
  ["message", (args) => ({ kind: MESSAGE, text: textAt(args, "content") })],
]);
