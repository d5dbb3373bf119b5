/** Starts web workers, and serves the files they share. */

import type { Files } from "../../fs/files.ts";
import type { FromWorker } from "../../protocol.ts";
import type { Spawn } from "../../router/worker_slot.ts";
import { FileServer } from "./file_server.ts";
import type { FileCall } from "./file_calls.ts";

export function spawnBrowserWorker(files: Files): Spawn {
  return (name, receive, failed) => {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { name, type: "module" });
    const server = new FileServer(files);
    worker.postMessage({ op: "greeting", replies: server.replies.buffer });
    worker.onmessage = ({ data }: MessageEvent<FromWorker | FileCall | { op: "files-next" }>) => {
      if (data.op === "files") server.receive(data);
      else if (data.op === "files-next") server.next();
      else receive(data);
    };
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
