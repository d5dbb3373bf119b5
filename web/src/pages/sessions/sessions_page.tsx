/** All sessions: find one, begin one, open it. */

import { useDeferredValue, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { listSessions } from "../../api/sessions.ts";
import { useAsk } from "../../api/use_ask.ts";
import { useOwnCommands } from "../../frame/commands.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Failure, Loading } from "../../parts/notice.tsx";
import { BeginSession } from "./begin_session.tsx";
import { SessionRow } from "./session_row.tsx";
import "./sessions.css";

/** Milliseconds after which the list is asked for again, while it is looked at. */
const REFRESH = 2500;
/** How many sessions are shown at first, and more each time. */
const SHOWN = 100;

export function SessionsPage() {
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(SHOWN);
  const [beginning, setBeginning] = useState(false);
  const wanted = useDeferredValue(search.trim());
  const answer = useAsk(`sessions ${wanted}`, (signal) => listSessions(wanted, shown, signal));
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLTableSectionElement>(null);
  const [, go] = useLocation();
  const step = (by: number) => {
    const links = [...list.current?.querySelectorAll<HTMLAnchorElement>(".session-name a") ?? []];
    const at = links.findIndex((each) => each === document.activeElement);
    links[Math.max(0, Math.min(at < 0 ? 0 : at + by, links.length - 1))]?.focus();
  };
  useOwnCommands("Sessions", [
    { label: "New session", key: "n", act: () => setBeginning(true) },
    { label: "Search sessions", key: "/", act: () => field.current?.focus() },
    { label: "Next session", key: "ArrowDown", hidden: true, act: () => step(1) },
    { label: "Session before", key: "ArrowUp", hidden: true, act: () => step(-1) },
    { label: "Open it", keys: "Enter", hidden: true },
  ]);
  useRefresh(answer.again, answer.loading);
  useEffect(() => {
    if (shown > SHOWN) answer.again();
  }, [shown]);
  const sessions = (answer.value ?? answer.before)?.sessions;
  return (
    <div className="sessions">
      <div className="row">
        <h1>Sessions</h1>
        <div className="grow" />
        <input
          ref={field}
          type="search"
          aria-label="Search by title or id"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            step(1);
          }}
        />
        <Button look="main" onClick={() => setBeginning(true)}>New session</Button>
      </div>
      {answer.problem && <Failure problem={answer.problem} again={answer.again} />}
      {!sessions && answer.loading && <Loading what="Loading sessions" />}
      {sessions && sessions.length === 0 && (
        <Empty title={wanted ? "No session is called that" : "No sessions yet"}>
          {!wanted && (
            <>
              <p>A session is a sandbox with everything that happens in it: commands, code, files, and an agent.</p>
              <Button look="main" onClick={() => setBeginning(true)}>Begin one</Button>
            </>
          )}
        </Empty>
      )}
      {sessions && sessions.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Session</th>
              <th>State</th>
              <th className="wide">Runtime</th>
              <th className="wide number">Events</th>
              <th className="wide">Last activity</th>
              <th>
                <span className="hidden-visually">What to do</span>
              </th>
            </tr>
          </thead>
          <tbody ref={list}>
            {sessions.map((session) => <SessionRow key={session.id} session={session} changed={answer.again} />)}
          </tbody>
        </table>
      )}
      {answer.value?.has_more && (
        <p className="more">
          <Button disabled={answer.loading} onClick={() => setShown(shown + SHOWN)}>Show {SHOWN} more</Button>
        </p>
      )}
      {beginning && <BeginSession close={() => setBeginning(false)} begun={(session) => go(`/s/${session.id}`)} />}
    </div>
  );
}

/** Asks again from time to time while the page is looked at, and as soon as it is looked at again. */
function useRefresh(again: () => void, loading: boolean): void {
  const asking = useRef(loading);
  asking.current = loading;
  useEffect(() => {
    document.title = "Sessions · Cloche";
    // Asking again drops a question that is not answered yet: a slow network would never show anything.
    const look = () => document.visibilityState === "visible" && !asking.current && again();
    const timer = setInterval(look, REFRESH);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [again]);
}
