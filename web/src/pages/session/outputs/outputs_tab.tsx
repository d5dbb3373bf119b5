/** All that the code of a session has shown, of which only what is in sight is in the page. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { Card } from "../../../events/cards.ts";
import { type SessionStore, useSession } from "../../../events/session_store.ts";
import { showEvent } from "../../../events/shown_event.ts";
import { textAt } from "../../../events/wire.ts";
import { type EventOutput, kindOf, outputsOf } from "../../../outputs/event_outputs.ts";
import { Output } from "../../../outputs/output.tsx";
import { Empty } from "../../../parts/notice.tsx";
import { describeTime } from "../../../parts/when.ts";
import "./outputs_tab.css";

interface Entry {
  key: string;
  card: Card;
  output: EventOutput;
  kind: string;
}

export default function OutputsTab({ store }: { store: SessionStore }) {
  const state = useSession(store);
  const [wanted, setWanted] = useState("all");
  const [newest, setNewest] = useState(true);
  const all = useMemo(() => state.cards.flatMap(listEntries), [state.version]);
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
  const entries = useMemo(() => {
    const chosen = wanted === "all" ? all : all.filter(({ kind }) => kind === wanted);
    return newest ? chosen.toReversed() : chosen;
  }, [all, wanted, newest]);
  if (all.length === 0) {
    return (
      <Empty title="Nothing was shown yet">
        <p>Pictures, tables, charts and other things that code displays are collected here.</p>
      </Empty>
    );
  }
  return (
    <div className="outputs-tab">
      <div className="row outputs-filter">
        <select aria-label="Type of outputs" value={wanted} onChange={(event) => setWanted(event.target.value)}>
          <option value="all">all types</option>
          {kinds.map((kind) => <option key={kind}>{kind}</option>)}
        </select>
        <select
          aria-label="Order"
          value={newest ? "newest" : "oldest"}
          onChange={(event) => setNewest(event.target.value === "newest")}
        >
          <option value="newest">newest first</option>
          <option value="oldest">in order</option>
        </select>
        <span className="grow" />
        <span className="faint small" role="status">
          {entries.length === all.length ? all.length.toLocaleString("en") : `${entries.length} of ${all.length}`}
        </span>
      </div>
      {entries.length > 0 ? <EntryList entries={entries} /> : <Empty title="No output of this type" />}
    </div>
  );
}

function EntryList({ entries }: { entries: Entry[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 160,
    getItemKey: (at) => entries[at]?.key ?? at,
    overscan: 3,
  });
  return (
    <div ref={scroller} className="outputs-list" tabIndex={0} role="region" aria-label="Outputs of the session">
      <div style={{ height: list.getTotalSize(), position: "relative" }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const entry = entries[index];
          return entry && (
            <div
              key={key}
              data-index={index}
              ref={list.measureElement}
              className="outputs-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <EntryView entry={entry} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function EntryView({ entry: { card, output, kind } }: { entry: Entry }) {
  const language = textAt(card.event, "args", "language") || (card.event.action === "run_ipython" ? "python" : "");
  return (
    <article>
      <header className="row small">
        <button
          type="button"
          className="button quiet mono"
          onClick={() => showEvent(card.id)}
          title="Show this event in the stream"
        >
          #{card.id}
        </button>
        <span>{kind}</span>
        <span className="faint">{language}</span>
        <span className="grow" />
        <time className="faint" dateTime={card.answer?.timestamp}>{describeTime(card.answer?.timestamp ?? "")}</time>
      </header>
      <Output bundle={output.bundle} metadata={output.metadata} />
    </article>
  );
}

const listed = new WeakMap<Card, Entry[]>();

/** The entries of a card: the same each time, so that nothing is drawn again. */
function listEntries(card: Card): Entry[] {
  const known = listed.get(card);
  if (known) return known;
  const outputs = card.answer ? outputsOf(card.answer) : [];
  const entries = outputs.map((output, at) => ({ key: `${card.id}.${at}`, card, output, kind: kindOf(output) }));
  listed.set(card, entries);
  return entries;
}
