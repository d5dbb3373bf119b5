/** How an agent thinks, ends, refuses, and lets others work. */

import { textAt, valueAt } from "../../../events/wire.ts";
import { Json } from "./json.tsx";
import { AgentText } from "./message.tsx";
import type { PartProps } from "./part.ts";

export function Thought({ event }: PartProps) {
  return (
    <div className="card-part thought">
      <AgentText text={textAt(event.args, "thought") || event.content || ""} />
    </div>
  );
}

export function Finish({ event }: PartProps) {
  const said = textAt(event.args, "final_thought") || textAt(event.args, "thought") || event.message || "";
  return (
    <div className="card-part">
      <AgentText text={said} />
      <Values label="Outputs" value={valueAt(event.args, "outputs")} />
    </div>
  );
}

export function Rejection({ event }: PartProps) {
  return (
    <div className="card-part">
      <AgentText text={event.message ?? ""} />
      <Values label="Outputs" value={valueAt(event.args, "outputs")} />
    </div>
  );
}

export function Delegation({ event }: PartProps) {
  const task = textAt(event.args, "inputs", "task");
  return (
    <div className="card-part">
      <p>
        <span className="faint">to</span> <strong>{textAt(event.args, "agent")}</strong>
      </p>
      {task ? <AgentText text={task} /> : <Values label="Inputs" value={valueAt(event.args, "inputs")} />}
    </div>
  );
}

export function DelegationEnd({ event }: PartProps) {
  return (
    <div className="card-part output">
      {event.content && <AgentText text={event.content} />}
      <Values label="Outputs" value={valueAt(event.extras, "outputs")} />
    </div>
  );
}

const SIGNS: Record<string, string> = { done: "☑", in_progress: "▸", todo: "☐" };

export function Tasks({ event }: PartProps) {
  const given = valueAt(event.args, "task_list");
  if (!Array.isArray(given) || given.length === 0) return <p className="card-part faint">{event.message}</p>;
  return (
    <ul className="card-part tasks">
      {given.map((task, at) => (
        <li key={at}>
          <span aria-label={textAt(task, "status")}>{SIGNS[textAt(task, "status")] ?? "·"}</span>{" "}
          {textAt(task, "title") || JSON.stringify(task)}
        </li>
      ))}
    </ul>
  );
}

function Values({ label, value }: { label: string; value: unknown }) {
  const isEmpty = typeof value !== "object" || value === null || Object.keys(value).length === 0;
  return isEmpty ? null : <Json label={label} value={value} />;
}
