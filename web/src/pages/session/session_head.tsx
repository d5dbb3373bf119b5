/** What one always sees of a session: its name, its state, its budget, its connection, and how to stop it. */

import { useState } from "react";
import { changeState, confirmAction, interruptAction } from "../../api/sessions.ts";
import type { Problem } from "../../api/client.ts";
import type { SessionView } from "../../api/types.ts";
import { asProblem } from "../../api/use_ask.ts";
import { type SessionStore, useSessionPart } from "../../events/session_store.ts";
import { useOwnCommands } from "../../frame/commands.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/notice.tsx";
import { StateBadge } from "../../parts/state_badge.tsx";
import { Budget } from "./budget.tsx";

const CONNECTIONS = {
  connecting: ["info", "connecting"],
  connected: ["good", "connected"],
  away: ["warning", "connection lost, trying again"],
  refused: ["bad", "refused"],
} as const;

const AT_WORK = new Set(["running", "awaiting_user_confirmation", "rate_limited"]);

export function SessionHead({ store, view, changed }: { store: SessionStore; view?: SessionView; changed(): void }) {
  const { sid } = store;
  const [problem, setProblem] = useState<Problem>();
  const guard = (work: Promise<unknown>) =>
    work.then(() => setProblem(undefined), (error) => setProblem(asProblem(error))).finally(changed);
  const told = useSessionPart(store, (state) => state.agentState);
  const agent = told || view?.state || "";
  const metrics = useSessionPart(store, (state) => state.metrics);
  const isBusy = useSessionPart(store, (state) => state.running !== undefined);
  const isAsked = useSessionPart(store, (state) => state.asked !== undefined);
  const isWorking = AT_WORK.has(agent);
  useOwnCommands("Session", [
    { label: "Interrupt what runs", act: () => guard(interruptAction(sid)) },
    isWorking
      ? { label: "Pause the agent", act: () => guard(changeState(sid, "paused")) }
      : { label: "Let the agent go on", act: () => guard(changeState(sid, "running")) },
    { label: "Stop the agent", act: () => guard(changeState(sid, "stopped")) },
    ...(isAsked
      ? [
        { label: "Allow what the agent asks", act: () => guard(confirmAction(sid, true)) },
        { label: "Deny what the agent asks", act: () => guard(confirmAction(sid, false)) },
      ]
      : []),
  ]);
  return (
    <header className="session-head">
      <h1 className="clip">{view?.title || sid.slice(0, 8)}</h1>
      <StateBadge state={agent} />
      <span className="faint small clip">{view && [view.runtime, view.model].filter(Boolean).join(" · ")}</span>
      <div className="grow" />
      <Budget metrics={metrics} />
      <ConnectionBadge store={store} />
      <div className="row">
        <Button disabled={!isBusy} onClick={() => guard(interruptAction(sid))}>Interrupt</Button>
        {isWorking && <Button onClick={() => guard(changeState(sid, "paused"))}>Pause</Button>}
        {agent === "paused" && <Button look="main" onClick={() => guard(changeState(sid, "running"))}>Resume</Button>}
        {(isWorking || agent === "paused") && (
          <Button look="danger" onClick={() => guard(changeState(sid, "stopped"))}>Stop</Button>
        )}
      </div>
      {problem && <Failure problem={problem} />}
    </header>
  );
}

function ConnectionBadge({ store }: { store: SessionStore }) {
  const connection = useSessionPart(store, (state) => state.connection);
  const refusal = useSessionPart(store, (state) => state.refusal);
  const [look, words] = CONNECTIONS[connection];
  return (
    <>
      <span className={`badge ${look}`} role="status" title={refusal}>{words}</span>
      {refusal && <p className="failure" role="alert">{refusal}</p>}
    </>
  );
}
