/** When files may have changed: after actions that write, run something, or bring files in. */

import { useEffect } from "react";
import type { SessionStore } from "../../../events/session_store.ts";
import type { WireEvent } from "../../../events/wire.ts";
import type { Workspace } from "./workspace.ts";

/** Milliseconds without another event after which the files are read again, and the most until then. */
const QUIET = 150;
const LATEST = 1500;
/** Milliseconds between looks while something runs. */
const EVERY = 3000;
const HARMLESS = new Set(["message", "think", "read", "recall", "null", "agent_state_changed", "list_files", "browse"]);

export function mayChangeFiles({ action, observation }: WireEvent): boolean {
  if (action === "upload") return true;
  return observation !== undefined && !HARMLESS.has(observation);
}

/** Reads the files again when what happens in the session may have changed them. */
export function useFollowing(store: SessionStore, workspace: Workspace): void {
  useEffect(() => {
    let seen = store.events.length;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since = 0;
    const read = () => {
      since = 0;
      void workspace.refresh();
    };
    const hear = () => {
      const fresh = store.events.slice(seen);
      seen = store.events.length;
      if (!fresh.some(mayChangeFiles)) return;
      since ||= Date.now();
      clearTimeout(timer);
      timer = setTimeout(read, Math.max(0, Math.min(QUIET, since + LATEST - Date.now())));
    };
    const look = () => {
      if (!document.hidden && store.present.running) read();
    };
    void workspace.refresh();
    const leave = store.subscribe(hear);
    const looking = setInterval(look, EVERY);
    return () => {
      leave();
      clearTimeout(timer);
      clearInterval(looking);
    };
  }, [store, workspace]);
}
