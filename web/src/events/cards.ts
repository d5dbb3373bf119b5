/** The stream as cards: an action with its observation, a message, a status. Each event changes one card. */

import { describeLine, isExecuted, isLine } from "./kinds.ts";
import { shareTexts } from "./shared_texts.ts";
import { textAt, valueAt, type WireEvent } from "./wire.ts";

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
  /** Where the shell is that runs it, as far as that is known. */
  folder?: string;
}

/** A command that was answered before its end. */
export interface OpenCommand {
  command: string;
  /** Whether it waits for a line. */
  asks: boolean;
  /** The end of what it has printed. */
  prompt: string;
}

/** Characters of live output that a card keeps: the observation has all. */
export const LIVE_LIMIT = 100_000;
/** How many changes are remembered for those who keep up with the list. */
const CHANGES_LIMIT = 20_000;
/** What the runtime says of a command that waits for a line. */
const ASKS = "waits for input";
const CONTINUED = "previous command";
/** Statuses of a runtime that begins or ends, and with it every command. */
const BEGINNINGS = new Set(["STATUS$WAITING_FOR_CLIENT", "STATUS$STARTING_RUNTIME", "STATUS$STOPPED"]);

export class CardList {
  readonly cards: Card[] = [];
  /** The last event. */
  latest = -1;
  agentState = "";
  status = "";
  metrics: Record<string, unknown> | undefined;
  /** The action that the agent asks about. */
  asked: Card | undefined;
  /** The command that is still running in the shell. */
  open: OpenCommand | undefined;
  /** Where the shell was after its last command. */
  #folder: string | undefined;
  readonly #byAction = new Map<number, Card>();
  /** Actions without an answer, in order. */
  readonly #unanswered = new Set<number>();
  /** Places of cards that were replaced, and how many there were before these. */
  readonly #changes: number[] = [];
  #forgotten = 0;

  /** The action that is being executed. */
  get running(): Card | undefined {
    for (const id of this.#unanswered) if (id !== this.asked?.id) return this.#byAction.get(id);
    return undefined;
  }

  /** Takes the next event; false if it was there already. */
  add(event: WireEvent): boolean {
    if (!(event.id > this.latest)) return false;
    this.latest = event.id;
    const action = typeof event.cause === "number" ? this.#byAction.get(event.cause) : undefined;
    shareTexts(event, action?.event);
    if (event.llm_metrics) this.metrics = event.llm_metrics;
    if (event.observation === "agent_state_changed") this.#changeState(event);
    if (event.observation === "run") this.#changeShell(event);
    if (event.status !== undefined) this.#changeStatus(event);
    const verdict = readVerdict(event);
    if (action && verdict) this.#replace(action, { verdict });
    else if (action && event.observation && !action.answer) this.#answer(action, event);
    else if (!isLine(event) || describeLine(event)) this.#append(this.#makeCard(event));
    return true;
  }

  /** Puts a line of the page itself after what there is; the same line again changes it. */
  note(content: string): void {
    const id = this.latest + 0.5;
    const event: WireEvent = { id, timestamp: new Date().toISOString(), status: "CONNECTION", content };
    const at = findPlace(this.cards, id);
    if (at < 0) this.#append({ id, event });
    else this.#put(at, { id, event });
  }

  /** Says something else in a line of the page itself. */
  correct(id: number, content: string): void {
    const at = findPlace(this.cards, id);
    const card = this.cards[at];
    if (card) this.#put(at, { ...card, event: { ...card.event, content } });
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

  /** How many cards were ever replaced: what `changedSince` takes later. */
  get changes(): number {
    return this.#forgotten + this.#changes.length;
  }

  /** The places of cards that were replaced since then; undefined if that is too long ago. */
  changedSince(seen: number): readonly number[] | undefined {
    return seen < this.#forgotten ? undefined : this.#changes.slice(seen - this.#forgotten);
  }

  #makeCard(event: WireEvent): Card {
    return event.action === "run" && this.#folder
      ? { id: event.id, event, folder: this.#folder }
      : { id: event.id, event };
  }

  #append(card: Card): void {
    this.cards.push(card);
    if (!card.event.action) return;
    this.#byAction.set(card.id, card);
    if (isExecuted(card.event)) this.#unanswered.add(card.id);
  }

  #answer(card: Card, answer: WireEvent): void {
    this.#unanswered.delete(card.id);
    this.#replace(card, { answer, live: undefined });
  }

  /** A card is a value: what shows it sees that it changed. */
  #replace(card: Card, changes: Partial<Card>): void {
    const changed = { ...card, ...changes };
    this.#byAction.set(card.id, changed);
    const at = findPlace(this.cards, card.id);
    if (at >= 0) this.#put(at, changed);
    if (this.asked?.id === card.id) this.asked = changed.answer ? undefined : changed;
  }

  #put(at: number, card: Card): void {
    this.cards[at] = card;
    this.#changes.push(at);
    if (this.#changes.length > 2 * CHANGES_LIMIT) {
      this.#forgotten += CHANGES_LIMIT;
      this.#changes.splice(0, CHANGES_LIMIT);
    }
  }

  #changeState(event: WireEvent): void {
    this.agentState = textAt(event.extras, "agent_state");
    this.asked = this.agentState === "awaiting_user_confirmation" ? this.#lastOpen() : undefined;
  }

  #changeShell(event: WireEvent): void {
    this.open = findOpenCommand(event, this.open);
    this.#folder = textAt(event.extras, "metadata", "working_dir") || this.#folder;
  }

  #changeStatus(event: WireEvent): void {
    this.status = event.content ?? "";
    if (BEGINNINGS.has(event.status ?? "")) this.open = this.#folder = undefined;
  }

  /** The latest action that has no answer yet. */
  #lastOpen(): Card | undefined {
    const last = [...this.#unanswered].at(-1);
    return last === undefined ? undefined : this.#byAction.get(last);
  }
}

function readVerdict(event: WireEvent): Verdict | undefined {
  const found = valueAt(event, "cloche", "security_verdict");
  if (typeof found !== "object" || found === null) return undefined;
  const { decision, findings } = found as Partial<Verdict>;
  return typeof decision === "string" ? { risk: "", ...found, decision, findings: findings ?? [] } : undefined;
}

/** The command that an observation leaves running. */
function findOpenCommand({ extras, content = "" }: WireEvent, before?: OpenCommand): OpenCommand | undefined {
  if (valueAt(extras, "metadata", "exit_code") !== -1 || content.startsWith("ERROR:")) return undefined;
  const goesOn = textAt(extras, "metadata", "prefix").includes(CONTINUED);
  return {
    command: (goesOn && before?.command) || textAt(extras, "command"),
    asks: textAt(extras, "metadata", "suffix").includes(ASKS),
    prompt: content.slice(content.lastIndexOf("\n") + 1),
  };
}

/** The place of the card with this id in a list that is in order; -1 if it is not there. */
export function findPlace(cards: readonly { id: number }[], id: number): number {
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
