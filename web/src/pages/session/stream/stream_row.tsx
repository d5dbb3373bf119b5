/** One row of the stream at its place: what one can go to with the keys. */

import { type ReactNode, useCallback, useEffect, useRef } from "react";
import type { Row } from "../../../events/rows.ts";
import { nameKind } from "../cards/card_view.tsx";

interface RowGiven {
  row: Row;
  index: number;
  start: number;
  count: number;
  measure(element: Element | null): void;
  isCurrent: boolean;
  choose(id: number): void;
  children: ReactNode;
}

export function StreamRow({ row, index, start, count, measure, isCurrent, choose, children }: RowGiven) {
  const place = useRef<HTMLElement>(null);
  const hold = useCallback((element: HTMLElement | null) => {
    place.current = element;
    measure(element);
  }, [measure]);
  useEffect(() => {
    // What one reads aloud follows the card; the list has brought it into sight already.
    if (isCurrent && !place.current?.contains(document.activeElement)) place.current?.focus({ preventScroll: true });
  }, [isCurrent]);
  return (
    <article
      ref={hold}
      data-index={index}
      className="stream-row"
      style={{ transform: `translateY(${start}px)` }}
      tabIndex={-1}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-label={row.kind === "lines" ? `${row.cards.length} status lines` : `${nameKind(row.card)}, event ${row.id}`}
      onFocus={() => choose(row.id)}
    >
      {children}
    </article>
  );
}
