/** Work that calls leave running: which languages have it, the time it takes, how it is stopped, which calls wait. */

import type { Language, ToHost } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

/** Milliseconds after which a run that has not begun is said to wait. */
const PROMPT = 100;
/** Milliseconds between two signals to a worker that computes: one may meet code that must not be interrupted. */
const SIGNAL_EVERY = 50;
/** Milliseconds that it has to end beside runs, which a harder way to end it would cost their state. */
const PATIENCE = 2000;
const MOST = 20;
const LENGTH = 200;
/** Milliseconds of one sample that count at most: this thread may have been kept from looking. */
const LONGEST_SAMPLE = 200;
const LEFT = "what it had left running could not be stopped in any other way";

interface Surroundings {
  readonly slots: ReadonlyMap<Language, WorkerSlot>;
  /** Runs that are not done. */
  readonly runs: ReadonlyMap<number, Language>;
  send(message: ToHost): void;
  replace(language: Language, why: string): void;
  /** Has the host replace the process. */
  replaceProcess(): void;
}

export class BackgroundWork {
  readonly #work = new Map<Language, string[]>();
  /** Runs that have not begun; without a timer if the host knows of it. */
  readonly #waiting = new Map<number, { language: Language; timer?: ReturnType<typeof setTimeout> }>();
  readonly #stopping = new Set<Language>();
  #sampled = 0;
  /** Milliseconds that it has computed beside runs, and those among them in threads that these needed. */
  #beside = 0;
  #taken = 0;

  constructor(private readonly around: Surroundings) {}

  /** A worker reports what it still does after its runs. */
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

  beginSampling(): void {
    this.#sampled = performance.now();
  }

  /**
   * To be called often while runs go on: looks whom each worker computes for just now. The time since the last look goes
   * to that run; a worker that computes cannot report it itself.
   */
  sample(): void {
    const now = performance.now();
    const passed = Math.min(now - this.#sampled, LONGEST_SAMPLE);
    this.#sampled = now;
    // The host counts what the process uses then.
    if (!this.#runGoesOn) return;
    const left = [...this.around.slots.values()].filter((slot) => this.#isLeft(slot));
    if (left.length === 0) return;
    this.#beside += passed * left.length;
    if (left.some((slot) => this.serves(slot))) this.#taken += passed;
    this.around.send({ op: "beside", seconds: this.#beside / 1000, taken: this.#taken / 1000 });
  }

  get #runGoesOn(): boolean {
    return [...this.around.runs.keys()].some((run) => !this.#isWaiting(run));
  }

  #isWaiting(run: number): boolean {
    const waiting = this.#waiting.get(run);
    return waiting !== undefined && waiting.timer === undefined;
  }

  /** Whether a worker computes for a run that is over. */
  #isLeft(slot: WorkerSlot): boolean {
    const { origin } = slot.shared;
    return origin !== 0 && !this.around.runs.has(origin);
  }

  /** Whether a run that goes on has this worker; one that waits for it counts if `orWaits`. */
  serves(slot: WorkerSlot, orWaits = false): boolean {
    return [...slot.unanswered.values()].some((run) => this.around.runs.has(run) && (orWaits || !this.#isWaiting(run)));
  }

  /** Stops all of it: the work first, then those who do not listen. */
  stop(grace: number): void {
    const blocked = [...this.#waiting.values()].map(({ language }) => language);
    for (const language of new Set([...this.#work.keys(), ...blocked])) {
      this.#stopping.add(language);
      this.around.slots.get(language)?.post({ op: "stop_background" });
    }
    const requestBackgroundStop = setInterval(() => {
      for (const language of this.#stopping) this.around.slots.get(language)?.shared.requestBackgroundStop();
    }, SIGNAL_EVERY);
    const asked = new Map(this.#work);
    setTimeout(() => {
      clearInterval(requestBackgroundStop);
      this.#replaceStuck(asked);
    }, this.around.runs.size > 0 ? PATIENCE : grace * 1000);
  }

  /** A worker has stopped what could be stopped. */
  stopped(language: Language): void {
    this.#stopping.delete(language);
  }

  #busy(language: Language): boolean {
    return (this.around.slots.get(language)?.unanswered.size ?? 0) > 0;
  }

  #replaceStuck(asked: ReadonlyMap<Language, string[]>): void {
    // Beside a run, one that does not answer may serve that, or wait for another.
    const stops = !this.#runGoesOn || [...this.around.slots.values()].some((slot) => this.#isLeft(slot));
    const stuck = this.#stopping.size > 0 && stops;
    this.#stopping.clear();
    // A thread that computes cannot be ended alone.
    if (stuck) return this.around.replaceProcess();
    if (this.#runGoesOn) return;
    // A new report means other work; a worker that has a run by now is looked at again when the run is over.
    const same = [...this.#work].filter(([language, work]) => work === asked.get(language) && !this.#busy(language));
    for (const [language] of same) {
      this.report(language, []);
      this.around.replace(language, LEFT);
    }
  }
}
