/** One session in the list, and what can be done with it. */

import { useState } from "react";
import { Link, useLocation } from "wouter";
import { deleteSession, forkSession, renameSession, stopSession } from "../../api/sessions.ts";
import type { SessionView } from "../../api/types.ts";
import { asProblem } from "../../api/use_ask.ts";
import type { Problem } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Failure } from "../../parts/notice.tsx";
import { StateBadge } from "../../parts/state_badge.tsx";
import { describeAge } from "../../parts/when.ts";

export function SessionRow({ session, changed }: { session: SessionView; changed(): void }) {
  const [, go] = useLocation();
  const [asking, setAsking] = useState<"rename" | "delete">();
  const [problem, setProblem] = useState<Problem>();
  const guard = (work: Promise<unknown>) =>
    work.then(() => setProblem(undefined), (error) => setProblem(asProblem(error))).finally(changed);
  const from = [session.repository, session.branch].filter(Boolean).join(" @ ");
  return (
    <tr>
      <td className="session-name">
        <Link href={`/s/${session.id}`} className="clip">{session.title || session.id}</Link>
        <div className="faint small clip">
          <span className="mono">{session.id.slice(0, 8)}</span>
          {from && ` · ${from}`}
          {session.forked_from && ` · fork of ${session.forked_from.session.slice(0, 8)}`}
        </div>
        {session.status && <Status session={session} />}
        {problem && <Failure problem={problem} />}
      </td>
      <td>
        <StateBadge state={session.state} />
      </td>
      <td className="wide">{session.runtime}</td>
      <td className="wide number">{session.events.toLocaleString("en")}</td>
      <td className="wide" title={new Date(session.last_activity * 1000).toLocaleString()}>
        {describeAge(session.last_activity)}
      </td>
      <td>
        <Menu
          label={`What to do with ${session.title || session.id}`}
          items={[
            { label: "Open", act: () => go(`/s/${session.id}`) },
            { label: "Rename", act: () => setAsking("rename") },
            { label: "Fork", act: () => guard(forkSession(session.id).then(({ id }) => go(`/s/${id}`))) },
            { label: "Stop", act: () => guard(stopSession(session.id)), disabled: session.state === "stored" },
            { label: "Delete", act: () => setAsking("delete"), look: "danger" },
          ]}
        >
          ⋯
        </Menu>
        {asking === "rename" && (
          <Rename
            session={session}
            close={() => setAsking(undefined)}
            rename={(title) => guard(renameSession(session.id, title))}
          />
        )}
        {asking === "delete" && (
          <Dialog title="Delete this session?" close={() => setAsking(undefined)}>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                setAsking(undefined);
                guard(deleteSession(session.id));
              }}
            >
              <p>
                {session.title || session.id}, with its {session.events} events and its files. This cannot be undone.
              </p>
              <div className="actions">
                <Button onClick={() => setAsking(undefined)}>Keep it</Button>
                <Button look="danger" type="submit">Delete</Button>
              </div>
            </form>
          </Dialog>
        )}
      </td>
    </tr>
  );
}

/** How far its start is, or why it failed. */
function Status({ session: { state, status } }: { session: SessionView }) {
  if (state === "starting") return <div className="faint small clip">{status}</div>;
  // A session that was stopped has none.
  return state === "stored" || state === "error" ? <div className="session-status small">{status}</div> : null;
}

function Rename({ session, close, rename }: { session: SessionView; close(): void; rename(title: string): void }) {
  const [title, setTitle] = useState(session.title);
  return (
    <Dialog title="Rename" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          rename(title.trim());
        }}
      >
        <label className="field">
          <span>Title</span>
          <input autoFocus maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
        </label>
        <div className="actions">
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit">Rename</Button>
        </div>
      </form>
    </Dialog>
  );
}
