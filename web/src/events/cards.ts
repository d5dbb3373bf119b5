/** The stream as cards: an action with its observation, a message, a status. Each event changes one card. */

import { valueAt, type WireEvent } from "./wire.ts";

export interface LiveOutput {
  stdout: string;
  stderr: string;
  /** Characters at the beginning that are not kept. */
  dropped: number;
}

export interface Finding {
  rule: string;
  reason: string;
  decision: string;
  risk: string;
  excerpt?: string;
  advice?: string;
}

export interface Verdict {
  decision: "allow" | "ask" | "deny";
  risk: string;
  analyzer?: string;
  findings: Finding[];
}

export interface Card {
  /** The id of its first event. */
  id: number;
  event: WireEvent;
  /** What answers it. */
  answer?: WireEvent;
  /** What it prints while it runs. */
  live?: LiveOutput;
  /** What the analyzer says of it. */
  verdict?: Verdict;
}

/** Characters of live output that a card keeps: the observation has all. */
export const LIVE_LIMIT = 100_000;
/** Kinds of actions that change the state of the agent and are shown in its status line instead. */
const QUIET = new Set(["change_agent_state", "agent_state_changed", "null", "recall", "system"]);

export class CardList {
  readonly cards: Card[] = [];
  /** The last event. */
  latest = -1;
  agentState = "";
  status = "";
  metrics: Record<string, unknown> | undefined;
  /** The action that the agent asks about. */
  asked: Card | undefined;
  readonly #byAction = new Map<number, Card>();

  /** Takes the next event; false if it was there already. */
  add(event: WireEvent): boolean {
    if (event.id <= this.latest) return false;
    this.latest = event.id;
    if (event.llm_metrics) this.metrics = event.llm_metrics;
    if (event.observation === "agent_state_changed") this.#changeState(event);
    if (event.status !== undefined) this.status = event.content ?? "";
    const verdict = valueAt(event, "cloche", "security_verdict") as Verdict | undefined;
    if (verdict && this.#judge(event, verdict)) return true;
    const owner = typeof event.cause === "number" && event.observation ? this.#byAction.get(event.cause) : undefined;
    if (owner && !owner.answer) this.#replace(owner, { answer: event, live: undefined });
    else if (!isQuiet(event)) this.#append({ id: event.id, event });
    return true;
  }

  /** Takes a piece of what an action prints. */
  hear(action: number, stream: "stdout" | "stderr", text: string): void {
    const card = this.#byAction.get(action);
    if (!card || card.answer) return;
    const live = card.live ?? { stdout: "", stderr: "", dropped: 0 };
    const all = live[stream] + text;
    const kept = all.slice(-LIVE_LIMIT);
    this.#replace(card, { live: { ...live, [stream]: kept, dropped: live.dropped + all.length - kept.length } });
  }

  find(action: number): Card | undefined {
    return this.#byAction.get(action);
  }

  #append(card: Card): void {
    this.cards.push(card);
    if (card.event.action) this.#byAction.set(card.id, card);
  }

  /** A card is a value: what shows it sees that it changed. */
  #replace(card: Card, changes: Partial<Card>): void {
    const changed = { ...card, ...changes };
    this.#byAction.set(card.id, changed);
    const at = findPlace(this.cards, card.id);
    if (at >= 0) this.cards[at] = changed;
    if (this.asked?.id === card.id) this.asked = changed.answer ? undefined : changed;
  }

  #changeState(event: WireEvent): void {
    this.agentState = String(valueAt(event, "extras", "agent_state") ?? "");
    if (this.agentState !== "awaiting_user_confirmation") this.asked = undefined;
    else this.asked = this.#lastOpen();
  }

  /** Shows a verdict with its action; false if that is not here. */
  #judge(event: WireEvent, verdict: Verdict): boolean {
    const card = typeof event.cause === "number" ? this.#byAction.get(event.cause) : undefined;
    if (card) this.#replace(card, { verdict });
    return card !== undefined;
  }

  /** The latest action that has no answer yet. */
  #lastOpen(): Card | undefined {
    for (let at = this.cards.length - 1; at >= 0; at--) {
      const card = this.cards[at];
      if (card?.event.action && !card.answer) return card;
    }
    return undefined;
  }
}

function isQuiet(event: WireEvent): boolean {
  return QUIET.has(event.action ?? event.observation ?? "");
}

/** The place of the card with this id in a list that is in order; -1 if it is not there. */
export function findPlace(cards: readonly Card[], id: number): number {
  let low = 0;
  let high = cards.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = cards[middle]?.id ?? 0;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
