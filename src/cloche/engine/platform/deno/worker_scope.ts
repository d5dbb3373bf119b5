/** What a worker needs from Deno, taken before the guest runs; in a browser another file replaces this one. */

const scope = self as unknown as {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: string, listener: (event: MessageEvent) => void): void;
};
const { os } = Deno.build;
const { memoryUsage } = Deno;
const post = scope.postMessage.bind(scope);

/** Names of the global object that stay when the guest runs, besides those of the language itself. */
const KEPT = new Set(
  ("AbortController AbortSignal Blob Buffer CompressionStream DOMException DecompressionStream ErrorEvent Event EventTarget " +
    "MessageEvent Performance PromiseRejectionEvent ReadableStream TextDecoder TextEncoder TransformStream URL " +
    "URLSearchParams WebAssembly WorkerGlobalScope WritableStream atob btoa clearImmediate clearInterval clearTimeout " +
    "console crypto global performance process queueMicrotask self setImmediate setInterval setTimeout structuredClone")
    .split(" "),
);

export function openMessages<In, Out>() {
  // A failed task that the guest forgot must not end its worker.
  for (const type of ["unhandledrejection", "error"]) scope.addEventListener(type, (event) => event.preventDefault());
  return {
    /** How many messages were posted. */
    sent: 0,
    post(message: Out, transfer: Transferable[] = []): void {
      this.sent++;
      post(message, transfer);
    },
    listen: (act: (message: In) => void) => scope.addEventListener("message", (event) => act(event.data as In)),
  };
}

/** Bytes of this thread's JavaScript heap, and of the memory that it references. */
export function heapBytes(): number {
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/** Removes the host's abilities from the global object: guest code that reaches JavaScript finds none. */
export function sealGlobals(): void {
  const globals = globalThis as unknown as Record<string, unknown>;
  const standard = new Set(STANDARD);
  for (const name of Object.getOwnPropertyNames(globals)) {
    if (standard.has(name) || KEPT.has(name)) continue;
    if (Object.getOwnPropertyDescriptor(globals, name)?.configurable) delete globals[name];
  }
  // Deno's own code reads the system's name from the global object whenever it opens a file.
  globals.Deno = Object.freeze({ __proto__: null, build: Object.freeze({ __proto__: null, os }) });
}

const STANDARD =
  ("AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date " +
    "DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity " +
    "Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError " +
    "ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError " +
    "URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI " +
    "decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt " +
    "undefined unescape").split(" ");
