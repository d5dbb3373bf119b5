/** One card: who did what, when and how long; what came of it; what the analyzer says. */

import { memo } from "react";
import type { Card, Verdict } from "../../../events/cards.ts";
import { hasFailed } from "../../../events/choice.ts";
import { isExecuted, kindOf } from "../../../events/kinds.ts";
import { textAt, valueAt } from "../../../events/wire.ts";
import { describeDuration, describeTime } from "../../../parts/when.ts";
import { CardBody } from "./card_body.tsx";
import { Question } from "./question.tsx";

interface Given {
  card: Card;
  sid: string;
  asked: boolean;
  open: boolean;
  toggle(id: number, open: boolean): void;
}

const NAMES: Record<string, string> = { run_ipython: "python", call_tool_mcp: "tool", list_files: "list" };

export const CardView = memo(function CardView({ card, sid, asked, open, toggle }: Given) {
  const { event, answer, verdict } = card;
  const isNotable = verdict !== undefined && verdict.decision !== "allow";
  return (
    <div className={`card ${event.source ?? ""} ${hasFailed(card) ? "failed" : ""} ${asked ? "asked" : ""}`}>
      <header>
        <span className="card-kind">{nameKind(card)}</span>
        <span className="faint">{event.source}</span>
        {isNotable && <Risk verdict={verdict} />}
        <span className="grow" />
        <Outcome card={card} asked={asked} />
        <time className="faint" dateTime={event.timestamp} title={event.timestamp}>
          {describeTime(event.timestamp)}
        </time>
        <span className="faint mono">#{event.id}</span>
      </header>
      <CardBody card={card} sid={sid} open={open} setOpen={(wanted) => toggle(card.id, wanted)} />
      {isNotable && <Findings verdict={verdict} />}
      {asked && !answer && <Question sid={sid} />}
    </div>
  );
});

export function nameKind({ event }: Card): string {
  const kind = kindOf(event);
  if (kind === "run_code") return textAt(event.args, "language") || "code";
  return NAMES[kind] ?? kind.replaceAll("_", " ");
}

function Outcome({ card: { event, answer }, asked }: { card: Card; asked: boolean }) {
  if (!isExecuted(event) || (asked && !answer)) return null;
  if (!answer) return <span className="spinner" role="status" aria-label="running" />;
  const code = valueAt(answer, "extras", "metadata", "exit_code") ?? valueAt(answer, "extras", "exit_code");
  const timedOut = valueAt(answer, "extras", "timed_out") === true;
  const seconds = (Date.parse(answer.timestamp) - Date.parse(event.timestamp)) / 1000;
  return (
    <>
      {timedOut && <span className="badge bad">timed out</span>}
      {typeof code === "number" && code !== 0 && (
        <span className={`badge ${code > 0 ? "bad" : "warning"}`}>{code > 0 ? `exit ${code}` : "still running"}</span>
      )}
      {seconds >= 0 && <span className="faint">{describeDuration(seconds)}</span>}
    </>
  );
}

function Risk({ verdict }: { verdict: Verdict }) {
  const look = verdict.decision === "deny" ? "bad" : "warning";
  const risk = verdict.risk ? `, ${verdict.risk.toLowerCase()} risk` : "";
  return <span className={`badge ${look}`}>{verdict.decision}{risk}</span>;
}

function Findings({ verdict: { findings, analyzer } }: { verdict: Verdict }) {
  const notable = findings.filter(({ decision }) => decision !== "allow");
  if (notable.length === 0) return null;
  return (
    <ul className="findings" aria-label={`What the analyzer ${analyzer ?? ""} says`}>
      {notable.map((each, at) => (
        <li key={at}>
          {each.reason} <span className="faint">(rule {each.rule})</span>
          {each.excerpt && <code className="excerpt">{each.excerpt}</code>}
          {each.advice && <span className="advice">{each.advice}</span>}
        </li>
      ))}
    </ul>
  );
}
