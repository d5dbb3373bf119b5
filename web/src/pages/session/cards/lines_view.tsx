/** Quiet lines: of several that follow each other the last one, and how many there are. */

import { memo } from "react";
import type { Card } from "../../../events/cards.ts";
import { describeLine, levelOf } from "../../../events/kinds.ts";
import { describeTime } from "../../../parts/when.ts";

interface Given {
  /** That of the row. */
  id: number;
  cards: readonly Card[];
  open: boolean;
  toggle(id: number, open: boolean): void;
}

export const LinesView = memo(function LinesView({ id, cards, open, toggle }: Given) {
  const last = cards.at(-1);
  // What went wrong is not hidden behind what came after it.
  const shown = open ? cards : cards.filter((card) => card === last || levelOf(card.event) === "error");
  return (
    <div className="status-lines">
      {shown.map((card) => (
        <div key={card.id} className={`status-line ${levelOf(card.event)}`}>
          <time className="faint" dateTime={card.event.timestamp}>{describeTime(card.event.timestamp)}</time>
          <span className="grow">{describeLine(card.event)}</span>
          {card === last && cards.length > 1 && (
            <button
              type="button"
              className="fold"
              aria-expanded={open}
              onClick={() => toggle(id, !open)}
            >
              {open ? "fewer" : `${cards.length} lines`}
            </button>
          )}
        </div>
      ))}
    </div>
  );
});
