/** A spare worker without a language yet: starting a thread and loading shared code takes half of a load. */

import type { FromWorker } from "../protocol.ts";
import type { Spawn, WorkerLike } from "./worker_slot.ts";

interface Spare {
  worker: WorkerLike;
  receive: (message: FromWorker) => void;
  failed: (message: string) => void;
}

/** The name of a worker that gets its language when it starts. */
export const SPARE_NAME = "spare";

export class SpareWorkers {
  #spare: Spare | null = null;

  constructor(private readonly start: (name: string, ...rest: Tail<Parameters<Spawn>>) => WorkerLike) {}

  /** The spare worker if there is one, else a new one. */
  readonly spawn: Spawn = (language, receive, failed) => {
    const spare = this.#spare;
    if (!spare) return this.start(language, receive, failed);
    this.#spare = null;
    spare.receive = receive;
    spare.failed = failed;
    return spare.worker;
  };

  /** Keeps one ready from now on, until it is taken. */
  prepare(): void {
    if (this.#spare) return;
    const drop = () => {
      if (this.#spare === spare) this.#spare = null;
    };
    const spare: Spare = { worker: { post: () => {}, terminate: () => {} }, receive: () => {}, failed: drop };
    spare.worker = this.start(SPARE_NAME, (message) => spare.receive(message), (text) => spare.failed(text));
    this.#spare = spare;
  }

  /** Drops the spare one. */
  clear(): void {
    this.#spare?.worker.terminate();
    this.#spare = null;
  }
}

type Tail<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;
