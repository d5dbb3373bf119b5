/** One session in this page: its cards and its connection; components hear of changes once a frame. */

import { useSyncExternalStore } from "react";
import { type Connection, followSession, type Output } from "../api/follow_session.ts";
import { type Card, CardList } from "./cards.ts";
import type { WireEvent } from "./wire.ts";

export interface SessionState {
  /** Grows with each change: the cards are one list, which is changed in place. */
  version: number;
  cards: readonly Card[];
  latest: number;
  agentState: string;
  status: string;
  metrics: Record<string, unknown> | undefined;
  asked: Card | undefined;
  connection: Connection;
  /** Why the server refuses the connection. */
  refusal: string;
}

/** Milliseconds after which changes are told even if no frame is painted, as in a tab behind others. */
const LATEST = 250;

export class SessionStore {
  #list = new CardList();
  #raw: WireEvent[] = [];
  #state: SessionState;
  #connection: Connection = "connecting";
  #refusal = "";
  #scheduled = false;
  readonly #listeners = new Set<() => void>();
  readonly #hearers = new Set<(piece: Output) => void>();
  readonly #leave: () => void;

  constructor(readonly sid: string) {
    this.#state = this.#read(0);
    this.#leave = followSession(sid, {
      latest: () => this.#list.latest,
      event: (event) => {
        if (this.#list.add(event)) this.#raw.push(event);
        this.#schedule();
      },
      output: (piece) => {
        this.#list.hear(piece.action, piece.stream, piece.text);
        for (const hear of this.#hearers) hear(piece);
        this.#schedule();
      },
      connection: (state, why = "") => {
        this.#connection = state;
        this.#refusal = why;
        this.#schedule();
      },
    });
  }

  /** All events, in order, as they came. */
  get events(): readonly WireEvent[] {
    return this.#raw;
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Tells each piece of what actions print, in its order, before `subscribe` tells of a change. */
  hear(hearer: (piece: Output) => void): () => void {
    this.#hearers.add(hearer);
    return () => this.#hearers.delete(hearer);
  }

  readonly state = (): SessionState => this.#state;

  close(): void {
    this.#leave();
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const timer = setTimeout(() => this.#tell(), LATEST);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      this.#tell();
    });
  }

  #tell(): void {
    if (!this.#scheduled) return;
    this.#scheduled = false;
    this.#state = this.#read(this.#state.version + 1);
    for (const listener of this.#listeners) listener();
  }

  #read(version: number): SessionState {
    const { cards, latest, agentState, status, metrics, asked } = this.#list;
    const { connection, refusal } = { connection: this.#connection, refusal: this.#refusal };
    return { version, cards, latest, agentState, status, metrics, asked, connection, refusal };
  }
}

export function useSession(store: SessionStore): SessionState {
  return useSyncExternalStore(store.subscribe, store.state);
}
