/** What a worker needs from a browser, taken before the guest runs. */

const scope = self as unknown as {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: string, listener: (event: MessageEvent) => void): void;
};
const post = scope.postMessage.bind(scope);

/** Ways out of the worker: to the network, or to the browser's storage. */
const TAKEN = ("BroadcastChannel Cache CacheStorage EventSource FileReader FileReaderSync IDBFactory Notification " +
  "SharedWorker WebSocket WebSocketStream WebTransport Worker XMLHttpRequest caches createImageBitmap fetch " +
  "importScripts indexedDB navigator postMessage serial usb bluetooth hid").split(" ");

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
    listen: (act: (message: In) => void) =>
      scope.addEventListener("message", (event) => {
        if (event.data?.op !== "greeting") act(event.data as In);
      }),
  };
}

/** A worker of a browser cannot find out how large its heap is. */
export function heapBytes(): number {
  return 0;
}

/** Removes the worker's abilities from its global object and its prototypes. */
export function sealGlobals(): void {
  for (let at: object | null = globalThis; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of TAKEN) {
      if (Object.getOwnPropertyDescriptor(at, name)?.configurable) delete (at as Record<string, unknown>)[name];
    }
  }
}
