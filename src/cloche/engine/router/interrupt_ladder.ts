/** The interrupt ladder: code is asked to stop, then its program is ended, then its worker or the process replaced. */

import { CATALOG } from "../languages/catalog.ts";
import { STUCK } from "./outcomes.ts";
import type { Language } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

/** Milliseconds that a program has to end when it is killed. */
const KILL_TIME = 300;
const STOPPED = "it was interrupted";

/** What the ladder may do with the engine. */
interface LadderActions {
  readonly slots: ReadonlyMap<string, WorkerSlot>;
  /** Runs that are not done, with their languages. */
  readonly runs: ReadonlyMap<number, Language>;
  /** How many threads there may be. */
  workers(): number;
  /** Ends the request that blocks a worker. */
  wake(slot: WorkerSlot): void;
  /** Ends the runs that wait for a language to be ready. */
  withdraw(language: Language, slot: WorkerSlot): void;
  replace(language: Language, why: string): void;
  endProcess(slot: WorkerSlot, why: string): void;
  /** Asks the host to replace the process. */
  replaceProcess(): void;
}

export class InterruptLadder {
  /** Answers that wait until all workers of an interrupted run are idle. */
  readonly #held: (() => void)[] = [];
  #interrupts = 0;
  /** Workers that were replaced while they computed: their threads keep running. */
  #abandoned = 0;
  #last = 0;

  constructor(private readonly rungs: LadderActions) {}

  /** Whether no run is being interrupted. */
  get calm(): boolean {
    return this.#interrupts === 0;
  }

  /** First rung: signal byte and cancelled awaits. A worker that does not respond in time is replaced. */
  interrupt(grace: number): void {
    const runs = [...this.rungs.runs.keys()];
    const cancel = ++this.#last;
    this.#interrupts++;
    for (const slot of [...this.rungs.slots.values()]) {
      if (slot.unanswered.size === 0 || (slot.process > 0 && !serves(slot, runs))) continue;
      // An interrupt would break a program that is being started; its start continues for the next run.
      if (!slot.ready && CATALOG[slot.language].pack) {
        this.rungs.withdraw(slot.language, slot);
        continue;
      }
      if (!slot.ready && slot.process > 0) {
        this.rungs.endProcess(slot, STOPPED);
        continue;
      }
      slot.shared.interrupt();
      this.rungs.wake(slot);
      slot.post({ op: "cancel", cancel });
    }
    setTimeout(() => this.#replaceStuck(runs, cancel, grace), grace * 1000);
  }

  /** After an interrupt, a helper of the run may still be stuck: the next run must not meet it. */
  afterInterrupts(act: () => void): void {
    this.#held.push(act);
    this.release();
  }

  /** Call it whenever a worker owes one answer less. */
  release(): void {
    const busy = [...this.rungs.slots.values()].some((slot) => slot.unanswered.size > 0 && slot.shared.interrupted);
    if (this.#interrupts > 0 && busy) return;
    this.#letGo();
  }

  /** The process is being replaced: stop waiting for anything here. */
  end(): void {
    this.#interrupts = 0;
    this.#letGo();
  }

  #letGo(): void {
    for (const act of this.#held.splice(0)) act();
  }

  #replaceStuck(runs: number[], cancel: number, grace: number): void {
    this.#interrupts = Math.max(0, this.#interrupts - 1);
    // It costs nothing else, and may be what the others wait for.
    const processes = [...this.rungs.slots.values()].filter((slot) => slot.process > 0 && serves(slot, runs));
    for (const slot of processes) this.rungs.endProcess(slot, STOPPED);
    const alive = runs.some((run) => this.rungs.runs.has(run));
    if (alive && processes.length > 0) return this.#again(runs, cancel, grace);
    const workers = [...this.rungs.slots.values()].filter((slot) => slot.process === 0);
    const stuck = workers.filter((slot) => slot.unanswered.size > 0 && slot.cancelsSeen < cancel)
      .map((slot): [Language, WorkerSlot] => [slot.language, slot]);
    const killable = stuck.filter(([language]) => CATALOG[language].pack);
    if (alive && killable.length > 0) return this.#kill(killable, () => this.#replaceStuck(runs, cancel, grace));
    if (alive && stuck.length === 0) this.#replaceOwners(runs);
    else if (alive || this.#held.length > 0) {
      this.#abandoned += stuck.length;
      const crowded = this.#abandoned + workers.length > this.rungs.workers();
      if (crowded || stuck.some(([language]) => language === "python")) return this.rungs.replaceProcess();
      for (const [language] of stuck) this.rungs.replace(language, STUCK);
      // Workers that only waited for the stuck one have as much time again.
      setTimeout(() => this.#replaceOwners(runs), grace * 1000);
    }
    this.release();
  }

  /** Workers that only waited for a program have a little time to go on. */
  #again(runs: number[], cancel: number, grace: number): void {
    this.#interrupts++;
    setTimeout(() => this.#replaceStuck(runs, cancel, grace), KILL_TIME);
  }

  /** Programs that check their clock end by themselves, and their workers report it. The others are abandoned. */
  #kill(stuck: [Language, WorkerSlot][], then: () => void): void {
    for (const [, slot] of stuck) slot.shared.kill();
    setTimeout(() => {
      for (const [language, slot] of stuck) {
        if (this.rungs.slots.get(language) !== slot || slot.unanswered.size === 0) continue;
        this.#abandoned++;
        this.rungs.replace(language, STUCK);
      }
      this.#interrupts++;
      then();
    }, KILL_TIME);
  }

  #replaceOwners(runs: number[]): void {
    const owners = runs.map((run) => this.rungs.runs.get(run));
    for (const language of new Set(owners)) if (language) this.rungs.replace(language, STUCK);
  }
}

/** Whether a worker runs a program for one of these runs. */
function serves(slot: WorkerSlot, runs: number[]): boolean {
  return [...slot.unanswered.values()].some((run) => runs.includes(run));
}
