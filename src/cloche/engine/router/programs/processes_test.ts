import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Processes } from "./processes.ts";
import { WaitingPrograms } from "./waiting_programs.ts";
import type { WorkerSlot } from "../worker_slot.ts";
import {
  afterGrace,
  Bench,
  EXEC,
  type FakeWorker,
  GRACE,
  RESULT,
  testConfig,
  waitUntilSettled,
} from "../../testing/engine_harness_test.ts";

/** Ends the program of a process. */
function finish(process: FakeWorker): void {
  process.say({ op: "program_done", program: process.of("run_program")[0].program, result: RESULT });
}

/** An engine in which bash has started a program in Python, which runs. */
async function started(run = 1): Promise<{ bench: Bench; process: FakeWorker }> {
  const bench = await Bench.ready();
  bench.run(run, "bash");
  bench.bash.call(run, 5, "python");
  await waitUntilSettled();
  const [process] = bench.processes;
  process.ready();
  return { bench, process };
}

Deno.test("a program in Python has an interpreter of its own, which ends with it, and the cells' has no part in it", async () => {
  const { bench, process } = await started();
  deepStrictEqual(process.of("run_program").map(({ id, request }) => [id, request]), [[1, EXEC]]);
  deepStrictEqual(bench.python.of("run_program"), []);
  finish(process);
  deepStrictEqual(await bench.bash.results(), [[5, RESULT]]);
  ok(process.terminated);
  bench.engine.end();
});

Deno.test("after the first program a spare interpreter is ready for the next", async () => {
  const { bench, process } = await started();
  finish(process);
  await waitUntilSettled();
  const [spare] = bench.processes;
  spare.ready();
  bench.bash.call(1, 6, "python");
  strictEqual(spare.of("run_program").length, 1);
  strictEqual(bench.processes.length, 1);
  finish(spare);
  bench.engine.end();
});

Deno.test("a sandbox that starts no program in Python has no spare interpreter", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 1, "bash");
  bench.bash.say({ op: "program_done", program: bench.bash.of("run_program")[0].program, result: RESULT });
  await waitUntilSettled();
  deepStrictEqual(bench.processes, []);
});

Deno.test("a spare interpreter that nobody uses is given back", async () => {
  const ended: WorkerSlot[] = [];
  let gone = 0;
  const processes: Processes = new Processes({
    start: (process) => ({ process }) as WorkerSlot,
    end: (slot) => {
      ended.push(slot);
      processes.gone(slot);
    },
    limit: () => 2,
    allGone: () => void gone++,
  }, 5);
  processes.prepare();
  await new Promise((resolve) => setTimeout(resolve, 30));
  deepStrictEqual([ended.map(({ process }) => process), gone], [[1], 1]);
  strictEqual(processes.take()?.process, 1);
});

/** An engine with two places for programs, in which bash has asked for so many. */
async function crowded(programs: number): Promise<Bench> {
  const bench = new Bench();
  const limited = testConfig(["bash"]);
  bench.engine.receive({ op: "start", config: { ...limited, limits: { ...limited.limits, processLimit: 2 } } });
  await waitUntilSettled();
  bench.bash.ready();
  bench.run(1, "bash");
  for (let request = 1; request <= programs; request++) bench.bash.call(1, request, "python");
  await waitUntilSettled();
  return bench;
}

Deno.test("several programs run at once, and more wait for a place, in order", async () => {
  const bench = await crowded(4);
  deepStrictEqual(bench.processes.map(({ process }) => process), [1, 2]);
  for (const wanted of [1, 2, 3, 4]) {
    const [process] = bench.processes;
    process.ready();
    finish(process);
    await waitUntilSettled();
    deepStrictEqual((await bench.bash.results()).map(([request]) => request), [1, 2, 3, 4].slice(0, wanted));
  }
  bench.engine.end();
});

Deno.test("a program that waits can be stopped, and an interrupt ends it", async () => {
  const bench = await crowded(4);
  for (const process of bench.processes) process.ready();
  bench.bash.abort(3);
  deepStrictEqual((await bench.bash.results()).map(([request, { exitCode }]) => [request, exitCode]), [[3, 143]]);
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  deepStrictEqual((await bench.bash.results()).map(([request]) => request), [3, 4]);
  strictEqual(bench.processes.length, 2);
  bench.engine.end();
});

Deno.test("if all that run have started others, one more is refused: it would wait for ever", async () => {
  const bench = await crowded(2);
  for (const process of bench.processes) {
    process.ready();
    process.call(1, 1, "bash");
  }
  bench.bash.call(1, 3, "python");
  const [[request, { exitCode, stderr }]] = await bench.bash.results();
  deepStrictEqual([request, exitCode], [3, 126]);
  ok(new TextDecoder().decode(stderr).includes("too many programs are running, each of which has started another"));
  bench.engine.end();
});

Deno.test("programs that wait are refused when none has ended for long", async () => {
  const waiting = new WaitingPrograms(5);
  const refused: string[] = [];
  const none = { run: 1, is: () => false, isFrom: () => false, start: () => false, stop: () => {} };
  waiting.add({ ...none, refuse: (why) => void refused.push(why) });
  await new Promise((resolve) => setTimeout(resolve, 30));
  deepStrictEqual(refused, ["none has ended for 0.005 s"]);
});

Deno.test("a program that is stopped ends at once, with its interpreter, and the cells keep theirs", async () => {
  const { bench, process } = await started();
  bench.bash.abort(5);
  ok(process.terminated && process.shared.killed);
  await waitUntilSettled();
  strictEqual(bench.python.shared.interrupted, false);
  bench.bash.done(1);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
  bench.engine.end();
});

Deno.test("an interpreter that breaks costs its program only", async () => {
  const { bench, process } = await started();
  process.say({ op: "failed", message: "it trapped" });
  const [[, { exitCode, stderr }]] = await bench.bash.results();
  deepStrictEqual([exitCode, new TextDecoder().decode(stderr)], [137, "killed: it trapped\n"]);
  bench.bash.done(1);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
  bench.engine.end();
});

Deno.test("an interrupt reaches the program of its run, and one that ignores it is ended", async () => {
  const { bench, process } = await started();
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  ok(process.shared.interrupted && !process.shared.killed);
  bench.bash.say({ op: "cancelled", cancel: bench.bash.of("cancel")[0].cancel });
  bench.bash.abort(5);
  ok(!process.terminated);
  bench.bash.shared.clear();
  bench.bash.done(1);
  await afterGrace();
  ok(process.terminated && process.shared.killed);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
  bench.engine.end();
});

Deno.test("the end of an interrupt leaves the program of the next run alone", async () => {
  const { bench, process } = await started();
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.bash.shared.clear();
  finish(process);
  bench.bash.done(1);
  bench.run(2, "bash");
  bench.bash.call(2, 6, "python");
  await afterGrace();
  deepStrictEqual(bench.processes.map((each) => each.shared.interrupted), [false]);
  deepStrictEqual((await bench.bash.results()).map(([request]) => request), [5]);
  bench.engine.end();
});

Deno.test("an interrupt does not reach the program that an earlier run has left", async () => {
  const { bench, process } = await started();
  bench.bash.done(1);
  bench.run(2, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  strictEqual(process.shared.interrupted, false);
  bench.python.say({ op: "cancelled", cancel: bench.python.of("cancel")[0].cancel });
  bench.python.shared.clear();
  bench.python.done(2);
  await afterGrace();
  ok(!process.terminated);
  deepStrictEqual(bench.ended, [[1, "kept"], [2, "kept"]]);
  bench.engine.end();
});

Deno.test("the memory of a language is that of all its interpreters", async () => {
  const { bench, process } = await started();
  process.say({ op: "memory", bytes: 5 });
  bench.python.say({ op: "memory", bytes: 3 });
  bench.engine.receive({ op: "languages", id: 7 });
  const [{ data }] = bench.of("reply");
  strictEqual((data as Record<string, { memory: number }>).python.memory, 8);
  bench.engine.end();
});

Deno.test("a process has new packages like every worker, and not the environment of the cells", async () => {
  const { bench, process } = await started();
  bench.engine.receive({ op: "env", env: { A: "2" } });
  bench.engine.receive({ op: "packages", id: 9, packages: [] });
  deepStrictEqual([process.of("env").length, process.of("packages").length], [0, 1]);
  for (const worker of [bench.python, bench.bash]) worker.say({ op: "packages_set", id: 9, error: null });
  // It may compute for long.
  finish(process);
  deepStrictEqual(bench.of("reply"), [{ op: "reply", id: 9, data: {} }]);
  bench.engine.end();
});
