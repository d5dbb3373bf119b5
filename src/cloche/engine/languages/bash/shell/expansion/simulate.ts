/** Matches patterns with groups by following all places at once: never slower than text times pattern. */
import type { Item } from "./pattern_items.ts";

/** Which places (0 to the length) are reached. */
type Places = Uint8Array;

/** A test for one character by item, so that sets are compiled once. */
export class Simulation {
  readonly #sets = new Map<string, (char: string) => boolean>();

  constructor(private readonly nocase: boolean) {}

  /** The places that are reached from `start` on. */
  run(items: Item[], text: string[], start: number): Places {
    const places = new Uint8Array(text.length + 1);
    places[start] = 1;
    return this.#follow(items, text, places);
  }

  #follow(items: Item[], text: string[], from: Places): Places {
    let places = from;
    for (const item of items) places = this.#step(item, text, places);
    return places;
  }

  #step(item: Item, text: string[], from: Places): Places {
    if (item.type === "group") return this.#group(item.operator, item.branches, text, from);
    const to = new Uint8Array(from.length);
    if (item.type === "star") {
      const first = from.indexOf(1);
      if (first >= 0) to.fill(1, first);
      return to;
    }
    const test = this.#test(item);
    for (let i = 0; i < text.length; i++) if (from[i] && test(text[i])) to[i + 1] = 1;
    return to;
  }

  #test(item: Item): (char: string) => boolean {
    if (item.type === "char") {
      if (!this.nocase) return (char) => char === item.char;
      const lower = item.char.toLowerCase();
      return (char) => char.toLowerCase() === lower;
    }
    if (item.type !== "set") return () => true;
    const known = this.#sets.get(item.source);
    if (known) return known;
    const regex = new RegExp(item.source, this.nocase ? "ui" : "u");
    const test = (char: string) => regex.test(char);
    this.#sets.set(item.source, test);
    return test;
  }

  #group(operator: string, branches: Item[][], text: string[], from: Places): Places {
    if (operator === "!") return this.#none(branches, text, from);
    const once = this.#any(branches, text, from);
    if (operator === "@") return once;
    if (operator === "?") return join(once, from);
    // Repeats until nothing new is reached.
    const reached = operator === "*" ? join(once, from) : once;
    for (let latest = once;;) {
      latest = this.#any(branches, text, latest);
      if (!addTo(reached, latest)) return reached;
    }
  }

  #any(branches: Item[][], text: string[], from: Places): Places {
    const to = new Uint8Array(from.length);
    for (const branch of branches) addTo(to, this.#follow(branch, text, from));
    return to;
  }

  /** From each place, all further ones that no branch reaches from there. */
  #none(branches: Item[][], text: string[], from: Places): Places {
    const to = new Uint8Array(from.length);
    for (let start = 0; start < from.length; start++) {
      if (!from[start]) continue;
      const alone = new Uint8Array(from.length);
      alone[start] = 1;
      const ends = this.#any(branches, text, alone);
      for (let end = start; end < to.length; end++) if (!ends[end]) to[end] = 1;
    }
    return to;
  }
}

/** Adds places to others; whether any was new. */
function addTo(places: Places, more: Places): boolean {
  let grew = false;
  for (let i = 0; i < more.length; i++) {
    if (!more[i] || places[i]) continue;
    places[i] = 1;
    grew = true;
  }
  return grew;
}

function join(a: Places, b: Places): Places {
  const both = a.slice();
  addTo(both, b);
  return both;
}
