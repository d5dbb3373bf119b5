/** All sessions: find one, begin one, open it. */

import { useDeferredValue, useEffect, useState } from "react";
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
const REFRESH = 4000;

export function SessionsPage() {
  const [search, setSearch] = useState("");
  const [beginning, setBeginning] = useState(false);
  const wanted = useDeferredValue(search.trim());
  const answer = useAsk(`sessions ${wanted}`, (signal) => listSessions(wanted, 0, signal));
  const [, go] = useLocation();
  useOwnCommands("Sessions", [{ label: "New session", keys: "N", act: () => setBeginning(true) }]);
  useEffect(() => {
    document.title = "Sessions · Cloche";
    const timer = setInterval(() => document.visibilityState === "visible" && answer.again(), REFRESH);
    return () => clearInterval(timer);
  }, [answer.again]);
  useEffect(() => {
    const begin = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest("input, textarea, select, dialog, [contenteditable]");
      if (event.key === "n" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        setBeginning(true);
      }
    };
    addEventListener("keydown", begin);
    return () => removeEventListener("keydown", begin);
  }, []);
  const sessions = answer.value?.sessions;
  return (
    <div className="sessions">
      <div className="row">
        <h1>Sessions</h1>
        <div className="grow" />
        <input
          type="search"
          aria-label="Search by title or id"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
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
          <tbody>
            {sessions.map((session) => <SessionRow key={session.id} session={session} changed={answer.again} />)}
          </tbody>
        </table>
      )}
      {answer.value?.has_more && <p className="faint small">There are more: search for them.</p>}
      {beginning && <BeginSession close={() => setBeginning(false)} begun={(session) => go(`/s/${session.id}`)} />}
    </div>
  );
}
