/**
 * A worker with a language and its router in one thread, for pages that are not isolated: it shares no memory with the page.
 * Nothing can answer it while code runs, so that code cannot call other languages, and only the worker's end stops it.
 */

import { RuntimeManager } from "../../client/manager.ts";
import { isLanguage } from "../../languages/catalog.ts";
import type { ToWorker } from "../../protocol.ts";
import type { Spawn } from "../../router/worker_slot.ts";
import { WorkerLoop } from "../../worker/loop.ts";
import { RequestError } from "../../worker/request_errors.ts";
import { costOfOutput, SharedMemory } from "../../worker/shared_memory.ts";
import type { FromAlone, ToAlone } from "./alone_messages.ts";
import { useOwnFiles } from "./files.ts";
import { loadLanguage } from "./load_language.ts";
import { makeFiles, makePlatform, pageConfig } from "./page_platform.ts";

const NO_LIMIT = 2 ** 31 - 1;
const NOT_ALONE = "not in a page that is not isolated from others: its host must send COOP and COEP";

// Taken before the guest runs, because its language removes them from the worker's globals.
const scope = self as unknown as {
  name: string;
  postMessage(message: FromAlone): void;
  addEventListener(type: "message", act: (event: MessageEvent<ToAlone>) => void): void;
};
const post = scope.postMessage.bind(scope);
const PROCESS = {
  env: { __proto__: null },
  platform: "linux",
  versions: {},
  cwd: () => "/",
  stdout: { fd: 1 },
  stderr: { fd: 2 },
};
const globals = globalThis as unknown as Record<string, unknown>;
// Browsers hide the constructor here; memory of this kind serves the threads of one worker all the same.
globals.SharedArrayBuffer ??= new WebAssembly.Memory({ initial: 0, maximum: 0, shared: true }).buffer.constructor;
globals.process = PROCESS;

const files = makeFiles();
useOwnFiles(files);
const language = scope.name;

/** The language's loop in this thread; any other language is refused. */
const spawn: Spawn = (name, receive, failed) => {
  if (name !== language || !isLanguage(name)) {
    if (isLanguage(name)) queueMicrotask(() => failed(NOT_ALONE));
    return { post: () => {}, terminate: () => {} };
  }
  let shared: SharedMemory | undefined;
  const port = {
    sent: 0,
    post(message: Parameters<typeof receive>[0]): void {
      port.sent++;
      if (message.op === "request" && message.blocking) throw new RequestError("Unavailable", NOT_ALONE);
      if (message.op !== "output") return queueMicrotask(() => receive(message));
      // At once, and without waiting for a reader: code that computes leaves no time for anything else.
      receive(message);
      shared?.releaseOutput(costOfOutput(message.data));
    },
  };
  const loop = new WorkerLoop(port, loadLanguage(name));
  return {
    post(message: ToWorker): void {
      if (message.op === "init") shared = new SharedMemory(message.init.shared);
      queueMicrotask(() => loop.receive(message));
    },
    terminate: () => {},
  };
};

const manager = RuntimeManager.connect(makePlatform({}, files, spawn), pageConfig());
manager.setOutputCallback(({ message, type }) => {
  if (type === "stdout" || type === "stderr") post({ op: "output", stream: type, text: message });
});
let answer: (line: string | null) => void = () => {};

async function load(): Promise<void> {
  const error = await manager.loadRuntime(language).then(() => null, (reason) => String(reason?.message ?? reason));
  post({ op: "loaded", error, memory: memory() });
}

async function run(code: string): Promise<void> {
  const result = await manager.executeIn(language, code, {
    timeout: NO_LIMIT,
    onDisplay: (display) => post({ op: "display", display }),
    onInput: (prompt, password) => {
      post({ op: "question", prompt, password });
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  });
  post({ op: "done", result, files: files.exportFiles(), memory: memory() });
}

function memory(): number {
  return manager.listRuntimes().find(({ name }) => name === language)?.memory ?? 0;
}

scope.addEventListener("message", ({ data }) => {
  if (data.op === "load") void load();
  else if (data.op === "line") answer(data.line);
  else {
    files.replaceFiles(data.files);
    void run(data.code);
  }
});
