/** What one always sees of a session: its name, its state, its budget, its connection, and how to stop it. */

import { useState } from "react";
import { changeState, confirmAction, interruptAction } from "../../api/sessions.ts";
import type { Problem } from "../../api/client.ts";
import type { SessionView } from "../../api/types.ts";
import { asProblem } from "../../api/use_ask.ts";
import type { SessionState } from "../../events/session_store.ts";
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
  gone: ["bad", "deleted"],
} as const;

export function SessionHead(
  { sid, state, view, changed }: { sid: string; state: SessionState; view?: SessionView; changed(): void },
) {
  const [problem, setProblem] = useState<Problem>();
  const guard = (work: Promise<unknown>) =>
    work.then(() => setProblem(undefined), (error) => setProblem(asProblem(error))).finally(changed);
  const agent = state.agentState || view?.state || "";
  const running = agent === "running" || agent === "awaiting_user_confirmation";
  const busy = state.cards.at(-1)?.event.action !== undefined && !state.cards.at(-1)?.answer;
  useOwnCommands("Session", [
    { label: "Interrupt what runs", act: () => guard(interruptAction(sid)) },
    running
      ? { label: "Pause the agent", act: () => guard(changeState(sid, "paused")) }
      : { label: "Let the agent go on", act: () => guard(changeState(sid, "running")) },
    { label: "Stop the agent", act: () => guard(changeState(sid, "stopped")) },
    ...(state.asked
      ? [
        { label: "Allow what the agent asks", act: () => guard(confirmAction(sid, true)) },
        { label: "Deny what the agent asks", act: () => guard(confirmAction(sid, false)) },
      ]
      : []),
  ]);
  const [look, words] = CONNECTIONS[state.connection];
  return (
    <header className="session-head">
      <h1 className="clip">{view?.title || sid.slice(0, 8)}</h1>
      <StateBadge state={agent} />
      <span className="faint small clip">{view && [view.runtime, view.model].filter(Boolean).join(" · ")}</span>
      <div className="grow" />
      <Budget metrics={state.metrics} />
      <span className={`badge ${look}`} role="status" title={state.refusal}>{words}</span>
      <div className="row">
        <Button disabled={!busy} onClick={() => guard(interruptAction(sid))}>Interrupt</Button>
        {running && <Button onClick={() => guard(changeState(sid, "paused"))}>Pause</Button>}
        {agent === "paused" && <Button look="main" onClick={() => guard(changeState(sid, "running"))}>Resume</Button>}
        {running && <Button look="danger" onClick={() => guard(changeState(sid, "stopped"))}>Stop</Button>}
      </div>
      {problem && <Failure problem={problem} />}
      {state.refusal && <p className="failure" role="alert">{state.refusal}</p>}
    </header>
  );
}
