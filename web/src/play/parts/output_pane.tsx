/** What a run shows, as it comes, and the question that it asks. */

import { type FormEvent, useEffect, useRef } from "react";
import { AnsiText } from "../../outputs/ansi_text.tsx";
import { Output } from "../../outputs/output.tsx";
import { Button } from "../../parts/button.tsx";
import type { Question, RunView } from "../code_run.ts";
import type { Entry } from "../output_log.ts";

/** Pixels from the end within which one counts as being at the end. */
const NEAR = 40;

export function OutputPane({ view, empty }: { view: RunView; empty: string }) {
  const place = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const pane = place.current;
    if (pane && atEnd.current) pane.scrollTop = pane.scrollHeight;
  }, [view.entries, view.question]);
  return (
    <div className="play-result">
      <div
        ref={place}
        className="play-output"
        role="log"
        aria-label="Output"
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
        }}
      >
        {view.dropped > 0 && (
          <p className="faint">{view.dropped.toLocaleString("en")} characters before this are not shown.</p>
        )}
        {view.entries.map((entry) => <EntryView key={entry.id} entry={entry} />)}
        {view.entries.length === 0 && <p className="faint">{view.running ? "" : empty}</p>}
      </div>
      {view.question && <AskLine question={view.question} />}
    </div>
  );
}

function EntryView({ entry }: { entry: Entry }) {
  if (entry.kind === "display") return <Output bundle={entry.bundle} metadata={entry.metadata} />;
  return <AnsiText text={entry.text} className={`play-${entry.stream}`} />;
}

function AskLine({ question: { prompt, password, answer } }: { question: Question }) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    answer(String(new FormData(event.currentTarget).get("line") ?? ""));
  };
  return (
    <form className="play-ask" onSubmit={send}>
      <label>
        <span className="mono">{prompt || "Input:"}</span>
        <input name="line" autoFocus autoComplete="off" type={password ? "password" : "text"} />
      </label>
      <Button type="submit">Send</Button>
      <Button onClick={() => answer(null)}>End of input</Button>
    </form>
  );
}
