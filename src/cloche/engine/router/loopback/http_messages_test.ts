import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { BadResponse, ResponseReader, writeChunk, writeHead } from "./http_messages.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (data: Uint8Array) => new TextDecoder().decode(data);

/** What is read of a response that arrives in pieces of some bytes. */
function read(text: string, { method = "GET", size = 1000, closed = true } = {}): [number, string, string, boolean] {
  const found: [number, string, string, boolean] = [0, "", "", false];
  const reader = new ResponseReader(method, {
    head: ({ status, headers }) => {
      found[0] = status;
      found[1] = headers.map((each) => each.join("=")).join();
    },
    body: (data) => found[2] += decode(data),
    end: () => found[3] = true,
  });
  const data = encode(text);
  for (let at = 0; at < data.length; at += size) reader.push(data.subarray(at, at + size));
  if (closed) reader.close();
  return found;
}

Deno.test("a request is written with the connection's own headers", () => {
  const headers: [string, string][] = [["Accept", "*/*"], ["Connection", "keep-alive"], ["X", "a\r\nEvil: 1"]];
  const head = { method: "POST", target: "/a?b=1", host: "localhost:8000", headers };
  strictEqual(
    decode(writeHead({ ...head, length: 3 })),
    "POST /a?b=1 HTTP/1.1\r\nHost: localhost:8000\r\nAccept: */*\r\nX: a Evil: 1\r\nContent-Length: 3\r\n" +
      "Connection: close\r\n\r\n",
  );
  strictEqual(decode(writeHead({ ...head, length: null })).includes("Transfer-Encoding: chunked\r\n"), true);
  strictEqual(decode(writeHead({ ...head, method: "GET", length: 0 })).includes("Content-Length"), false);
  strictEqual(decode(writeChunk(encode("hello"))) + decode(writeChunk(null)), "5\r\nhello\r\n0\r\n\r\n");
});

Deno.test("bodies end by their length, by chunks, or with the connection, in pieces of any size", () => {
  const head = "HTTP/1.0 200 OK\r\nServer: x\r\n";
  for (const size of [1, 2, 7, 1000]) {
    deepStrictEqual(read(`${head}Content-Length: 5\r\n\r\nhello`, { size, closed: false }), [
      200,
      "Server=x,Content-Length=5",
      "hello",
      true,
    ]);
    const chunks = `${head}Transfer-Encoding: chunked\r\n\r\n3;x=1\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n`;
    deepStrictEqual(read(chunks, { size, closed: false }).slice(2), ["hello", true]);
    deepStrictEqual(read(`${head}\r\nhello`, { size }).slice(2), ["hello", true]);
  }
});

Deno.test("some responses have no body", () => {
  const head = "HTTP/1.1 204 No Content\r\n\r\n";
  deepStrictEqual(read(head, { closed: false }).slice(2), ["", true]);
  deepStrictEqual(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", { method: "HEAD", closed: false })[3], true);
  deepStrictEqual(read(`HTTP/1.1 100 Continue\r\n\r\n${head}`)[0], 204);
  deepStrictEqual(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", { closed: false })[3], true);
});

Deno.test("what is not HTTP, or ends too early, is an error", () => {
  for (
    const text of [
      "hello\r\n\r\n",
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]
  ) throws(() => read(text), BadResponse, text);
});
