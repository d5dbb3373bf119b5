/** Says that the stream shows an earlier time. */

import { findPlace } from "../../../events/cards.ts";
import type { SessionStore } from "../../../events/session_store.ts";
import { Button } from "../../../parts/button.tsx";
import { describeTime } from "../../../parts/when.ts";

export function ReplayBanner({ store, until }: { store: SessionStore; until: number }) {
  const event = store.events[findPlace(store.events, until)];
  return (
    <div className="replay-banner row" role="status">
      <strong>The session as it was at event #{until}</strong>
      {event && <span className="faint">{describeTime(event.timestamp)}</span>}
      <span className="grow" />
      <Button onClick={() => store.showUntil(undefined)}>Back to now</Button>
    </div>
  );
}
