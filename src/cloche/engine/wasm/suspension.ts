/** Lets a WebAssembly module wait for promises of ours without knowing it; where the platform cannot, nothing waits. */

type Later<T> = T | Promise<T>;
type Call = (...args: never[]) => unknown;

interface Integration {
  Suspending: new (call: Call) => object;
  promising(entry: Call): (...args: unknown[]) => Promise<unknown>;
}

const { Suspending, promising } = WebAssembly as unknown as Partial<Integration>;

/** Whether modules can wait here. */
export const CAN_SUSPEND = Suspending !== undefined && promising !== undefined;

/** An import that may return a promise: the module is suspended until it is settled. */
export function suspending(call: Call): Call {
  return Suspending ? new Suspending(call) as unknown as Call : call;
}

/** Calls an export during which imports may suspend the module; no function of ours may be between the two. */
export function callSuspending(entry: Call, ...args: unknown[]): Later<unknown> {
  return promising ? promising(entry)(...args) : (entry as (...args: unknown[]) => unknown)(...args);
}
