/** Keeps texts once that an event has twice, or shares with the action that it answers. */

import type { WireEvent } from "./wire.ts";

/** Shorter ones are not worth the look. */
const WORTH = 64;

/** Changes an event in place; what it says stays the same. */
export function shareTexts(event: WireEvent, action?: WireEvent): void {
  const given = event.args ?? {};
  if (isSame(event.message, event.content)) event.message = event.content;
  if (isSame(event.message, given["content"])) event.message = given["content"] as string;
  const { extras } = event;
  if (extras) {
    for (const key of ["command", "code", "path"]) {
      if (isSame(extras[key], action?.args?.[key])) extras[key] = action?.args?.[key];
    }
    if (isSame(extras["new_content"], action?.args?.["file_text"])) extras["new_content"] = action?.args?.["file_text"];
  }
  const call = event.tool_call_metadata?.["tool_call_id"];
  const before = action?.tool_call_metadata;
  if (call !== undefined && before?.["tool_call_id"] === call) event.tool_call_metadata = before;
}

function isSame(left: unknown, right: unknown): boolean {
  return typeof left === "string" && left.length > WORTH && left === right;
}
