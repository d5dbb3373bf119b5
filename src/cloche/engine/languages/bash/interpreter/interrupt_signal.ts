/** An abort signal that also looks at a flag set from another thread, where no event can arrive. */

const POLL_MS = 10;
const aborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")?.get;

/** Watches the flag while a script runs: on each read of `aborted`, and by timer while everything waits. */
export class Interrupt {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #hit = false;
  #firing = false;

  constructor(private readonly flag: () => boolean) {
    const { signal } = this.#controller;
    // While the event is fired the signal must still say that it has not been.
    const get = () => aborted?.call(signal) || (!this.#firing && this.#look());
    Object.defineProperty(signal, "aborted", { get });
    this.#timer = setInterval(() => this.#look(), POLL_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hit(): boolean {
    return this.#hit;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): boolean {
    if (!this.#hit && this.flag()) {
      this.#hit = true;
      // Not here: code that reads the flag does not expect listeners to run.
      queueMicrotask(() => this.#fire());
    }
    return this.#hit;
  }

  #fire(): void {
    this.#firing = true;
    this.#controller.abort();
    this.#firing = false;
  }
}
