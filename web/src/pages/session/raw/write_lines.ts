/** Events as lines of JSON, some at a time: the page stays usable meanwhile. */

import type { WireEvent } from "../../../events/wire.ts";

/** Milliseconds of work between two pauses. */
const SLICE = 12;

/** The parts of a file with all events that there are now. */
export async function writeLines(events: readonly WireEvent[]): Promise<string[]> {
  const parts: string[] = [];
  const all = events.slice();
  let begun = performance.now();
  for (const event of all) {
    parts.push(`${JSON.stringify(event)}\n`);
    if (performance.now() - begun < SLICE) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    begun = performance.now();
  }
  return parts;
}
