import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { HostRequest, ToWorker } from "../../protocol.ts";
import { Bench, type FakeWorker, waitUntilSettled } from "../../testing/engine_harness_test.ts";
import { BlockingRequests } from "../../worker/blocking_requests.ts";
import { isLoopback } from "./addresses.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (data: Uint8Array) => new TextDecoder().decode(data);
const SERVER = 1;

function ask(worker: FakeWorker, request: number, content: HostRequest, complete = true): void {
  worker.say({ op: "request", request, run: 1, content, complete });
}

/** A port of Python, which waits for one caller. */
function listen(bench: Bench, port = 8000): void {
  const { python } = bench;
  const post = (request: number, run: number, content: HostRequest) =>
    python.say({ op: "request", request, run, content, complete: true, blocking: true });
  const blocking = new BlockingRequests(python.shared, post, () => {}, () => {});
  strictEqual(blocking.changePort({ kind: "bind", port }), port);
  ask(python, SERVER, { kind: "accept", port }, false);
}

function fetch(worker: FakeWorker, url: string, more: object = {}, complete = true): void {
  ask(worker, 5, { kind: "fetch", method: "GET", url, headers: [], redirect: "manual", ...more }, complete);
}

async function received(worker: FakeWorker, request: number): Promise<string> {
  await waitUntilSettled();
  const chunks = worker.posted.filter((each): each is ToWorker & { op: "chunk" } => each.op === "chunk");
  return chunks.filter((each) => each.request === request).map(({ data }) => decode(data)).join("");
}

Deno.test("a request to a port of the sandbox is answered by its server, and the host never sees it", async () => {
  const bench = await Bench.ready();
  listen(bench);
  fetch(bench.bash, "http://localhost:8000/a?b=1", { headers: [["Accept", "*/*"]] });
  match(await received(bench.python, SERVER), /^GET \/a\?b=1 HTTP\/1.1\r\nHost: localhost:8000\r\nAccept: \*\/\*\r\n/);
  const answer = encode("HTTP/1.0 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\nhello");
  bench.python.say({ op: "chunk", request: SERVER, data: answer });
  strictEqual(await received(bench.bash, 5), "hello");
  const headers = [["A", "b"], ["Content-Length", "5"]];
  const data = { status: 200, reason: "OK", headers, url: "http://localhost:8000/a?b=1", redirected: false };
  deepStrictEqual(bench.bash.of("response"), [{ op: "response", request: 5, data }]);
  deepStrictEqual(bench.bash.of("end"), [{ op: "end", request: 5, error: null }]);
  deepStrictEqual(bench.of("request"), []);
  strictEqual(bench.python.of("end").length, 1, "the connection is over");
});

Deno.test("a body without a length is collected, because simple servers read no chunks", async () => {
  const bench = await Bench.ready();
  listen(bench);
  fetch(bench.bash, "http://127.0.0.1:8000/", { method: "POST" }, false);
  bench.bash.say({ op: "chunk", request: 5, data: encode("a=1") });
  bench.bash.say({ op: "chunk", request: 5, data: encode("&b=2") });
  strictEqual(await received(bench.python, SERVER), "");
  bench.bash.say({ op: "end", request: 5 });
  match(await received(bench.python, SERVER), /\r\nContent-Length: 7\r\nConnection: close\r\n\r\na=1&b=2$/);
});

Deno.test("redirects inside are followed; what leads outside is the host's", async () => {
  const bench = await Bench.ready();
  listen(bench);
  fetch(bench.bash, "http://localhost:8000/a", { redirect: "follow" });
  await waitUntilSettled();
  ask(bench.python, 2, { kind: "accept", port: 8000 }, false);
  const redirect = (to: string) => encode(`HTTP/1.0 302 Found\r\nLocation: ${to}\r\n\r\n`);
  bench.python.say({ op: "chunk", request: SERVER, data: redirect("/b") });
  match(await received(bench.python, 2), /^GET \/b HTTP/);
  bench.python.say({ op: "chunk", request: 2, data: redirect("https://example.com/c") });
  await waitUntilSettled();
  const [{ content }] = bench.of("request");
  deepStrictEqual([content.url, content.redirect], ["https://example.com/c", "follow"]);
});

Deno.test("raw connections carry bytes both ways, and each side may end", async () => {
  const bench = await Bench.ready();
  listen(bench);
  ask(bench.bash, 9, { kind: "connect", port: 8000 }, false);
  bench.bash.say({ op: "chunk", request: 9, data: encode("ping") });
  strictEqual(await received(bench.python, SERVER), "ping");
  bench.python.say({ op: "credit", request: SERVER, bytes: 4 });
  bench.python.say({ op: "chunk", request: SERVER, data: encode("pong") });
  bench.bash.say({ op: "end", request: 9 });
  strictEqual(await received(bench.bash, 9), "pong");
  deepStrictEqual(bench.bash.of("credit"), [{ op: "credit", request: 9, bytes: 4 }]);
  ok(bench.python.of("chunk").at(-1)?.last);
  bench.python.say({ op: "abort", request: SERVER });
  await waitUntilSettled();
  deepStrictEqual(bench.bash.of("end"), [{ op: "end", request: 9, error: null }]);
});

Deno.test("a port ends with its worker, and its callers with it", async () => {
  const bench = await Bench.ready();
  listen(bench);
  fetch(bench.bash, "http://127.0.0.1:8000/");
  bench.python.die("gone");
  await waitUntilSettled();
  strictEqual(bench.bash.of("end")[0].error?.type, "ConnectionLost");
  ask(bench.bash, 6, { kind: "connect", port: 8000 }, false);
  await waitUntilSettled();
  strictEqual(bench.bash.of("end")[1].error?.type, "ConnectFailed");
});

Deno.test("a closed port is refused like one of a machine, unless the host may be asked", async () => {
  const bench = await Bench.ready();
  fetch(bench.bash, "http://[::1]:8000/");
  const [{ request }] = bench.of("request");
  bench.engine.receive({ op: "end", request, error: { type: "NotAllowed", message: "no network" } });
  await waitUntilSettled();
  const message = "Connection refused: nothing in this sandbox listens on port 8000 (no network)";
  deepStrictEqual(bench.bash.of("end")[0].error, { type: "ConnectFailed", message });
});

Deno.test("only names and addresses of the machine itself are the loopback", () => {
  const inside = ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.8.7", "0.0.0.0", "[::1]", "::"];
  deepStrictEqual(inside.filter((host) => !isLoopback(host)), []);
  const outside = ["example.com", "localhost.com", "127.0.0.1.nip.io", "10.0.0.1", "1127.0.0.1", "::2", "", undefined];
  deepStrictEqual(outside.filter((host) => isLoopback(host)), []);
});
