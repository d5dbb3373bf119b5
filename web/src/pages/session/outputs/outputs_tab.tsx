/** Outputs of a session. */

import type { SessionStore } from "../../../events/session_store.ts";

export default function OutputsTab({ store }: { store: SessionStore }) {
  return <div className="notice">Outputs of {store.sid}</div>;
}
