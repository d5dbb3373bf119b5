/** One card: who did what, when and how long; what came of it; what the analyzer says. */

import { memo, useState } from "react";
import type { Problem } from "../../api/client.ts";
import { confirmAction } from "../../api/sessions.ts";
import { asProblem } from "../../api/use_ask.ts";
import type { Card, Verdict } from "../../events/cards.ts";
import { valueAt } from "../../events/wire.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/notice.tsx";
import { describeDuration, describeTime } from "../../parts/when.ts";
import { CardBody } from "./card_body.tsx";
import { hasFailed } from "./stream_filter.tsx";

export const CardView = memo(function CardView({ card, sid, asked }: { card: Card; sid: string; asked: boolean }) {
  const { event, answer, verdict } = card;
  if (event.status !== undefined) {
    return (
      <div className={`status-line ${event.level === "error" ? "bad" : ""}`}>
        <span className="faint">{describeTime(event.timestamp)}</span> {event.content}
      </div>
    );
  }
  const kind = event.action ?? event.observation ?? "event";
  return (
    <article className={`card ${event.source ?? ""} ${hasFailed(card) ? "failed" : ""} ${asked ? "asked" : ""}`}>
      <header>
        <span className="card-kind">{kind.replaceAll("_", " ")}</span>
        <span className="faint">{event.source}</span>
        {verdict && verdict.decision !== "allow" && <Risk verdict={verdict} />}
        <span className="grow" />
        <Outcome card={card} />
        <time className="faint" dateTime={event.timestamp} title={event.timestamp}>
          {describeTime(event.timestamp)}
        </time>
        <span className="faint mono">#{event.id}</span>
      </header>
      <CardBody card={card} sid={sid} />
      {verdict && verdict.decision !== "allow" && <Findings verdict={verdict} />}
      {asked && !answer && <Question sid={sid} />}
    </article>
  );
});

function Outcome({ card: { event, answer } }: { card: Card }) {
  if (!event.action || (!answer && event.action === "message")) return null;
  if (!answer) return <span className="spinner" role="status" aria-label="running" />;
  const code = valueAt(answer, "extras", "metadata", "exit_code") ?? valueAt(answer, "extras", "exit_code");
  const seconds = (Date.parse(answer.timestamp) - Date.parse(event.timestamp)) / 1000;
  return (
    <>
      {typeof code === "number" && code !== 0 && (
        <span className={`badge ${code > 0 ? "bad" : "warning"}`}>{code > 0 ? `exit ${code}` : "still running"}</span>
      )}
      {seconds >= 0 && <span className="faint">{describeDuration(seconds)}</span>}
    </>
  );
}

function Risk({ verdict }: { verdict: Verdict }) {
  const look = verdict.decision === "deny" ? "bad" : "warning";
  return <span className={`badge ${look}`}>{verdict.decision}, {verdict.risk.toLowerCase()} risk</span>;
}

function Findings({ verdict }: { verdict: Verdict }) {
  return (
    <ul className="findings">
      {verdict.findings.filter(({ decision }) => decision !== "allow").map((each, at) => (
        <li key={at}>
          {each.reason} <span className="faint">(rule {each.rule})</span>
          {each.excerpt && <code className="excerpt">{each.excerpt}</code>}
        </li>
      ))}
    </ul>
  );
}

function Question({ sid }: { sid: string }) {
  const [problem, setProblem] = useState<Problem>();
  const say = (yes: boolean) => confirmAction(sid, yes).catch((error) => setProblem(asProblem(error)));
  return (
    <div className="question row">
      <strong>The agent asks whether it may do this.</strong>
      <span className="grow" />
      <Button onClick={() => say(false)}>Deny</Button>
      <Button look="main" onClick={() => say(true)}>Allow once</Button>
      {problem && <Failure problem={problem} />}
    </div>
  );
}
