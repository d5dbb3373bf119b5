/** Turns of the event loop, for whoever computes for long. */

/** How long a thread may compute before messages have their turn, and before timers have it. */
const TURN_MS = 16;
const TIMERS_MS = 50;

/** Taken while the global object still has it: it is sealed before guests run. */
const { MessageChannel: Channel } = globalThis;

let since = performance.now();
let timersSince = since;

/** Whether nothing else had a turn for a while. */
export function isTurnDue(): boolean {
  return performance.now() - since >= TURN_MS;
}

/**
 * Settles after others had their turn. Waiting for a timer takes some milliseconds, so that is done less often than waiting
 * for a message; but who only waits for messages keeps Deno's timers from being looked at for a second.
 */
export async function giveWay(): Promise<void> {
  const now = performance.now();
  if (now - timersSince >= TIMERS_MS) {
    await new Promise((resolve) => setTimeout(resolve));
    timersSince = performance.now();
  } else await passMessage();
  since = performance.now();
}

/** The channel is made anew, since an open one would keep a program from ending. */
function passMessage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new Channel();
    port1.onmessage = () => {
      port1.close();
      port2.close();
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
