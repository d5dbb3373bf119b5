/** The runs that are not done: the language of each, and the one answer that the host gets. */

import type { Language, Outcome, ToHost } from "../protocol.ts";

export class OpenRuns {
  readonly #languages = new Map<number, Language>();
  /** The runs that were not done at the last interrupt. */
  #interrupted: ReadonlySet<number> = new Set();

  constructor(
    private readonly send: (message: ToHost) => void,
    /** Called with each run that is over, before the host gets its answer. */
    private readonly over: (run: number) => void,
  ) {}

  get languages(): ReadonlyMap<number, Language> {
    return this.#languages;
  }

  begin(run: number, language: Language): void {
    this.#languages.set(run, language);
  }

  /** Whether a run of this language is not done. */
  has(language: Language): boolean {
    return [...this.#languages.values()].includes(language);
  }

  noteInterrupt(): void {
    this.#interrupted = new Set(this.#languages.keys());
  }

  /** Notes that a run is over; its answer may follow later. False if it was over before. */
  close(run: number): boolean {
    if (!this.#languages.delete(run)) return false;
    this.over(run);
    return true;
  }

  /** Answers a run that has ended. */
  answer(run: number, outcome: Outcome, state: "kept" | "lost"): void {
    const interrupted = this.#interrupted.has(run);
    this.send({ op: "done", id: run, outcome, state, interrupted });
  }

  /** Ends a run that could not answer itself. */
  end(run: number, outcome: Outcome, state: "kept" | "lost"): void {
    if (this.close(run)) this.send({ op: "done", id: run, outcome, state });
  }

  /** Ends all runs of a language. */
  endAll(language: Language, outcome: Outcome, state: "kept" | "lost"): void {
    for (const [run, owner] of [...this.#languages]) if (owner === language) this.end(run, outcome, state);
  }
}
