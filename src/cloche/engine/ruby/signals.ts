/** A signal from outside: put into Ruby's memory where its own handler would have noted it, to be taken at once. */

/** Addresses that were found when Ruby was packed. */
export interface Signals {
  /** How many interrupts wait to be taken, and how many signals of any kind. */
  count: number;
  size: number;
  /** What the thread executes now, and where in that its flags are. */
  context: number;
  flags: number;
  /** The flag that has Ruby look for signals. */
  bit: number;
}

/** What is known of the packed program. */
export interface Facts extends Signals {
  /** Bytes of its memory that were reserved and never used. */
  idle: number;
}

export function readFacts(data: Uint8Array): Facts {
  return JSON.parse(new TextDecoder().decode(data)) as Facts;
}

/** Has Ruby raise Interrupt as soon as it comes by; nothing when one waits already. */
export function interrupt(memory: WebAssembly.Memory, { count, size, context, flags, bit }: Signals): void {
  const view = new DataView(memory.buffer);
  const flag = view.getUint32(context, true) + flags;
  // The guest may have written anything here.
  if (flag + 4 > view.byteLength || view.getInt32(count, true) !== 0) return;
  view.setInt32(count, 1, true);
  view.setInt32(size, view.getInt32(size, true) + 1, true);
  view.setInt32(flag, view.getInt32(flag, true) | bit, true);
}

/** Forgets an interrupt that came too late. */
export function forget(memory: WebAssembly.Memory, { count, size }: Signals): void {
  const view = new DataView(memory.buffer);
  const waiting = view.getInt32(count, true);
  view.setInt32(size, Math.max(0, view.getInt32(size, true) - waiting), true);
  view.setInt32(count, 0, true);
}
