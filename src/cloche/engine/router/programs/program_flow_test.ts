import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  afterGrace,
  Bench,
  EXEC,
  type FakeWorker,
  GRACE,
  RESULT,
  waitUntilSettled,
} from "../../testing/engine_harness_test.ts";

const PIECE = Uint8Array.of(1, 2, 3);

/** A program in Python that bash has started, and whose bytes flow. */
async function started(): Promise<{ bench: Bench; process: FakeWorker; program: number }> {
  const bench = await Bench.ready();
  bench.run(1, "bash");
  const content = { kind: "program", language: "python", program: { ...EXEC, flows: "both" } };
  bench.bash.say({ op: "request", request: 5, run: 1, content, complete: true });
  await waitUntilSettled();
  const [process] = bench.processes;
  process.ready();
  return { bench, process, program: process.of("run_program")[0].program };
}

function ask(process: FakeWorker, request: number, most = 9): void {
  const content = { kind: "stdin", most };
  process.say({ op: "request", request, run: 1, content, complete: true, blocking: true });
}

/** What the process finds in its shared memory. */
function reply(process: FakeWorker, request: number): number[] | undefined {
  const part = process.shared.awaitReply(request, { ms: 0 });
  return part ? [...part.data] : undefined;
}

Deno.test("output goes to the caller as it is printed, and the program gets room as it is taken", async () => {
  const { bench, process, program } = await started();
  ok(process.shared.reservePipe(program, "stdout", 1 << 16));
  process.say({ op: "program_output", program, stream: "stdout", data: PIECE });
  await waitUntilSettled();
  deepStrictEqual(bench.bash.of("chunk"), [{ op: "chunk", request: 5, stream: "stdout", data: PIECE }]);
  const began = performance.now();
  setTimeout(() => bench.bash.say({ op: "credit", request: 5, bytes: 1 << 16 }));
  await waitUntilSettled();
  ok(process.shared.reservePipe(program, "stdout", 1));
  ok(performance.now() - began < 1000);
  bench.engine.end();
});

Deno.test("a program without a reader is told so, for each stream by itself", async () => {
  const { bench, process, program } = await started();
  bench.bash.say({ op: "broken", request: 5, stream: "stdout" });
  deepStrictEqual(
    [process.shared.reservePipe(program, "stdout", 1), process.shared.reservePipe(program, "stderr", 1)],
    [false, true],
  );
  bench.engine.end();
});

Deno.test("input is read from the caller when the program asks for it, and not before", async () => {
  const { bench, process } = await started();
  bench.bash.say({ op: "chunk", request: 5, data: Uint8Array.of(9) });
  deepStrictEqual(bench.bash.of("credit"), []);
  ask(process, 1, 77);
  await waitUntilSettled();
  deepStrictEqual(bench.bash.of("credit"), [{ op: "credit", request: 5, bytes: 77 }]);
  bench.bash.say({ op: "chunk", request: 5, data: PIECE });
  deepStrictEqual(reply(process, 1)?.slice(-3), [...PIECE]);
  ask(process, 2);
  bench.bash.say({ op: "end", request: 5 });
  ok(reply(process, 2));
  ask(process, 3);
  ok(reply(process, 3));
  bench.engine.end();
});

Deno.test("input that comes after the program was interrupted is there for its next request", async () => {
  const { bench, process } = await started();
  ask(process, 1);
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  process.shared.clear();
  bench.bash.say({ op: "chunk", request: 5, data: PIECE });
  strictEqual(reply(process, 1), undefined);
  ask(process, 2);
  deepStrictEqual(reply(process, 2)?.slice(-3), [...PIECE]);
  await afterGrace();
  bench.engine.end();
});

Deno.test("a worker that runs no program has no input, and what is over takes none", async () => {
  const { bench, process, program } = await started();
  ask(bench.python, 1);
  ok(reply(bench.python, 1));
  process.say({ op: "program_done", program, result: RESULT });
  bench.bash.say({ op: "chunk", request: 5, data: PIECE });
  bench.bash.say({ op: "broken", request: 5, stream: "stderr" });
  deepStrictEqual(await bench.bash.results(), [[5, RESULT]]);
  bench.engine.end();
});
