/** The entry of every worker: loads its language and starts its loop. */

import { isLanguage } from "../languages/catalog.ts";
import { loadLanguage } from "../platform/deno/load_language.ts";
import { IdleCollector } from "../platform/deno/idle_collector.ts";
import { openMessages } from "../platform/deno/worker_scope.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import { WorkerLoop } from "./loop.ts";

// Libraries made for Node find an empty environment. Deno's own object is not even touched: creating it costs 20 ms.
const PROCESS = {
  env: { __proto__: null },
  platform: "linux",
  versions: {},
  cwd: () => "/",
  stdout: { fd: 1 },
  stderr: { fd: 2 },
};
Object.defineProperty(globalThis, "process", { value: PROCESS, configurable: true, writable: true });
const port = openMessages<ToWorker, FromWorker>();
/** Loads while the main thread still collects what the language needs. */
const language = isLanguage(self.name) ? loadLanguage(self.name) : null;
// The error is reported when the worker starts.
language?.catch(() => {});
const loop = new WorkerLoop(port, language);
const collector = new IdleCollector();
port.listen((message) => {
  collector.noteActivity();
  loop.receive(message);
});
