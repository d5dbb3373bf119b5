/** Files of a session. */

import type { SessionStore } from "../../../events/session_store.ts";

export default function FilesTab({ store }: { store: SessionStore }) {
  return <div className="notice">Files of {store.sid}</div>;
}
