/** All events of a session as they are: a table, one of them as JSON, a file of all, and the way back in time. */

import { useState } from "react";
import { findPlace } from "../../../events/cards.ts";
import { type SessionStore, useSession } from "../../../events/session_store.ts";
import { Empty } from "../../../parts/notice.tsx";
import { JsonText } from "../cards/json.tsx";
import { EventTable } from "./event_table.tsx";
import { ExportButton } from "./export_button.tsx";
import { ReplaySlider } from "./replay_slider.tsx";
import "./raw.css";

export default function RawTab({ store }: { store: SessionStore }) {
  const state = useSession(store);
  const [chosen, setChosen] = useState<number>();
  const event = chosen === undefined ? undefined : store.events[findPlace(store.events, chosen)];
  if (store.events.length === 0) return <Empty title="No events yet" />;
  return (
    <div className="raw">
      <div className="raw-head row">
        <ReplaySlider store={store} until={state.until} latest={state.latest} />
        <ExportButton sid={store.sid} events={store.events} />
      </div>
      <EventTable events={store.events} until={state.until} chosen={chosen} choose={setChosen} />
      {event && (
        <section className="raw-event" aria-label={`Event ${event.id}`}>
          <div className="row">
            <strong className="grow">Event #{event.id}</strong>
            <button type="button" className="fold" onClick={() => store.showUntil(event.id)}>
              show the session as it was here
            </button>
            <button type="button" className="fold" onClick={() => setChosen(undefined)}>close</button>
          </div>
          <JsonText value={event} />
        </section>
      )}
    </div>
  );
}
