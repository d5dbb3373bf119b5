/** What an action prints while it runs: its end, since the rest has been seen. */

import { useEffect, useRef } from "react";
import type { LiveOutput } from "../../../events/cards.ts";
import { AnsiText } from "../../../outputs/ansi_text.tsx";
import { cutTail } from "./fold.ts";

const SHORT = { lines: 20, characters: 6000 };
const LONG = { lines: 500, characters: 60_000 };

export function LiveText({ live, open }: { live: LiveOutput; open: boolean }) {
  const { lines, characters } = open ? LONG : SHORT;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollTo({ top: place.current.scrollHeight });
  }, [live]);
  return (
    <div className="card-part output live" ref={place} data-open={open}>
      {live.stdout && <AnsiText text={cutTail(live.stdout, lines, characters)} />}
      {live.stderr && <AnsiText text={cutTail(live.stderr, lines, characters)} className="stderr" />}
    </div>
  );
}
