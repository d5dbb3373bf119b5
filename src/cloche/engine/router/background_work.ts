/** Work that calls leave running: which languages have it, the time it takes, how it is stopped, which calls wait. */

import type { Language, ToHost } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

/** Milliseconds after which a run that has not started is reported as waiting. */
const PROMPT = 100;
/** Milliseconds between two signals to a worker that computes: one may hit code that must not be interrupted. */
const SIGNAL_EVERY = 50;
/**
 * Milliseconds that background work has to stop while runs are active, or in a worker that responds and waits for its
 * programs to end: force would cost them their state.
 */
const PATIENCE = 2000;
const MOST = 20;
const LENGTH = 200;
/** The most milliseconds that one sample counts: this thread may have been delayed. */
const LONGEST_SAMPLE = 200;
const LEFT = "what it had left running could not be stopped in any other way";

interface Surroundings {
  readonly slots: ReadonlyMap<string, WorkerSlot>;
  /** Runs that are not done. */
  readonly runs: ReadonlyMap<number, Language>;
  send(message: ToHost): void;
  replace(language: Language, why: string): void;
  /** Asks the host to replace the process. */
  replaceProcess(): void;
}

export class BackgroundWork {
  readonly #work = new Map<Language, string[]>();
  /** Runs that have not started; without a timer if the host knows of it. */
  readonly #waiting = new Map<number, { language: Language; timer?: ReturnType<typeof setTimeout> }>();
  readonly #stopping = new Set<Language>();
  #sampled = 0;
  /** Milliseconds that it has computed during runs, and how many of them on threads that a run was waiting for. */
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

  /** A run was sent to a worker that is ready: it starts at once, or something is in its way. */
  expect(run: number, language: Language): void {
    const timer = setTimeout(() => {
      this.#waiting.set(run, { language });
      this.around.send({ op: "waiting", id: run });
    }, PROMPT);
    this.#waiting.set(run, { language, timer });
  }

  /** It has started, or is over. */
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
   * Call it often while runs are active: it checks for which run each worker computes. The time since the last check is
   * charged to that run; a worker that computes cannot report it itself.
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

  /** Whether an active run uses this worker; with `orWaits`, also one that waits for it. */
  serves(slot: WorkerSlot, orWaits = false): boolean {
    return [...slot.unanswered.values()].some((run) => this.around.runs.has(run) && (orWaits || !this.#isWaiting(run)));
  }

  /** Stops all of it: the work first, then workers that do not respond. */
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
      this.#replaceStuck();
    }, this.around.runs.size > 0 ? PATIENCE : grace * 1000);
    setTimeout(() => this.#replaceOwners(asked), PATIENCE);
  }

  /** A worker has stopped what could be stopped. */
  stopped(language: Language): void {
    this.#stopping.delete(language);
  }

  #busy(language: Language): boolean {
    return (this.around.slots.get(language)?.unanswered.size ?? 0) > 0;
  }

  #replaceStuck(): void {
    // During a run, a worker that does not answer may serve that run, or wait for another worker.
    const stops = !this.#runGoesOn || [...this.around.slots.values()].some((slot) => this.#isLeft(slot));
    const stuck = this.#stopping.size > 0 && stops;
    this.#stopping.clear();
    // A thread that computes cannot be ended alone.
    if (stuck) this.around.replaceProcess();
  }

  /** Replaces workers that respond, but whose work does not end. */
  #replaceOwners(asked: ReadonlyMap<Language, string[]>): void {
    if (this.#runGoesOn) return;
    // A new report means other work; a worker that has a run by now is checked again when the run is over.
    const same = [...this.#work].filter(([language, work]) => work === asked.get(language) && !this.#busy(language));
    for (const [language] of same) {
      this.report(language, []);
      this.around.replace(language, LEFT);
    }
  }
}
