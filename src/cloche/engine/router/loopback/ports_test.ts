import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type { Connection, End } from "./connection.ts";
import { Ports } from "./ports.ts";

class RecordedEnd implements End {
  readonly events: string[] = [];
  connection: Connection | undefined;

  constructor(readonly window = 100) {}

  take(data: Uint8Array): void {
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
const openPorts = () => new Ports(() => ({ loopbackPorts: 3, loopbackConnections: 4 }));

function connect(ports: Ports, port: number): RecordedEnd {
  const client = new RecordedEnd();
  client.connection = ports.connect(port, client);
  ports.match(port);
  return client;
}

function accept(ports: Ports, owner: unknown, port: number): RecordedEnd {
  const server = new RecordedEnd();
  ports.accept(owner, port, {
    server,
    accepted: (connection) => server.connection = connection,
    closed: () => void server.events.push("closed"),
  });
  return server;
}

Deno.test("callers and acceptors meet in their order, whoever is first", () => {
  const ports = openPorts();
  strictEqual(ports.bind("a", 8000), 8000);
  const server = accept(ports, "a", 8000);
  const first = connect(ports, 8000);
  const second = connect(ports, 8000);
  second.connection?.send(second, text("early"));
  const other = accept(ports, "a", 8000);
  first.connection?.send(first, text("hello"));
  server.connection?.release(server, 5);
  server.connection?.send(server, text("bye"));
  deepStrictEqual([first.events, server.events, other.events], [["credit 5", "bye"], ["hello"], ["early"]]);
});

Deno.test("a port is closed until somebody accepts there", () => {
  const ports = openPorts();
  ports.bind("a", 1);
  deepStrictEqual([connect(ports, 1).connection, ports.listening], [undefined, []]);
  accept(ports, "a", 1);
  deepStrictEqual([ports.listens(1), ports.listening], [true, [1]]);
});

Deno.test("a side may stop sending and go on reading", () => {
  const ports = openPorts();
  ports.bind("a", 1);
  const server = accept(ports, "a", 1);
  const client = connect(ports, 1);
  client.connection?.finish(client);
  server.connection?.send(server, text("answer"));
  server.connection?.finish(server);
  deepStrictEqual([client.events, server.events], [["answer", "close"], ["eof", "close"]]);
  client.connection?.send(client, text("late"));
  strictEqual(server.events.length, 2);
});

Deno.test("who leaves closes the other side, once", () => {
  const ports = openPorts();
  ports.bind("a", 1);
  const server = accept(ports, "a", 1);
  const client = connect(ports, 1);
  client.connection?.leave(client);
  server.connection?.leave(server);
  deepStrictEqual([client.events, server.events], [[], ["close"]]);
});

Deno.test("a side that sends more than it may is cut off, accepted or not", () => {
  const ports = openPorts();
  ports.bind("a", 1);
  const server = accept(ports, "a", 1);
  const client = connect(ports, 1);
  const waiting = connect(ports, 1);
  for (const end of [client, waiting]) {
    end.connection?.send(end, new Uint8Array(60));
    end.connection?.send(end, new Uint8Array(60));
  }
  deepStrictEqual([client.events, waiting.events, server.events.slice(1)], [["close"], ["close"], ["close"]]);
  deepStrictEqual(accept(ports, "a", 1).events, []);
});

Deno.test("ports belong to who opened them, and are few", () => {
  const ports = openPorts();
  const any = ports.bind("a", 0);
  strictEqual(any >= 32768, true);
  throws(() => ports.bind("b", any), { type: "AddressInUse" });
  throws(() => ports.bind("b", 70000), { type: "BadRequest" });
  strictEqual(ports.accept("b", any, { server: new RecordedEnd(), accepted: () => {}, closed: () => {} }), false);
  const server = accept(ports, "a", any);
  connect(ports, any);
  const waiting = accept(ports, "a", any);
  ports.close("b", any);
  const callers = [connect(ports, any), connect(ports, any), connect(ports, any)];
  strictEqual(connect(ports, any).connection, undefined, "four are open already");
  strictEqual(waiting.connection !== undefined, true);
  ports.forget("a");
  deepStrictEqual(callers.map(({ events }) => events), [[], ["close"], ["close"]]);
  deepStrictEqual([ports.listening, server.events, connect(ports, any).connection], [[], [], undefined]);
  for (let count = 0; count < 3; count++) ports.bind("c", 0);
  throws(() => ports.bind("c", 0), { type: "TooMany" });
});
