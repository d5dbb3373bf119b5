/** One session in this page: its cards and its connection; components hear of changes once a frame. */

import { useSyncExternalStore } from "react";
import { type Connection, followSession, type Output } from "../api/follow_session.ts";
import { showSession } from "../api/sessions.ts";
import { describeDuration } from "../parts/when.ts";
import { type Card, CardList, findPlace, type OpenCommand } from "./cards.ts";
import type { WireEvent } from "./wire.ts";

export interface SessionState {
  /** Grows with each change: the cards are one list, which is changed in place. */
  version: number;
  /** What the stream shows: all that there is, or the session as it was at an earlier event. */
  list: CardList;
  cards: readonly Card[];
  /** The event up to which an earlier time is shown. */
  until: number | undefined;
  latest: number;
  agentState: string;
  status: string;
  metrics: Record<string, unknown> | undefined;
  asked: Card | undefined;
  running: Card | undefined;
  open: OpenCommand | undefined;
  connection: Connection;
  /** Why the server refuses the connection. */
  refusal: string;
}

/** Milliseconds after which changes are told even if no frame is painted, as in a tab behind others. */
const LATEST = 250;
/** More events than this in a frame are a flood, of which the page tells less often. */
const FLOOD = 40;
const FLOOD_PAUSE = 120;

export class SessionStore {
  readonly #all = new CardList();
  /** The session as it was earlier. */
  #earlier: CardList | undefined;
  #until: number | undefined;
  readonly #raw: WireEvent[] = [];
  #state: SessionState;
  #connection: Connection = "connecting";
  #refusal = "";
  /** When the connection was lost. */
  #lost: number | undefined;
  #scheduled = false;
  #told = 0;
  readonly #listeners = new Set<() => void>();
  readonly #hearers = new Set<(piece: Output) => void>();
  readonly #leave: () => void;

  constructor(readonly sid: string) {
    this.#state = this.#read(0);
    this.#leave = followSession(sid, {
      latest: () => this.#all.latest,
      event: (event) => {
        if (this.#all.add(event)) this.#raw.push(event);
        this.#schedule();
      },
      output: (piece) => {
        this.#all.hear(piece.action, piece.stream, piece.text);
        for (const hear of this.#hearers) hear(piece);
        this.#schedule();
      },
      connection: (state, why = "") => this.#connect(state, why),
    });
  }

  /** All events, in order, as they came. */
  get events(): readonly WireEvent[] {
    return this.#raw;
  }

  /** All that there is, also while an earlier time is shown. */
  get present(): CardList {
    return this.#all;
  }

  /** Tells each piece of what actions print, in its order, before `subscribe` tells of a change. */
  hear(hearer: (piece: Output) => void): () => void {
    this.#hearers.add(hearer);
    return () => this.#hearers.delete(hearer);
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Shows the session as it was at an event; undefined for now. */
  showUntil(id: number | undefined): void {
    this.#until = id;
    if (id === undefined) this.#earlier = undefined;
    else {
      // Forward goes on from what is shown; back begins anew.
      if (!this.#earlier || this.#earlier.latest > id) this.#earlier = new CardList();
      for (let at = findPlace(this.#raw, this.#earlier.latest) + 1; at < this.#raw.length; at++) {
        const event = this.#raw[at];
        if (!event || event.id > id) break;
        this.#earlier.add(event);
      }
    }
    this.#schedule();
  }

  close(): void {
    this.#leave();
    this.#listeners.clear();
  }

  #connect(state: Connection, why: string): void {
    if (state === "away" && this.#all.latest >= 0) this.#lost ??= Date.now();
    if (state === "connected" && this.#lost !== undefined) this.#tellLoss(Date.now() - this.#lost);
    if (state === "connected") this.#lost = undefined;
    this.#connection = state;
    this.#refusal = why;
    this.#schedule();
  }

  /** Says in the stream that the connection was away, and how much came meanwhile as soon as that is known. */
  #tellLoss(milliseconds: number): void {
    const before = this.#all.latest;
    const text = `The connection was away for ${describeDuration(milliseconds / 1000)}`;
    this.#all.note(`${text}.`);
    showSession(this.sid).then(({ events }) => {
      const missed = Math.max(0, events - 1 - before);
      const number = missed === 0 ? "nothing" : missed === 1 ? "1 event" : `${missed.toLocaleString("en")} events`;
      this.#all.correct(before + 0.5, `${text}; ${number} came meanwhile.`);
      this.#schedule();
      // The line is true without the number.
    }, () => undefined);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const timer = setTimeout(() => this.#tell(), LATEST);
    const tell = () => {
      clearTimeout(timer);
      this.#tell();
    };
    requestAnimationFrame(() => {
      if (this.#raw.length - this.#told < FLOOD) tell();
      else setTimeout(tell, FLOOD_PAUSE);
    });
  }

  #tell(): void {
    if (!this.#scheduled) return;
    this.#scheduled = false;
    this.#told = this.#raw.length;
    this.#state = this.#read(this.#state.version + 1);
    for (const listener of this.#listeners) listener();
  }

  #read(version: number): SessionState {
    const { latest, agentState, status, metrics, asked, running, open } = this.#all;
    const list = this.#earlier ?? this.#all;
    return {
      version,
      list,
      cards: list.cards,
      until: this.#until,
      latest,
      agentState,
      status,
      metrics,
      asked: this.#earlier ? undefined : asked,
      running,
      open,
      connection: this.#connection,
      refusal: this.#refusal,
    };
  }
}

export function useSession(store: SessionStore): SessionState {
  return useSyncExternalStore(store.subscribe, store.state);
}

/** A part of the state: the component is shown anew only when that changes. */
export function useSessionPart<T>(store: SessionStore, read: (state: SessionState) => T): T {
  return useSyncExternalStore(store.subscribe, () => read(store.state()));
}
