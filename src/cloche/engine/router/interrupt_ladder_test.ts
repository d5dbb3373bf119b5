import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { afterGrace, Bench, GRACE, RESULT, testConfig, waitUntilSettled } from "../testing/engine_harness_test.ts";
import { makeDice } from "../testing/harness_test.ts";
import type { Language } from "../protocol.ts";

Deno.test("an interrupt sets the byte and cancels waits of all who work", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 4, "bash");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  for (const worker of [bench.python, bench.bash]) {
    ok(worker.shared.interrupted);
    strictEqual(worker.of("cancel").length, 1);
  }
  bench.bash.say({ op: "program_done", program: bench.bash.of("run_program")[0].program, result: RESULT });
  bench.python.done(1, "interrupted");
  await afterGrace();
  deepStrictEqual(bench.ended, [[1, "kept"]]);
  strictEqual(bench.workers.length, 2);
});

Deno.test("an interrupt without a run does nothing, and the next run is not hit", async () => {
  const bench = await Bench.ready();
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.run(1, "python");
  strictEqual(bench.python.shared.interrupted, false);
  await afterGrace();
  strictEqual(bench.workers.length, 2);
  bench.python.done(1);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
});

Deno.test("a shell that does not come back within the grace is replaced", async () => {
  const bench = await Bench.ready();
  const [python, stuck] = [bench.python, bench.bash];
  bench.run(1, "bash");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  await bench.until(() => bench.ended.length > 0);
  ok(stuck.terminated && !python.terminated);
  const [done] = bench.of("done");
  deepStrictEqual([done.id, done.state, done.outcome.error?.type], [1, "lost", "KeyboardInterrupt"]);
  stuck.done(1, "too late");
  strictEqual(bench.ended.length, 1);
});

Deno.test("Python that computes on asks for another process, with the shell's state, and then ends the run", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  await afterGrace();
  strictEqual(bench.bash.of("query").length, 1);
  bench.python.say({ op: "reply", id: 0, data: { shell: "forged" } });
  deepStrictEqual(bench.ended, []);
  bench.bash.say({ op: "reply", id: 0, data: { shell: "cd /tmp" } });
  const [stuck, done] = bench.sent.slice(1);
  deepStrictEqual(stuck, { op: "stuck", shell: "cd /tmp" });
  ok(done.op === "done" && done.id === 1 && done.state === "lost" && done.outcome.error?.type === "KeyboardInterrupt");
  bench.bash.say({ op: "reply", id: 0, data: { shell: "again" } });
  bench.python.done(1, "too late");
  strictEqual(bench.sent.length, 3);
});

Deno.test("a shell that does not hand over its state in time does not keep the run", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  await bench.until(() => bench.ended.length > 0);
  deepStrictEqual(bench.of("stuck"), [{ op: "stuck", shell: null }]);
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("a run of the shell whose Python is stuck ends once, whatever the shell says later", async () => {
  const bench = await Bench.ready();
  bench.run(1, "bash");
  bench.bash.call(1, 4, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.bash.say({ op: "cancelled", cancel: bench.bash.of("cancel")[0].cancel });
  await afterGrace();
  bench.bash.say({ op: "reply", id: 0, data: { shell: "" } });
  deepStrictEqual(bench.ended, [[1, "lost"]]);
  bench.bash.done(1, "interrupted");
  await waitUntilSettled();
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("code that answers the cancel but goes on loses its worker too", async () => {
  const bench = await Bench.ready();
  const stubborn = bench.python;
  bench.run(1, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  stubborn.say({ op: "cancelled", cancel: stubborn.of("cancel")[0].cancel });
  await bench.until(() => bench.ended.length > 0);
  ok(stubborn.terminated);
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("a run that ends while its helper is stuck waits for the helper's replacement", async () => {
  const bench = await Bench.ready();
  const [python, stuck] = [bench.python, bench.bash];
  bench.run(1, "python");
  python.call(1, 4, "bash");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  python.say({ op: "cancelled", cancel: python.of("cancel")[0].cancel });
  python.shared.clear();
  python.done(1, "interrupted");
  deepStrictEqual(bench.ended, []);
  await bench.until(() => bench.ended.length > 0);
  ok(stuck.terminated && !python.terminated);
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("a run that goes on when its stuck helper was replaced loses its worker too", async () => {
  const bench = await Bench.ready();
  const [python, stuck] = [bench.python, bench.bash];
  bench.run(1, "python");
  python.call(1, 4, "bash");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  python.say({ op: "cancelled", cancel: python.of("cancel")[0].cancel });
  await bench.until(() => bench.ended.length > 0);
  ok(stuck.terminated && python.terminated);
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("a run whose helper comes to rest ends at once and keeps everything", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 4, "bash");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.python.shared.clear();
  bench.python.done(1, "interrupted");
  deepStrictEqual(bench.ended, []);
  bench.bash.say({ op: "program_done", program: bench.bash.of("run_program")[0].program, result: RESULT });
  deepStrictEqual(bench.ended, [[1, "kept"]]);
  await afterGrace();
  strictEqual(bench.workers.length, 2);
  strictEqual(bench.ended.length, 1);
});

Deno.test("a run that ends within the grace is not punished for it later", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.python.done(1);
  bench.run(2, "python");
  await afterGrace();
  strictEqual(bench.workers.length, 2);
  bench.python.done(2);
  deepStrictEqual(bench.ended, [[1, "kept"], [2, "kept"]]);
});

Deno.test("an interrupt while the worker still starts ends the run after the grace", async () => {
  const bench = new Bench();
  bench.engine.receive({ op: "start", config: testConfig([]) });
  bench.run(1, "python");
  await waitUntilSettled();
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  await bench.until(() => bench.ended.length > 0);
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("two interrupts of one run end it once", async () => {
  const bench = await Bench.ready();
  bench.run(1, "bash");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.engine.receive({ op: "interrupt", grace: GRACE * 1.5 });
  await bench.until(() => bench.ended.length > 0);
  await afterGrace();
  deepStrictEqual(bench.ended, [[1, "lost"]]);
  strictEqual(bench.workers.length, 3);
});

Deno.test("two interrupts of stuck Python ask for one other process", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  bench.engine.receive({ op: "interrupt", grace: GRACE * 1.2 });
  await bench.until(() => bench.ended.length > 0);
  await afterGrace();
  strictEqual(bench.of("stuck").length, 1);
  deepStrictEqual(bench.ended, [[1, "lost"]]);
});

Deno.test("every run ends exactly once, whatever happens in whatever order", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const roll = makeDice(seed);
    const bench = await Bench.ready();
    const languages: Language[] = ["python", "bash"];
    const any = <T>(list: T[]): T => list[roll(list.length)];
    let runs = 0;
    const acts: (() => unknown)[] = [
      () => bench.run(++runs, any(languages)),
      () => bench.run(++runs, any(languages)),
      () => any(bench.workers).done(1 + roll(runs + 1)),
      () => any(bench.workers).done(1 + roll(runs + 1), "x", roll(4) === 0),
      () => any(bench.workers).call(1 + roll(runs + 1), roll(3), any(languages)),
      () => any(bench.workers).say({ op: "program_done", program: roll(30), result: RESULT }),
      () => any(bench.workers).abort(roll(3)),
      () => any(bench.workers).say({ op: "cancelled", cancel: roll(30) }),
      () => any(bench.workers).say({ op: "reply", id: 0, data: { shell: "" } }),
      () => bench.workers.forEach((worker) => roll(2) && worker.ready()),
      () => bench.workers.filter((worker) => worker.of("init").length > 0).forEach((worker) => worker.shared.clear()),
      () => bench.engine.receive({ op: "interrupt", grace: roll(3) / 1000 }),
      () => roll(5) === 0 && bench.engine.receive({ op: "reset", id: 1000, language: any(languages) }),
      () => waitUntilSettled(),
      () => waitUntilSettled(),
    ];
    for (let step = 0; step < 60; step++) await any(acts)();
    // Whatever still runs is interrupted, and nobody answers.
    bench.engine.receive({ op: "interrupt", grace: 0.002 });
    const answer = setInterval(() => bench.bash.say({ op: "reply", id: 0, data: { shell: "" } }), 2);
    await bench.until(() => bench.ended.length >= runs);
    clearInterval(answer);
    await new Promise((resolve) => setTimeout(resolve, 8));
    const ids = bench.ended.map(([id]) => id).sort((a, b) => a - b);
    deepStrictEqual(ids, Array.from({ length: runs }, (_, i) => i + 1), `seed ${seed}`);
  }
});

Deno.test("a process with too many workers that could not be stopped is given up", async () => {
  const bench = await Bench.ready();
  for (let id = 1; bench.of("stuck").length === 0; id++) {
    ok(id <= 3, "three threads were left behind and the process is still used");
    bench.run(id, "bash");
    bench.engine.receive({ op: "interrupt", grace: GRACE });
    await bench.until(() => bench.ended.length === id);
    await waitUntilSettled();
    if (bench.of("stuck").length === 0) bench.bash.ready();
  }
});
