import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { type Connection, type End, Ports } from "./ports.ts";

class RecordedEnd implements End {
  readonly events: string[] = [];
  connection: Connection | undefined;

  receive(data: Uint8Array): void {
    this.events.push(data.length === 0 ? "eof" : new TextDecoder().decode(data));
  }
  release(bytes: number): void {
    this.events.push(`credit ${bytes}`);
  }
  close(): void {
    this.events.push("close");
  }
}

const text = (data: string) => new TextEncoder().encode(data);

function connect(ports: Ports, port: number): { client: RecordedEnd; called: boolean } {
  const client = new RecordedEnd();
  const called = ports.connect(port, {
    client,
    accepted: (connection) => client.connection = connection,
    refused: () => void client.events.push("refused"),
  });
  return { client, called };
}

function accept(ports: Ports, owner: unknown, port: number): RecordedEnd {
  const server = new RecordedEnd();
  ports.accept(owner, port, { server, accepted: (connection) => server.connection = connection });
  return server;
}

Deno.test("callers and acceptors meet in their order, whoever is first", () => {
  const ports = new Ports();
  strictEqual(ports.listen("a", 8000), 8000);
  const first = connect(ports, 8000).client;
  const server = accept(ports, "a", 8000);
  const other = accept(ports, "a", 8000);
  const second = connect(ports, 8000).client;
  first.connection?.send(first, text("hello"));
  server.connection?.release(server, 5);
  second.connection?.send(second, text("second"));
  server.connection?.send(server, text("bye"));
  deepStrictEqual([first.events, server.events, other.events], [["credit 5", "bye"], ["hello"], ["second"]]);
});

Deno.test("a side may stop sending and go on reading", () => {
  const ports = new Ports();
  ports.listen("a", 1);
  const { client } = connect(ports, 1);
  const server = accept(ports, "a", 1);
  client.connection?.finish(client);
  server.connection?.send(server, text("answer"));
  server.connection?.finish(server);
  deepStrictEqual([client.events, server.events], [["answer", "close"], ["eof", "close"]]);
  client.connection?.send(client, text("late"));
  deepStrictEqual(server.events.length, 2);
});

Deno.test("who leaves closes the other side, once", () => {
  const ports = new Ports();
  ports.listen("a", 1);
  const { client } = connect(ports, 1);
  const server = accept(ports, "a", 1);
  client.connection?.leave(client);
  server.connection?.leave(server);
  deepStrictEqual([client.events, server.events], [[], ["close"]]);
});

Deno.test("ports belong to who opened them", () => {
  const ports = new Ports();
  const any = ports.listen("a", 0);
  strictEqual(any >= 32768, true);
  throws(() => ports.listen("b", any), { code: "EADDRINUSE" });
  throws(() => ports.listen("b", 70000), { code: "EINVAL" });
  strictEqual(ports.accept("b", any, { server: new RecordedEnd(), accepted: () => {} }), false);
  ports.close("b", any);
  deepStrictEqual(ports.open, [any]);
  const { client } = connect(ports, any);
  ports.forget("a");
  deepStrictEqual([ports.open, client.events, connect(ports, any).called], [[], ["refused"], false]);
  for (let count = 0; count < 64; count++) ports.listen("c", 0);
  throws(() => ports.listen("c", 0), { code: "EMFILE" });
});
