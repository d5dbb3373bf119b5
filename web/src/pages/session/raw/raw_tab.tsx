/** Raw of a session. */

import type { SessionStore } from "../../../events/session_store.ts";

export default function RawTab({ store }: { store: SessionStore }) {
  return <div className="notice">Raw of {store.sid}</div>;
}
