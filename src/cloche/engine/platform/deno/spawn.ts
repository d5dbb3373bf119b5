/** Starts workers with fewer rights than the main thread: no socket, no environment. */

import type { FromWorker } from "../../protocol.ts";
import type { Spawn } from "../../router/worker_slot.ts";

export function spawnDenoWorker(): Spawn {
  return (name, receive, failed) => {
    const permissions: Deno.PermissionOptions = {
      read: "inherit",
      write: "inherit",
      env: false,
      net: false,
      run: false,
      ffi: false,
      sys: false,
      import: false,
    };
    const url = new URL("../../worker/main.ts", import.meta.url);
    const worker = new Worker(url, { name, type: "module", deno: { permissions } });
    worker.onmessage = (event: MessageEvent<FromWorker>) => receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      failed(event.message);
    };
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      terminate: () => worker.terminate(),
    };
  };
}
