/** The events in a table, of which only the rows in sight are in the page. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { kindOf } from "../../../events/kinds.ts";
import type { WireEvent } from "../../../events/wire.ts";
import { describeTime } from "../../../parts/when.ts";

interface Given {
  events: readonly WireEvent[];
  until: number | undefined;
  chosen: number | undefined;
  choose(id: number): void;
}

const ROW = 26;
const COLUMNS = ["id", "kind", "", "source", "cause", "time"];
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

export function EventTable({ events, until, chosen, choose }: Given) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  // The newest is what one looks for first.
  useEffect(() => list.scrollToIndex(events.length - 1), []);
  const press = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const here = events.findIndex(({ id }) => id === chosen);
    const at = Math.max(0, Math.min(events.length - 1, here < 0 ? events.length - 1 : here + by));
    const next = events[at];
    if (next) choose(next.id);
    list.scrollToIndex(at);
  };
  return (
    <div
      className="raw-table"
      ref={scroller}
      role="grid"
      aria-label="Events"
      aria-rowcount={events.length + 1}
      tabIndex={0}
      aria-activedescendant={chosen === undefined ? undefined : `raw-${chosen}`}
      onKeyDown={press}
    >
      <div role="row" aria-rowindex={1} className="raw-row raw-columns">
        {COLUMNS.map((name, at) => <span key={at} role="columnheader">{name || <RoleName />}</span>)}
      </div>
      <div role="rowgroup" style={{ height: list.getTotalSize(), position: "relative" }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const event = events[index];
          return event && (
            <div
              key={event.id}
              id={`raw-${event.id}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={event.id === chosen}
              className={`raw-row ${until !== undefined && event.id > until ? "later" : ""}`}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => choose(event.id)}
            >
              <span role="gridcell">{event.id}</span>
              <span role="gridcell" className="clip">{kindOf(event)}</span>
              <span role="gridcell" className="faint">{roleOf(event)}</span>
              <span role="gridcell" className="clip">{event.source}</span>
              <span role="gridcell">{event.cause ?? ""}</span>
              <span role="gridcell">{describeTime(event.timestamp)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function RoleName() {
  return <span className="hidden-visually">action or observation</span>;
}

function roleOf(event: WireEvent): string {
  return event.action !== undefined ? "action" : event.observation !== undefined ? "observation" : "";
}
