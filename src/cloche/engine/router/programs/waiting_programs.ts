/** Programs for which there is no interpreter yet: they wait for a place, in order, until nothing ends any more. */

/** More than that are refused at once. */
const MOST = 256;
/** Milliseconds in which one of those that run must end: else they may all wait for one that has no place. */
const STALL = 60_000;

/** A program that waits. */
export interface WaitingProgram {
  /** The run that it is for. */
  run: number;
  /** Whether this is the one that a caller means by a number of its own. */
  is(caller: object, request: number): boolean;
  isFrom(caller: object): boolean;
  /** Starts it; false if there is still no place. */
  start(): boolean;
  stop(): void;
  refuse(why: string): void;
}

export class WaitingPrograms {
  #queue: WaitingProgram[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly stall = STALL) {}

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** False if too many wait. */
  add(program: WaitingProgram): boolean {
    if (this.#queue.length >= MOST) return false;
    this.#queue.push(program);
    if (this.#queue.length === 1) this.#watch();
    return true;
  }

  /** A place may be free. */
  startNext(): void {
    while (this.#queue.length > 0 && this.#queue[0].start()) {
      this.#queue.shift();
      this.#watch();
    }
  }

  /** Its caller does not need it any more. */
  stop(caller: object, request: number): void {
    for (const program of this.#take((each) => each.is(caller, request))) program.stop();
  }

  /** An interrupt ends what waits for these runs; those that run see it themselves. */
  interrupt(isActive: (run: number) => boolean): void {
    for (const program of this.#take(({ run }) => isActive(run))) program.stop();
  }

  /** Its caller is gone. */
  drop(caller: object): void {
    this.#take((program) => program.isFrom(caller));
  }

  #take(is: (program: WaitingProgram) => boolean): WaitingProgram[] {
    const found = this.#queue.filter(is);
    this.#queue = this.#queue.filter((program) => !is(program));
    if (this.#queue.length === 0) clearTimeout(this.#timer);
    return found;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#queue.length === 0) return;
    this.#timer = setTimeout(() => {
      for (const program of this.#take(() => true)) program.refuse(`none has ended for ${this.stall / 1000} s`);
    }, this.stall);
  }
}
