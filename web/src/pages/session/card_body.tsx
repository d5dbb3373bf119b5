/** What an action was and what came of it, by its kind. */

import type { Card } from "../../events/cards.ts";
import { textAt } from "../../events/wire.ts";

export function CardBody({ card: { event, answer, live } }: { card: Card; sid: string }) {
  const args = event.args;
  const given = textAt(args, "command") || textAt(args, "code") || textAt(args, "content") || event.message || "";
  const output = answer ? answer.content ?? answer.message ?? "" : `${live?.stdout ?? ""}${live?.stderr ?? ""}`;
  return (
    <div className="card-body">
      {given && <pre className="given">{given}</pre>}
      {output && <pre className="output">{output}</pre>}
    </div>
  );
}
