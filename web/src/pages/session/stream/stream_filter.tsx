/** Chooses which events are shown. */

import type { Ref } from "react";
import { type Choice, KINDS } from "../../../events/choice.ts";

interface Given {
  choice: Choice;
  choose(choice: Choice): void;
  shown: number;
  all: number;
  /** Whether all events have been looked at. */
  done: boolean;
  search: Ref<HTMLInputElement>;
  /** Escape, or Enter: back to the stream. */
  leave(): void;
}

export function StreamFilter({ choice, choose, shown, all, done, search, leave }: Given) {
  return (
    <div className="stream-filter row">
      <select
        aria-label="Kind of events"
        value={choice.kind}
        onChange={(event) => choose({ ...choice, kind: event.target.value as Choice["kind"] })}
      >
        {Object.keys(KINDS).map((kind) => <option key={kind}>{kind}</option>)}
      </select>
      <input
        type="search"
        ref={search}
        className="grow"
        aria-label="Search in the events"
        aria-keyshortcuts="/"
        placeholder="Search in the events"
        value={choice.text}
        onChange={(event) => choose({ ...choice, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") choose({ ...choice, text: "" });
          if (event.key === "Escape" || event.key === "Enter") leave();
        }}
      />
      <span className="faint small" role="status">
        {!done && "searching … "}
        {shown === all ? all.toLocaleString("en") : `${shown.toLocaleString("en")} of ${all.toLocaleString("en")}`}
      </span>
    </div>
  );
}
