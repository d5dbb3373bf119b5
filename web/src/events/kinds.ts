/** What the page knows of kinds of events: which are cards, which are quiet lines, which are executed. */

import { textAt, type WireEvent } from "./wire.ts";

/** Actions that nothing executes: no answer is awaited. */
const NOT_EXECUTED = new Set([
  "message",
  "system",
  "think",
  "finish",
  "reject",
  "delegate",
  "change_agent_state",
  "recall",
  "condensation",
  "condensation_request",
  "task_tracking",
  "loop_recovery",
  "upload",
  "null",
]);

const LINES: Record<string, (event: WireEvent) => string> = {
  agent_state_changed: (event) => describeState(event),
  change_agent_state: (event) => `${event.source ?? "somebody"} tells the agent: ${textAt(event.args, "agent_state")}`,
  system: (event) =>
    `instructions of the agent, ${textAt(event.args, "content").length.toLocaleString("en")} characters`,
  recall: (event) => event.message ?? "",
  condensation_request: (event) => event.message ?? "",
  null: () => "",
};

export function kindOf(event: WireEvent): string {
  return event.action ?? event.observation ?? (event.status === undefined ? "event" : "status");
}

/** Whether the event is only worth a quiet line. */
export function isLine(event: WireEvent): boolean {
  return event.status !== undefined || Object.hasOwn(LINES, kindOf(event));
}

/** What a quiet line says; "" for events that are not shown. */
export function describeLine(event: WireEvent): string {
  if (event.status !== undefined) return event.content ?? event.message ?? "";
  return LINES[kindOf(event)]?.(event) ?? "";
}

/** Whether a runtime executes the action, so that an observation will follow. */
export function isExecuted(event: WireEvent): boolean {
  return event.action !== undefined && !NOT_EXECUTED.has(event.action);
}

export function levelOf(event: WireEvent): string {
  return event.level ?? textAt(event.extras, "level");
}

function describeState(event: WireEvent): string {
  const reason = textAt(event.extras, "reason");
  const state = textAt(event.extras, "agent_state").replaceAll("_", " ");
  return `agent: ${state}${reason ? ` (${reason})` : ""}`;
}
