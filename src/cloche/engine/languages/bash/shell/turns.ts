/** Turns of the event loop, for whoever computes for long. */

/** How long a thread may compute before messages and timers have their turn. */
const TURN_MS = 16;

let since = performance.now();

/** Whether nothing else had a turn for a while. */
export function isTurnDue(): boolean {
  return performance.now() - since >= TURN_MS;
}

/**
 * Settles after messages, timers and other processes had their turn. A message is ten times as quick as a timer, which
 * waits for at least a millisecond; the channel is made anew since an open one would keep a program from ending.
 */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      port2.close();
      since = performance.now();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** For loops of a command: `await turns.attend()` ends it if it is to end, and lets others run now and then. */
export class Turns {
  constructor(private readonly signal: AbortSignal) {}

  attend(): void | Promise<void> {
    this.signal.throwIfAborted();
    if (isTurnDue()) return this.#giveWay();
  }

  async #giveWay(): Promise<void> {
    await giveWay();
    this.signal.throwIfAborted();
  }
}
