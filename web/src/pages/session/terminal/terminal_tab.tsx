/** Terminal of a session. */

import type { SessionStore } from "../../../events/session_store.ts";

export default function TerminalTab({ store }: { store: SessionStore }) {
  return <div className="notice">Terminal of {store.sid}</div>;
}
