/** Moves the stream back to an earlier event. */

import type { SessionStore } from "../../../events/session_store.ts";

interface Given {
  store: SessionStore;
  until: number | undefined;
  latest: number;
}

export function ReplaySlider({ store, until, latest }: Given) {
  const at = until ?? latest;
  return (
    <label className="row grow replay">
      <span className="small">Replay</span>
      <input
        type="range"
        className="grow"
        min={0}
        max={latest}
        value={at}
        aria-valuetext={until === undefined ? "now" : `up to event ${at}`}
        onChange={({ target }) => {
          const wanted = Number(target.value);
          store.showUntil(wanted >= latest ? undefined : wanted);
        }}
      />
      <span className="small mono">{until === undefined ? "now" : `#${at} of ${latest}`}</span>
    </label>
  );
}
