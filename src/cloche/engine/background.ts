/** What calls leave running: which languages have such work, how it is stopped, and which calls wait behind it. */

import type { Language, ToHost } from "./protocol.ts";
import type { Slot } from "./slot.ts";

/** Milliseconds after which a run that has not begun is said to wait. */
const PROMPT = 100;
/** Milliseconds between two signals to a worker that computes: one may meet code that must not be interrupted. */
const URGE_EVERY = 50;
const MOST = 20;
const LENGTH = 200;
const LEFT = "what it had left running could not be stopped in any other way";

export interface Surroundings {
  readonly slots: ReadonlyMap<Language, Slot>;
  send(message: ToHost): void;
  replace(language: Language, why: string): void;
  /** Has the host replace the process. */
  giveUp(): void;
}

export class Background {
  readonly #work = new Map<Language, string[]>();
  /** Runs that have not begun; without a timer if the host knows of it. */
  readonly #waiting = new Map<number, { language: Language; timer?: ReturnType<typeof setTimeout> }>();
  readonly #stopping = new Set<Language>();

  constructor(private readonly around: Surroundings) {}

  /** A worker has told what it does when nobody calls. */
  report(language: Language, work: string[]): void {
    const known = work.slice(0, MOST).map((each) => String(each).slice(0, LENGTH));
    if (known.length > 0) this.#work.set(language, known);
    else if (!this.#work.delete(language)) return;
    this.around.send({ op: "background", work: Object.fromEntries(this.#work) });
  }

  /** A run was given to a worker that is ready: it begins at once, or something is in its way. */
  expect(run: number, language: Language): void {
    const timer = setTimeout(() => {
      this.#waiting.set(run, { language });
      this.around.send({ op: "waiting", id: run });
    }, PROMPT);
    this.#waiting.set(run, { language, timer });
  }

  /** It has begun, or is over. */
  begun(run: number): void {
    const waiting = this.#waiting.get(run);
    if (!waiting) return;
    this.#waiting.delete(run);
    this.#stopping.delete(waiting.language);
    if (waiting.timer === undefined) this.around.send({ op: "begun", id: run });
    else clearTimeout(waiting.timer);
  }

  /** Stops all of it: the work first, then those who do not listen. */
  stop(grace: number): void {
    const blocked = [...this.#waiting.values()].map(({ language }) => language);
    for (const language of new Set([...this.#work.keys(), ...blocked])) {
      this.#stopping.add(language);
      this.around.slots.get(language)?.post({ op: "stop_background" });
    }
    const urge = setInterval(() => {
      for (const language of this.#stopping) this.around.slots.get(language)?.shared.urge();
    }, URGE_EVERY);
    const asked = new Map(this.#work);
    setTimeout(() => {
      clearInterval(urge);
      this.#replaceStuck(asked);
    }, grace * 1000);
  }

  /** A worker has stopped what could be stopped. */
  stopped(language: Language): void {
    this.#stopping.delete(language);
  }

  #busy(language: Language): boolean {
    return (this.around.slots.get(language)?.owed.size ?? 0) > 0;
  }

  #replaceStuck(asked: ReadonlyMap<Language, string[]>): void {
    const stuck = this.#stopping.size > 0;
    this.#stopping.clear();
    // A thread that computes cannot be ended alone.
    if (stuck) return this.around.giveUp();
    // What was told anew is other work; one that a run has come to meanwhile is looked at again when it is over.
    const same = [...this.#work].filter(([language, work]) => work === asked.get(language) && !this.#busy(language));
    for (const [language] of same) {
      this.report(language, []);
      this.around.replace(language, LEFT);
    }
  }
}
