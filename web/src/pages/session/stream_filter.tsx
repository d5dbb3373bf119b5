/** Which events one wants to see. */

import type { Card } from "../../events/cards.ts";
import type { SessionState } from "../../events/session_store.ts";

export interface Choice {
  kind: keyof typeof KINDS;
  text: string;
}

const KINDS = {
  all: () => true,
  messages: (card: Card) => card.event.action === "message" || card.event.action === "think",
  commands: (card: Card) => card.event.action === "run",
  code: (card: Card) => card.event.action === "run_ipython" || card.event.action === "run_code",
  files: (card: Card) => /^(read|write|edit|mkdir|rmdir|rm|move|upload|list_files)$/.test(card.event.action ?? ""),
  failures: (card: Card) => hasFailed(card),
  status: (card: Card) => card.event.status !== undefined,
} as const;

export const ALL: Choice = { kind: "all", text: "" };

/** Whether its action did not succeed. */
export function hasFailed({ event, answer }: Card): boolean {
  const last = answer ?? event;
  const code = (last.extras?.["metadata"] as { exit_code?: number } | undefined)?.exit_code ??
    last.extras?.["exit_code"];
  return last.observation === "error" || event.level === "error" || (typeof code === "number" && code > 0);
}

export function chooseCards(state: SessionState, { kind, text }: Choice): readonly Card[] {
  const wanted = text.trim().toLowerCase();
  if (kind === "all" && !wanted) return state.cards;
  return state.cards.filter((card) => KINDS[kind](card) && (!wanted || says(card, wanted)));
}

function says({ event, answer }: Card, wanted: string): boolean {
  return [event, answer].some((each) =>
    each &&
    [each.message, each.content, JSON.stringify(each.args ?? ""), `#${each.id}`]
      .some((text) => text?.toLowerCase().includes(wanted))
  );
}

export function StreamFilter(
  { choice, choose, shown, all }: { choice: Choice; choose(choice: Choice): void; shown: number; all: number },
) {
  return (
    <div className="stream-filter row">
      <select
        aria-label="Kind of events"
        value={choice.kind}
        onChange={(event) => choose({ ...choice, kind: event.target.value as Choice["kind"] })}
      >
        {Object.keys(KINDS).map((kind) => <option key={kind}>{kind}</option>)}
      </select>
      <input
        type="search"
        className="grow"
        aria-label="Search in the events"
        placeholder="Search in the events"
        value={choice.text}
        onChange={(event) => choose({ ...choice, text: event.target.value })}
      />
      <span className="faint small">{shown === all ? all.toLocaleString("en") : `${shown} of ${all}`}</span>
    </div>
  );
}
