/** The cards of a session, of which only those in sight are in the page. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ALL, type Choice } from "../../../events/choice.ts";
import { type SessionStore, useSession } from "../../../events/session_store.ts";
import { useShownEvent } from "../../../events/shown_event.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/notice.tsx";
import { CardView } from "../cards/card_view.tsx";
import { LinesView } from "../cards/lines_view.tsx";
import { JumpButton } from "./jump_button.tsx";
import { ReplayBanner } from "./replay_banner.tsx";
import { useSearchMarks } from "./search_marks.ts";
import { StreamFilter } from "./stream_filter.tsx";
import { isTyping, pressKey, useSearchKey } from "./stream_keys.ts";
import { StreamRow } from "./stream_row.tsx";
import { useOpenCards } from "./use_open_cards.ts";
import { useFollowing } from "./use_following.ts";
import { useRows } from "./use_rows.ts";

export function Stream({ store }: { store: SessionStore }) {
  const state = useSession(store);
  const [choice, setChoice] = useState<Choice>(ALL);
  const { list: found, done } = useRows(state, choice);
  const { rows, shown } = found;
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const { following, scrolled, follow, leave } = useFollowing(scroller);
  const { open, toggle } = useOpenCards();
  const [current, setCurrent] = useState(-1);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (rows[at]?.kind === "lines" ? 26 : 96),
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 3,
  });
  useSearchMarks(() => scroller.current, choice.text);
  useSearchKey(search);

  const goTo = (at: number) => {
    const target = Math.max(0, Math.min(at, rows.length - 1));
    const row = rows[target];
    if (!row) return;
    setCurrent(row.id);
    if (target < rows.length - 1) leave();
    list.scrollToIndex(target, { align: "auto" });
  };
  const wanted = useShownEvent(({ id }) => id);
  useEffect(() => {
    if (wanted === undefined) return;
    leave();
    goTo(found.find(wanted));
    useShownEvent.setState({ id: undefined });
  }, [wanted]);
  // Who follows the end stays there; else what one reads stays in its place when cards above it change their size.
  list.shouldAdjustScrollPositionOnItemSizeChange = following ? () => false : undefined;
  const isInSight = (id: number) => list.getVirtualItems().some(({ key }) => key === id);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    // Enter on a button presses that.
    if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.closest("button, a, summary")) {
      return;
    }
    const here = rows.findIndex(({ id }) => id === current);
    const known = pressKey(event.key, {
      step: (by) => goTo(here < 0 ? list.getVirtualItems().at(by > 0 ? 0 : -1)?.index ?? 0 : here + by),
      first: () => goTo(0),
      last: () => {
        goTo(rows.length - 1);
        follow();
      },
      toggle: () => here >= 0 && toggle(current, !open.has(current)),
      search: () => search.current?.focus(),
    });
    if (known) event.preventDefault();
  };

  return (
    <div className="stream-place">
      <StreamFilter
        choice={choice}
        choose={setChoice}
        shown={shown}
        all={state.cards.length}
        done={done}
        search={search}
        leave={() => scroller.current?.focus()}
      />
      {state.until === undefined ? <span /> : <ReplayBanner store={store} until={state.until} />}
      <div
        className="stream"
        ref={scroller}
        role="feed"
        tabIndex={0}
        aria-label="Events of the session"
        aria-busy={!done}
        onScroll={scrolled}
        onKeyDown={press}
      >
        {rows.length === 0 && done && (
          <Empty title={state.cards.length > 0 ? "No event fits" : "Nothing has happened yet"}>
            {state.cards.length === 0 && <p>Type a command or some code below.</p>}
          </Empty>
        )}
        <div style={{ height: list.getTotalSize(), position: "relative" }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return row && (
              <StreamRow
                key={key}
                row={row}
                index={index}
                start={start}
                count={rows.length}
                measure={list.measureElement}
                isCurrent={row.id === current}
                choose={setCurrent}
              >
                {row.kind === "lines"
                  ? <LinesView id={row.id} cards={row.cards} open={open.has(row.id)} toggle={toggle} />
                  : (
                    <CardView
                      card={row.card}
                      sid={store.sid}
                      asked={state.asked?.id === row.id}
                      open={open.has(row.id)}
                      toggle={toggle}
                    />
                  )}
              </StreamRow>
            );
          })}
        </div>
      </div>
      <div className="jumps">
        {state.asked && !isInSight(state.asked.id) && (
          <Button
            className="asks"
            onClick={() => state.asked && goTo(found.find(state.asked.id))}
          >
            The agent asks you something
          </Button>
        )}
        {!following && <JumpButton latest={state.until ?? state.latest} follow={follow} />}
      </div>
    </div>
  );
}
