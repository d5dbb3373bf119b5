import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { HostRequest } from "../protocol.ts";
import { afterGrace, Bench, GRACE, waitUntilSettled } from "../testing/engine_harness_test.ts";
import { BlockingRequests } from "../worker/blocking_requests.ts";

Deno.test("the requests of two workers are kept apart", async () => {
  const bench = await Bench.ready();
  const ask = (kind: string) => ({ op: "request", request: 1, run: 1, content: { kind }, complete: true }) as const;
  bench.python.say(ask("x"));
  bench.bash.say(ask("y"));
  const [first, second] = bench.of("request").map(({ request }) => request);
  bench.engine.receive({ op: "response", request: second, data: "for bash" });
  await waitUntilSettled();
  deepStrictEqual(bench.python.of("response"), []);
  deepStrictEqual(bench.bash.of("response"), [{ op: "response", request: 1, data: "for bash" }]);
  bench.bash.die("gone");
  deepStrictEqual(bench.of("abort"), [{ op: "abort", request: second }]);
  bench.engine.receive({ op: "end", request: second, error: null });
  bench.python.say({ op: "abort", request: 1 });
  deepStrictEqual(bench.of("abort").at(-1), { op: "abort", request: first });
});

Deno.test("input is asked for by a request, and its answer reaches the one that asked", async () => {
  const bench = await Bench.ready();
  bench.run(1, "bash");
  const content = { kind: "input", prompt: "name? ", password: false };
  bench.python.say({ op: "request", request: 7, run: 1, content, complete: true });
  const [{ request, run, content: asked }] = bench.of("request");
  deepStrictEqual([run, asked], [1, content]);
  bench.engine.receive({ op: "end", request, error: null, data: "me" });
  bench.engine.receive({ op: "end", request, error: null, data: "again" });
  await waitUntilSettled();
  deepStrictEqual(bench.python.of("end"), [{ op: "end", request: 7, error: null, data: "me" }]);
  deepStrictEqual(bench.bash.of("end"), []);
});

Deno.test("a change of a file is passed on with a number of its own and answered to its worker", async () => {
  const bench = await Bench.ready();
  const change = { kind: "link" as const, target: "a", path: "/b" };
  const codes = [bench.python, bench.bash].map((worker) => {
    const post = (request: number, run: number, content: HostRequest) => {
      worker.say({ op: "request", request, run, content, complete: true, blocking: true });
      const asked = bench.of("request").at(-1);
      ok(asked);
      const data = worker.language === "bash" ? "EEXIST" : null;
      bench.engine.receive({ op: "end", request: asked.request, error: null, data });
    };
    return new BlockingRequests(worker.shared, post, () => {}, () => {}).changeFile(change);
  });
  deepStrictEqual(codes, [null, "EEXIST"]);
  deepStrictEqual(bench.of("request").map(({ content }) => content), [change, change]);
  bench.engine.receive({ op: "end", request: 12345, error: null, data: null });
});

Deno.test("an interrupt does not end a change of a file, which is a system call, and the end of its worker does", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const content = { kind: "chmod", path: "/x", mode: 1 };
  bench.python.say({ op: "request", request: 1, run: 0, content, complete: true, blocking: true });
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  deepStrictEqual(bench.of("abort"), []);
  bench.python.shared.clear();
  bench.python.say({ op: "cancelled", cancel: bench.python.of("cancel")[0].cancel });
  bench.python.die("gone");
  deepStrictEqual(bench.of("abort").length, 1);
  await afterGrace();
});

Deno.test("a request that a worker stands still for ends with an interrupt, and with its next one", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const ask = (request: number, kind: string) =>
    bench.python.say({ op: "request", request, run: 1, content: { kind }, complete: true, blocking: true });
  ask(1, "fetch");
  ask(2, "fetch");
  bench.engine.receive({ op: "interrupt", grace: GRACE });
  deepStrictEqual(bench.of("abort").map(({ request }) => request), bench.of("request").map(({ request }) => request));
  bench.python.shared.clear();
  bench.python.done(1);
  await afterGrace();
});

Deno.test("only the router asks where the files of a language are", async () => {
  const bench = await Bench.ready();
  const content = { kind: "pack", language: "lua" };
  bench.python.say({ op: "request", request: 1, run: 0, content, complete: true });
  bench.python.say({ op: "request", request: 1, run: 0, content, complete: true, blocking: true });
  deepStrictEqual(bench.of("request"), []);
});

Deno.test("many requests of the guest leave room for input, links and programs", async () => {
  const bench = await Bench.ready();
  bench.run(1, "python");
  const begin = (request: number, content: HostRequest, blocking?: true) =>
    bench.python.say({ op: "request", request, run: 1, content, complete: true, blocking });
  for (let request = 1; request <= 65; request++) begin(request, { kind: "fetch" });
  strictEqual(bench.of("request").length, 64);
  await waitUntilSettled();
  deepStrictEqual(bench.python.of("end").map(({ request, error }) => [request, error?.type]), [[65, "TooMany"]]);
  begin(66, { kind: "input", prompt: "" });
  begin(67, { kind: "link", target: "a", path: "/b" }, true);
  bench.python.call(1, 68, "bash");
  strictEqual(bench.of("request").length, 66);
  strictEqual(bench.bash.of("run_program").length, 1);
});
