import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  afterGrace,
  Bench,
  EXEC,
  GRACE,
  makeOutcome,
  REQUEST,
  RESULT,
  testConfig,
  waitUntilSettled,
} from "../testing/engine_harness_test.ts";
import { Engine } from "./engine.ts";
import { costOfOutput } from "../worker/shared_memory.ts";
import { waitSoon } from "../testing/harness_test.ts";
import type { FromWorker, ToHost } from "../protocol.ts";

async function eventually(reached: () => boolean): Promise<void> {
  for (let looks = 0; !reached() && looks < 1000; looks++) await new Promise((resolve) => setTimeout(resolve, 10));
  ok(reached());
}

Deno.test("ready is announced once, when all preloaded languages are", async () => {
  const bench = new Bench();
  bench.engine.receive({ op: "start", config: testConfig(["python", "bash"]) });
  await waitUntilSettled();
  bench.python.ready();
  deepStrictEqual(bench.sent, []);
  bench.bash.ready();
  deepStrictEqual(bench.sent, [{ op: "ready", languages: ["python", "bash"] }]);
  bench.bash.ready();
  strictEqual(bench.sent.length, 1);
});

Deno.test("without preloading, ready is announced at once and workers start on demand", async () => {
  const bench = new Bench();
  bench.engine.receive({ op: "start", config: testConfig([]) });
  deepStrictEqual(bench.sent, [{ op: "ready", languages: [] }]);
  strictEqual(bench.workers.length, 0);
  bench.run(1, "bash");
  await waitUntilSettled();
  bench.bash.ready();
  deepStrictEqual(bench.bash.of("run").map((message) => message.id), [1]);
});

Deno.test("a worker warmed before the start gets its configuration with the start", async () => {
  const bench = new Bench();
  bench.engine.warm("python");
  await waitUntilSettled();
  deepStrictEqual(bench.python.posted, []);
  bench.engine.receive({ op: "start", config: testConfig(["python"]) });
  await waitUntilSettled();
  const [{ init }] = bench.python.of("init");
  deepStrictEqual([init.language, init.assets, init.config.env], ["python", "/assets", { BASE: "1" }]);
  ok(init.modules.python);
  strictEqual(bench.workers.length, 1);
});

Deno.test("the host is asked for a language's files before a thread is started, which takes a while", () => {
  const events: string[] = [];
  const engine = new Engine({
    assets: "/assets",
    compile: () => Promise.resolve({} as WebAssembly.Module),
    spawn(name) {
      events.push(`start ${name}`);
      return { post: () => {}, terminate: () => {} };
    },
    send: (message) => void events.push(message.op),
    output: () => Promise.resolve(),
  });
  engine.receive({ op: "start", config: testConfig([]) });
  engine.receive({ op: "query", id: 1, language: "lua", query: { kind: "is_complete", code: "", cursor: 0 } });
  deepStrictEqual(events, ["ready", "request", "start lua"]);
});

Deno.test("only Python gets the compiled program, and all share one quota", async () => {
  const bench = await Bench.ready();
  const [python, bash] = [bench.python.of("init")[0].init, bench.bash.of("init")[0].init];
  ok(python.modules.python && !bash.modules.python);
  strictEqual(python.quota, bash.quota);
  ok(python.shared !== bash.shared);
});

Deno.test("a run goes to its language and its end to the host", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  deepStrictEqual(bench.python.of("run"), [{ op: "run", id: 1, request: REQUEST }]);
  deepStrictEqual(bench.bash.of("run"), []);
  bench.python.done(1, "42");
  deepStrictEqual(bench.of("done"), [{
    op: "done",
    id: 1,
    outcome: makeOutcome("42"),
    state: "kept",
    interrupted: false,
  }]);
});

Deno.test("a second end of the same run is ignored", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.done(1);
  bench.python.done(1, "again");
  bench.python.done(1, "fatal", true);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
  strictEqual(bench.workers.length, 2);
});

Deno.test("nobody can end a run that is another's or that does not exist", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.bash.done(1, "forged");
  bench.bash.done(1, "forged", true);
  bench.python.done(99);
  deepStrictEqual(bench.ended, []);
  bench.python.done(1);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
});

Deno.test("a fatal end replaces the worker and says that its state is lost", async () => {
  const bench = await Bench.ready();
  const old = bench.python;
  bench.run(1, "python");
  old.done(1, "out of memory", true);
  deepStrictEqual(bench.of("done"), [{ op: "done", id: 1, outcome: makeOutcome("out of memory"), state: "lost" }]);
  ok(old.terminated);
  await waitUntilSettled();
  bench.python.ready();
  bench.run(2, "python");
  bench.python.done(2);
  deepStrictEqual(bench.ended, [[1, "lost"], [2, "kept"]]);
});

Deno.test("everything that a replaced worker still says is ignored", async () => {
  const bench = await Bench.ready();
  const old = bench.python;
  bench.run(1, "python");
  old.done(1, "gone", true);
  bench.run(2, "python");
  const before = bench.sent.length;
  old.ready();
  old.done(2, "forged");
  old.call(2, 1, "bash");
  old.say({ op: "reply", id: 9, data: null });
  for (const content of [{ kind: "input", prompt: "" }, { kind: "chmod", path: "/x", mode: 1 }]) {
    old.say({ op: "request", request: 1, run: 2, content, complete: true });
    old.say({ op: "request", request: 1, run: 2, content, complete: true, blocking: true });
  }
  old.say({ op: "output", id: 2, stream: "stdout", block: 1, data: new Uint8Array(1) });
  old.die("late");
  deepStrictEqual([bench.sent.length, bench.outputs.length, bench.bash.of("run_program").length], [before, 0, 0]);
  strictEqual(bench.workers.filter((worker) => worker.language === "python").length, 2);
});

Deno.test("a worker that dies while it runs code ends the run and comes back", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.die("stack overflow");
  const [done] = bench.of("done");
  deepStrictEqual([done.id, done.state, done.outcome.exitCode], [1, "lost", 137]);
  ok(done.outcome.error?.message.includes("stack overflow"));
  await waitUntilSettled();
  bench.python.ready();
  bench.run(2, "python");
  bench.python.done(2);
  deepStrictEqual(bench.ended, [[1, "lost"], [2, "kept"]]);
});

Deno.test("a worker that dies while idle is replaced, and only that is reported", async () => {
  const bench = await Bench.ready();
  const before = bench.sent.length;
  bench.bash.die("odd");
  deepStrictEqual(bench.sent.slice(before), [{ op: "replaced", language: "bash", told: false }]);
  strictEqual(bench.workers.length, 3);
});

Deno.test("a worker that dies at its start is reported, which ends the sandbox", async () => {
  const bench = new Bench();
  bench.engine.receive({ op: "start", config: testConfig(["python"]) });
  await waitUntilSettled();
  bench.python.die("no such snapshot");
  deepStrictEqual(bench.sent, [{ op: "failed", message: "no such snapshot" }]);
  strictEqual(bench.workers.length, 1);
});

Deno.test("output goes to the host and counts until it has left", async () => {
  const bench = await Bench.ready();
  const { shared } = bench.python;
  const pending = () => new Int32Array(shared.buffer)[1];
  bench.run(1, "python");
  const data = new TextEncoder().encode("hello");
  shared.reserveOutput(costOfOutput(data));
  bench.python.say({ op: "output", id: 1, stream: "stderr", block: 1, data });
  await waitUntilSettled();
  strictEqual(pending(), costOfOutput(data));
  const [output] = bench.outputs;
  deepStrictEqual([output.run, output.stream, output.data], [1, "stderr", data]);
  output.leave();
  await waitUntilSettled();
  strictEqual(pending(), 0);
});

Deno.test("a call to another language is answered once, to its caller", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 77, "bash");
  const [exec] = bench.bash.of("run_program");
  deepStrictEqual([exec.id, exec.request], [1, EXEC]);
  bench.bash.say({ op: "program_done", program: exec.program, result: RESULT });
  bench.bash.say({ op: "program_done", program: exec.program, result: RESULT });
  deepStrictEqual(await bench.python.results(), [[77, RESULT]]);
  deepStrictEqual(await bench.bash.results(), []);
});

Deno.test("calls with the same number from different languages are kept apart", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 1, "bash");
  bench.bash.call(1, 1, "scheme");
  await waitUntilSettled();
  const scheme = bench.worker("scheme");
  scheme.ready();
  const [down, up] = [bench.bash.of("run_program")[0], scheme.of("run_program")[0]];
  ok(down.program !== up.program);
  scheme.say({ op: "program_done", program: up.program, result: { ...RESULT, exitCode: 1 } });
  bench.bash.say({ op: "program_done", program: down.program, result: { ...RESULT, exitCode: 2 } });
  deepStrictEqual((await bench.bash.results()).map(([, { exitCode }]) => exitCode), [1]);
  deepStrictEqual((await bench.python.results()).map(([, { exitCode }]) => exitCode), [2]);
});

Deno.test("a call that is not for this worker cannot be answered by it", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 77, "bash");
  const [exec] = bench.bash.of("run_program");
  bench.python.say({ op: "program_done", program: exec.program, result: { ...RESULT, exitCode: 0 } });
  bench.bash.say({ op: "program_done", program: exec.program, result: RESULT });
  deepStrictEqual((await bench.python.results()).map(([, { exitCode }]) => exitCode), [3]);
});

Deno.test("a call that waits for a worker that is replaced learns that it was killed", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 8, "bash");
  bench.bash.die("gone");
  const [[request, result]] = await bench.python.results();
  deepStrictEqual([request, result.exitCode, result.stdout.length], [8, 137, 0]);
  ok(new TextDecoder().decode(result.stderr).includes("gone"));
  bench.python.done(1);
  deepStrictEqual(bench.ended, [[1, "kept"]]);
});

Deno.test("what a run has left and computes beside another is reported, and if that needs the worker", async () => {
  const bench = await Bench.ready();
  bench.run(1, "bash");
  bench.bash.done(1);
  bench.bash.shared.origin = 1;
  bench.run(2, "python");
  await eventually(() => bench.of("beside").length > 1);
  const apart = bench.of("beside").at(-1);
  ok(apart && apart.seconds > 0 && apart.taken === 0);
  bench.python.done(2);
  bench.run(3, "bash");
  await eventually(() => (bench.of("beside").at(-1)?.taken ?? 0) > 0);
  bench.bash.shared.origin = 3;
  await eventually(() => bench.bash.shared.origin === 3);
  const told = bench.of("beside").length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  strictEqual(bench.of("beside").length, told);
  bench.bash.done(3);
});

Deno.test("stop of a call to bash sends the message only", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 4, "bash");
  bench.python.abort(4);
  strictEqual(bench.bash.of("stop_program").length, 1);
  strictEqual(bench.bash.shared.interrupted, false);
});

Deno.test("nobody can stop what another has called, nor what is over", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 4, "bash");
  bench.bash.abort(4);
  bench.python.abort(5);
  strictEqual(bench.bash.of("stop_program").length, 0);
  bench.bash.say({ op: "program_done", program: bench.bash.of("run_program")[0].program, result: RESULT });
  bench.python.abort(4);
  strictEqual(bench.bash.of("stop_program").length, 0);
});

Deno.test("a program whose caller is replaced is stopped, and its worker owes nothing any more", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  bench.python.call(1, 4, "bash");
  const [exec] = bench.bash.of("run_program");
  bench.python.done(1, "gone", true);
  deepStrictEqual(bench.bash.of("stop_program"), [{ op: "stop_program", program: exec.program }]);
  bench.bash.say({ op: "program_done", program: exec.program, result: RESULT });
  await waitUntilSettled();
  bench.python.ready();
  bench.run(2, "python");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  strictEqual(bench.bash.of("cancel").length, 0);
  bench.python.shared.clear();
  bench.python.done(2);
  deepStrictEqual(bench.ended, [[1, "lost"], [2, "kept"]]);
  await afterGrace();
});

Deno.test("reset gives a fresh worker and is answered when that is ready", async () => {
  const bench = await Bench.ready();
  const old = bench.python;
  bench.engine.receive({ op: "reset", id: 5, language: "python" });
  ok(old.terminated && !bench.python.terminated);
  deepStrictEqual(bench.of("reply"), []);
  bench.python.ready();
  deepStrictEqual(bench.of("reply"), [{ op: "reply", id: 5, data: null }]);
});

Deno.test("reset ends a run that is under way, and one of a language that never ran is fine", async () => {
  const bench = await Bench.ready();
  bench.run(1, "bash");
  bench.engine.receive({ op: "reset", id: 5, language: "bash" });
  deepStrictEqual(bench.ended, [[1, "lost"]]);
  const fresh = new Bench();
  fresh.engine.receive({ op: "start", config: testConfig([]) });
  fresh.engine.receive({ op: "reset", id: 6, language: "python" });
  deepStrictEqual(fresh.of("reply"), [{ op: "reply", id: 6, data: null }]);
});

Deno.test("a query is passed on and its reply comes back", async () => {
  const bench = await Bench.ready();
  const query = { kind: "complete" as const, code: "os.pa", cursor: 5 };
  bench.engine.receive({ op: "query", id: 3, language: "python", query });
  deepStrictEqual(bench.python.of("query"), [{ op: "query", id: 3, query }]);
  bench.python.say({ op: "reply", id: 3, data: { matches: ["os.path"] } });
  deepStrictEqual(bench.of("reply"), [{ op: "reply", id: 3, data: { matches: ["os.path"] } }]);
});

Deno.test("nobody can reply to what was asked of another, nor twice", async () => {
  const bench = await Bench.ready();
  const query = { kind: "is_complete" as const, code: "x", cursor: 1 };
  bench.engine.receive({ op: "query", id: 3, language: "python", query });
  bench.bash.say({ op: "reply", id: 3, data: "forged" });
  bench.python.say({ op: "reply", id: 3, data: "own" });
  bench.python.say({ op: "reply", id: 3, data: "again" });
  deepStrictEqual(bench.of("reply").map((message) => message.data), ["own"]);
});

Deno.test("a query to a worker that is replaced is answered all the same, once", async () => {
  const bench = await Bench.ready();
  const query = { kind: "inspect" as const, code: "x", cursor: 1 };
  bench.engine.receive({ op: "query", id: 3, language: "python", query });
  bench.python.die("gone");
  deepStrictEqual(bench.of("reply").map((message) => message.id), [3]);
  bench.engine.receive({ op: "reset", id: 4, language: "python" });
  bench.python.ready();
  deepStrictEqual(bench.of("reply").map((message) => message.id), [3, 4]);
});

Deno.test("displays and clears reach the host as they are", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const display = { kind: "display" as const, data: { "text/plain": "x" }, metadata: {}, displayId: null };
  const messages: (FromWorker & ToHost)[] = [
    { op: "display", id: 1, display },
    { op: "clear", id: 1, wait: true },
  ];
  for (const message of messages) bench.python.say(message);
  deepStrictEqual(bench.sent.slice(1), messages);
});

Deno.test("environment variables reach all workers and those that come later", async () => {
  const bench = await Bench.ready();
  bench.engine.receive({ op: "env", env: { NEW: "2" } });
  for (const worker of bench.workers) deepStrictEqual(worker.of("env"), [{ op: "env", env: { NEW: "2" } }]);
  bench.engine.receive({ op: "reset", id: 1, language: "bash" });
  await waitUntilSettled();
  deepStrictEqual(bench.bash.of("init")[0].init.config.env, { BASE: "1", NEW: "2" });
});

Deno.test("what a worker must not say does no harm", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const { bash } = bench;
  const garbage: unknown[] = [
    null,
    undefined,
    7,
    "text",
    [],
    {},
    { op: null },
    { op: "init" },
    { op: "nonsense", id: 1 },
    { op: "__proto__" },
    { op: "done" },
    { op: "done", id: "1", outcome: null },
    { op: "output", id: 1, stream: "stdout" },
    { op: "output", id: 1, stream: "other", data: "text" },
    { op: "request", request: 1, run: 1, content: { kind: "program", language: "bash" } },
    { op: "request", request: 1, run: 1, content: { kind: "program", language: "cobol", program: EXEC } },
    { op: "request", request: 1, run: 1, content: { kind: "program", language: "__proto__", program: null } },
    { op: "request", request: 1, run: 1, content: { kind: "input" }, blocking: true },
    { op: "request", request: 1, run: 1, content: null },
    { op: "program_done", program: {}, result: null },
    { op: "program_done" },
    { op: "abort", request: null },
    { op: "cancelled" },
    { op: "ready" },
  ];
  for (const message of garbage) bash.say(message as FromWorker);
  await waitUntilSettled();
  deepStrictEqual([...new Set(bench.workers.map((worker) => worker.language))], ["python", "bash"]);
  deepStrictEqual(bench.ended, []);
  bench.python.done(1);
  bench.run(2, "bash");
  bench.bash.done(2);
  deepStrictEqual(bench.ended, [[1, "kept"], [2, "kept"]]);
});

Deno.test("output of a worker that never yields goes out once, also when the worker sends it later", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const { shared } = bench.python;
  const block = shared.beginBlock(1, "stdout", 1);
  shared.block.set([1, 2, 3]);
  shared.fillBlock(3);
  await waitSoon(
    new Promise<void>((resolve) => {
      const timer = setInterval(() => bench.outputs.length > 0 && (clearInterval(timer), resolve()), 5);
    }),
    "the output",
  );
  bench.python.say({ op: "output", id: 1, stream: "stdout", block, data: new Uint8Array([1, 2, 3, 4]) });
  bench.python.done(1);
  deepStrictEqual(bench.outputs.map((output) => [...output.data]), [[1, 2, 3], [4]]);
});

Deno.test("output that was collected after messages still under way waits for them", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const { shared } = bench.python;
  shared.beginBlock(1, "stdout", 99);
  shared.block.set([1]);
  shared.fillBlock(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  strictEqual(bench.outputs.length, 0);
  bench.python.done(1);
});
