/** Tasks for remote agents. */

import { textAt, valueAt } from "../../../events/wire.ts";
import { Json } from "./json.tsx";
import { AgentText } from "./message.tsx";
import type { PartProps } from "./part.ts";

const LOOKS: Record<string, string> = {
  completed: "good",
  failed: "bad",
  rejected: "bad",
  canceled: "warning",
  "input-required": "warning",
};

export function RemoteTask({ event }: PartProps) {
  const task = textAt(event.args, "task_id");
  return (
    <div className="card-part">
      <p>
        <strong>{textAt(event.args, "agent_name")}</strong> {task && <span className="faint mono">{task}</span>}
      </p>
      <p className="plain">{textAt(event.args, "task_message")}</p>
    </div>
  );
}

export function TaskState({ event }: PartProps) {
  const state = textAt(event.extras, "state");
  const artifacts = valueAt(event.extras, "artifacts");
  return (
    <div className="card-part output">
      {state && <span className={`badge ${LOOKS[state] ?? "info"}`}>{state}</span>}
      <AgentText text={event.content ?? ""} />
      {Array.isArray(artifacts) && artifacts.length > 0 && <Json label="Artifacts" value={artifacts} />}
    </div>
  );
}

export function AgentList({ event }: PartProps) {
  const agents = valueAt(event.extras, "agents");
  if (!Array.isArray(agents) || agents.length === 0) return <p className="card-part plain">{event.content}</p>;
  return (
    <ul className="card-part tasks">
      {agents.map((agent, at) => (
        <li key={at}>
          <strong>{textAt(agent, "name")}</strong> <span className="faint">{textAt(agent, "description")}</span>
        </li>
      ))}
    </ul>
  );
}
