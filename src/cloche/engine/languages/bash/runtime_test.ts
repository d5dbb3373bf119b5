import { deepStrictEqual } from "node:assert/strict";
import { QUOTA_BYTES } from "../../fs/quota.ts";
import type { ExecRequest, Language } from "../../protocol.ts";
import { REQUEST, testConfig } from "../../testing/engine_harness_test.ts";
import { MemoryBudget } from "../../worker/memory_budget.ts";
import { SharedMemory } from "../../worker/shared_memory.ts";
import type { LanguageWorker } from "../language.ts";
import BashRuntime from "./runtime.ts";

/** Notes for which run bash has programs of other languages started, and starts none. */
function makeWorker(started: unknown[]): LanguageWorker {
  const worker = {
    init: {
      language: "bash",
      config: testConfig([]),
      quota: new SharedArrayBuffer(QUOTA_BYTES),
      memory: new MemoryBudget().buffer,
    },
    folders: [],
    folder: (folder: unknown) => ({ folder }),
    shared: new SharedMemory(),
    outputBuffer: { open() {}, write() {}, flush() {} },
    spawn(_run: number, _language: Language, { argv, origin }: ExecRequest) {
      started.push([argv?.[1], origin]);
      return Promise.resolve({ exitCode: 0 });
    },
  };
  return worker as unknown as LanguageWorker;
}

Deno.test("a program counts for the run that has begun its job, also if it is started during a later one", async () => {
  const started: unknown[] = [];
  const runtime = new BashRuntime(makeWorker(started));
  await runtime.run(1, { ...REQUEST, code: "(sleep 0.2; python3 old; echo x | python3 piped) &" });
  await runtime.run(2, { ...REQUEST, code: "python3 new; sleep 0.4; for i in {1..500}; do :; done; python3 last" });
  deepStrictEqual(started, [["new", 2], ["old", 1], ["piped", 1], ["last", 2]]);
  await runtime.stopBackground();
});
