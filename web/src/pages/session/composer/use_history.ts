/** What was sent in this session, to be called back by the arrow keys. */

import { useRef } from "react";
import type { SessionStore } from "../../../events/session_store.ts";
import { listSent, type Sent } from "./actions.ts";

interface History {
  /** What was sent before, or after; undefined if there is nothing. */
  step(direction: "up" | "down", now: Sent): Sent | undefined;
  /** To be called when something else is typed or sent. */
  leave(): void;
}

export function useHistory(store: SessionStore): History {
  const place = useRef<{ all: Sent[]; at: number; draft: Sent }>(undefined);
  return {
    step(direction, now) {
      if (direction === "up") place.current ??= { all: listSent(store.events), at: -1, draft: now };
      const here = place.current;
      const at = (here?.at ?? 0) + (direction === "up" ? 1 : -1);
      if (!here || at < -1 || at >= here.all.length) return undefined;
      here.at = at;
      if (at >= 0) return here.all[at];
      place.current = undefined;
      return here.draft;
    },
    leave() {
      place.current = undefined;
    },
  };
}
