/** Sends Ruby a signal: writes it into its memory as its own handler would. */

/** Addresses that were found when Ruby was packed. */
export interface Signals {
  /** How many interrupts are pending, and how many signals of any kind. */
  count: number;
  size: number;
  /** The thread's execution context, and the offset of its flags there. */
  context: number;
  flags: number;
  /** The flag that makes Ruby check for signals. */
  bit: number;
}

/** What is known about the packed module. */
export interface SignalFacts extends Signals {
  /** Bytes of its memory that were reserved and never used. */
  idle: number;
}

export function readFacts(data: Uint8Array): SignalFacts {
  return JSON.parse(new TextDecoder().decode(data)) as SignalFacts;
}

/** Numbers of signals. */
const INTERRUPT = 2;
const ALARM = 14;

/** Makes Ruby raise Interrupt at its next check. */
export function raiseInterrupt(memory: WebAssembly.Memory, signals: Signals): void {
  note(memory, signals, INTERRUPT);
}

/** Makes Ruby run its handler for an alarm. */
export function raiseAlarm(memory: WebAssembly.Memory, signals: Signals): void {
  note(memory, signals, ALARM);
}

/** Does nothing if such a signal is pending already. */
function note(memory: WebAssembly.Memory, signals: Signals, kind: number): void {
  const { size, context, flags, bit } = signals;
  const view = new DataView(memory.buffer);
  const count = counter(signals, kind);
  const flag = view.getUint32(context, true) + flags;
  // The guest may have written anything there.
  if (flag + 4 > view.byteLength || view.getInt32(count, true) !== 0) return;
  view.setInt32(count, 1, true);
  view.setInt32(size, view.getInt32(size, true) + 1, true);
  view.setInt32(flag, view.getInt32(flag, true) | bit, true);
}

/** Forgets a signal that came too late. */
export function clearSignals(memory: WebAssembly.Memory, signals: Signals): void {
  const view = new DataView(memory.buffer);
  for (const kind of [INTERRUPT, ALARM]) {
    const count = counter(signals, kind);
    const waiting = view.getInt32(count, true);
    view.setInt32(signals.size, Math.max(0, view.getInt32(signals.size, true) - waiting), true);
    view.setInt32(count, 0, true);
  }
}

function counter({ count }: Signals, kind: number): number {
  return count + (kind - INTERRUPT) * 4;
}
