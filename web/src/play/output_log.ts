/** What a run has shown, in order: text of one stream after another, and displays. Listeners hear of it once a frame. */

import type { Bundle } from "../outputs/bundle.ts";
import type { Stream } from "./engine/runner.ts";

export type Entry =
  | { id: number; kind: "text"; stream: Stream; text: string }
  | { id: number; kind: "display"; bundle: Bundle; metadata?: Record<string, unknown> };

/** Characters that are kept: the last ones. */
export const KEPT = 200_000;
/** Characters of one entry, so that a page does not lay out all of a flood again with each frame. */
const PART = 20_000;
/** Milliseconds between two changes that are shown; a timer, since frames stop in a tab that nobody sees. */
const FRAME = 30;

export class OutputLog {
  #entries: Entry[] = [];
  #length = 0;
  #last = 0;
  #shown: Promise<void> | null = null;
  #listener: () => void = () => {};
  /** Characters at the beginning that are not kept. */
  dropped = 0;

  /** A new list after each change. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  listen(listener: () => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = () => {};
    };
  }

  clear(): void {
    this.#entries = [];
    this.#length = this.dropped = 0;
    this.#listener();
  }

  /** Settles when it is shown, so that a program does not print faster than a page can show. */
  write(text: string, stream: Stream): Promise<void> {
    const last = this.#entries.at(-1);
    this.#length += text.length;
    if (last?.kind === "text" && last.stream === stream && last.text.length < PART) {
      this.#entries[this.#entries.length - 1] = { ...last, text: last.text + text };
    } else this.#entries.push({ id: ++this.#last, kind: "text", stream, text: this.#cut(text) });
    this.#trim();
    return this.#schedule();
  }

  show(bundle: Bundle, metadata?: Record<string, unknown>): void {
    this.#entries.push({ id: ++this.#last, kind: "display", bundle, metadata });
    void this.#schedule();
  }

  #cut(text: string): string {
    const kept = text.slice(-KEPT);
    this.dropped += text.length - kept.length;
    return kept;
  }

  #trim(): void {
    while (this.#length - this.dropped > KEPT) {
      const at = this.#entries.findIndex(({ kind }) => kind === "text");
      const entry = this.#entries[at];
      if (entry?.kind !== "text" || at === this.#entries.length - 1) return;
      this.dropped += entry.text.length;
      this.#entries.splice(at, 1);
    }
  }

  #schedule(): Promise<void> {
    this.#shown ??= new Promise((resolve) =>
      setTimeout(() => {
        this.#shown = null;
        this.#entries = [...this.#entries];
        this.#listener();
        resolve();
      }, FRAME)
    );
    return this.#shown;
  }
}
