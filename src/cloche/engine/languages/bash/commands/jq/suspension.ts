/** Lets WebAssembly wait for JavaScript, where the engine can do that (JSPI): else it never waits. */

type Call = (...args: never[]) => unknown;
interface Suspension {
  Suspending?: new (call: Call) => object;
  promising?: (call: Call) => Call;
}

const { Suspending, promising: promise } = WebAssembly as Suspension;

/** An import whose caller waits until there is room, after each call. */
export function suspending(call: Call, room: () => Promise<void> | undefined): object {
  if (!Suspending) return call;
  return new Suspending((...args) => {
    const result = call(...args);
    return room()?.then(() => result) ?? result;
  });
}

/** An export that may call such imports. */
export function promising<Args extends unknown[], R>(call: (...args: Args) => R): (...args: Args) => R | Promise<R> {
  return promise ? promise(call as Call) as (...args: Args) => Promise<R> : call;
}
