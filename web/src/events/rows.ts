/** The rows of the stream: cards that one wants to see, and quiet lines that follow each other as one. */

import { type Card, type CardList, findPlace } from "./cards.ts";
import { ALL, type Choice, makeTest } from "./choice.ts";
import { isLine } from "./kinds.ts";

export type Row = { kind: "card"; id: number; card: Card } | { kind: "lines"; id: number; cards: readonly Card[] };

/** How many cards are looked at between two looks at the clock. */
const STEP = 256;
/** The most quiet lines of one row. */
const LINES = 200;

/** Keeps up with a list of cards: what was looked at once is not looked at again unless it changes. */
export class RowList {
  readonly rows: Row[] = [];
  /** How many cards are in the rows. */
  shown = 0;
  #list: CardList | undefined;
  #choice = ALL;
  #test = makeTest(ALL);
  /** The first card that was not looked at. */
  #next = 0;
  #seen = 0;

  /** Takes in what is new, for so many milliseconds; true if that was all. */
  update(list: CardList, choice: Choice, budget = 10): boolean {
    if (list !== this.#list || choice.kind !== this.#choice.kind || choice.text !== this.#choice.text) {
      this.#begin(list, choice);
    }
    const changed = list.changedSince(this.#seen);
    this.#seen = list.changes;
    if (!changed) this.#cut(list, 0);
    else for (const at of changed) this.#look(list, at);
    return this.#takeMore(list, performance.now() + budget);
  }

  /** The place of the row that has this card, or of the last one before it; -1 if there is none. */
  find(id: number): number {
    let low = 0;
    let high = this.rows.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if ((this.rows[middle]?.id ?? 0) <= id) low = middle + 1;
      else high = middle - 1;
    }
    return high;
  }

  #begin(list: CardList, choice: Choice): void {
    this.#list = list;
    this.#choice = choice;
    this.#test = makeTest(choice);
    this.#seen = list.changes;
    this.#cut(list, 0);
  }

  /** Looks at a card again that has changed. */
  #look(list: CardList, at: number): void {
    const card = list.cards[at];
    if (!card || at >= this.#next) return;
    const place = this.find(card.id);
    const row = this.rows[place];
    const has = row?.kind === "card" ? row.id === card.id : row !== undefined && findPlace(row.cards, card.id) >= 0;
    const wanted = !this.#test || this.#test(card);
    if (has !== wanted) this.#cut(list, at);
    else if (has && row) this.rows[place] = putCard(row, card);
  }

  /** Forgets all from this card on: it is looked at again. */
  #cut(list: CardList, at: number): void {
    const from = list.cards[at]?.id ?? Infinity;
    this.#next = Math.min(this.#next, at);
    if (at === 0) this.rows.length = this.shown = 0;
    while (this.rows.length > 0) {
      const last = this.rows.at(-1);
      if (!last || lastId(last) < from) break;
      this.rows.pop();
      const kept = last.kind === "lines" ? last.cards.filter(({ id }) => id < from) : [];
      this.shown -= countCards(last) - kept.length;
      if (kept.length > 0) this.rows.push({ kind: "lines", id: last.id, cards: kept });
    }
  }

  #takeMore(list: CardList, until: number): boolean {
    const { cards } = list;
    while (this.#next < cards.length) {
      const end = Math.min(cards.length, this.#next + STEP);
      for (; this.#next < end; this.#next++) {
        const card = cards[this.#next];
        if (card && (!this.#test || this.#test(card))) this.#append(card);
      }
      if (performance.now() > until) break;
    }
    return this.#next >= cards.length;
  }

  #append(card: Card): void {
    this.shown++;
    const last = this.rows.at(-1);
    if (!isLine(card.event)) this.rows.push({ kind: "card", id: card.id, card });
    else if (last?.kind !== "lines" || last.cards.length >= LINES) {
      this.rows.push({ kind: "lines", id: card.id, cards: [card] });
    } else this.rows[this.rows.length - 1] = { ...last, cards: [...last.cards, card] };
  }
}

function putCard(row: Row, card: Card): Row {
  if (row.kind === "card") return { ...row, card };
  return { ...row, cards: row.cards.map((each) => (each.id === card.id ? card : each)) };
}

function countCards(row: Row): number {
  return row.kind === "card" ? 1 : row.cards.length;
}

function lastId(row: Row): number {
  return row.kind === "card" ? row.id : row.cards.at(-1)?.id ?? row.id;
}
