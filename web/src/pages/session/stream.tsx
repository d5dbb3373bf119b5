/** The cards of a session, of which only those in sight are in the page. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { SessionState, SessionStore } from "../../events/session_store.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/notice.tsx";
import { useShownEvent } from "../../events/shown_event.ts";
import { CardView } from "./card_view.tsx";
import { ALL, type Choice, chooseCards, StreamFilter } from "./stream_filter.tsx";

/** Pixels from the end within which the newest stays in sight. */
const NEAR = 60;

export function Stream({ store, state }: { store: SessionStore; state: SessionState }) {
  const [choice, setChoice] = useState<Choice>(ALL);
  const cards = chooseCards(state, choice);
  const scroller = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const list = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (cards[at]?.event.status === undefined ? 84 : 26),
    getItemKey: (at) => cards[at]?.id ?? at,
    overscan: 8,
  });
  useEffect(() => {
    if (following && cards.length > 0) list.scrollToIndex(cards.length - 1, { align: "end" });
  }, [following, state.version, cards.length]);
  const shown = useShownEvent(({ id }) => id);
  useEffect(() => {
    const at = shown === undefined ? -1 : cards.findIndex(({ id }) => id === shown);
    if (at < 0) return;
    setFollowing(false);
    list.scrollToIndex(at, { align: "start" });
    useShownEvent.setState({ id: undefined });
  }, [shown]);
  return (
    <>
      <StreamFilter choice={choice} choose={setChoice} shown={cards.length} all={state.cards.length} />
      <div
        className="stream"
        ref={scroller}
        tabIndex={0}
        aria-label="Events of the session"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight < NEAR)}
      >
        {cards.length === 0 && (
          <Empty title={state.cards.length > 0 ? "No event fits" : "Nothing has happened yet"}>
            {state.cards.length === 0 && <p>Type a command or some code below.</p>}
          </Empty>
        )}
        <div style={{ height: list.getTotalSize(), position: "relative" }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const card = cards[index];
            return card && (
              <div
                key={key}
                data-index={index}
                ref={list.measureElement}
                className="stream-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                <CardView card={card} sid={store.sid} asked={state.asked?.id === card.id} />
              </div>
            );
          })}
        </div>
      </div>
      {!following && (
        <Button className="jump" onClick={() => setFollowing(true)}>
          ↓ latest
        </Button>
      )}
    </>
  );
}
