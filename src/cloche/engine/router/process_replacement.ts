/**
 * The last rung: a worker that computes cannot be ended, because Deno's `terminate` waits for its event loop. So the host
 * replaces the whole process, and the shell, which still responds, hands over its state.
 */

import type { WorkerSlot } from "./worker_slot.ts";

/** The number of the router's own query; the host's start with 1. */
export const OWN_QUERY = 0;
/** Milliseconds that the shell has to hand over its state. */
const SAVE_TIME = 300;

export class ProcessReplacement {
  #finish: ((state: string | null) => void) | undefined;

  constructor(
    private readonly shell: () => WorkerSlot | undefined,
    /** The state that the shell started with. */
    private readonly before: () => string | null,
    /** Gives the process up; the next one's shell continues from the state. */
    private readonly abandon: (shell: string | null) => void,
  ) {}

  begin(): void {
    if (this.#finish) return;
    const before = this.before();
    const timer = setTimeout(() => this.#take(before), SAVE_TIME);
    this.#finish = (state) => {
      this.#finish = undefined;
      clearTimeout(timer);
      this.abandon(state);
    };
    const shell = this.shell();
    if (shell?.ready) shell.post({ op: "query", id: OWN_QUERY, query: { kind: "save", code: "", cursor: 0 } });
    else this.#take(before);
  }

  /** The shell's reply; a worker may send anything. */
  receive(reply: unknown): void {
    const state = (reply as { shell?: unknown } | null | undefined)?.shell;
    if (typeof state === "string") this.#take(state);
  }

  #take(state: string | null): void {
    this.#finish?.(state);
  }
}
