/** The engine's main thread under Deno: `main.ts SOCKET ASSETS PRELOAD`. Connects the socket to the router. */

import { Engine } from "./router/engine.ts";
import { Channel } from "./platform/deno/channel.ts";
import { IdleCollector } from "./platform/deno/idle_collector.ts";
import { spawnDenoWorker } from "./platform/deno/spawn.ts";
import type { Language, ToHost } from "./protocol.ts";

const [socket, assets, preload] = Deno.args;

function compile(path: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(Deno.readFileSync(path));
}

const connecting = Deno.connect({ transport: "unix", path: socket });
const early: Channel[] = [];
/** Requests of a preloaded language, until the host has connected. */
const unsent: ToHost[] = [];
const engine: Engine = new Engine({
  assets,
  spawn: spawnDenoWorker(),
  compile,
  send: (message) => early[0] ? early[0].send(message) : void unsent.push(message),
  output: (run, stream, data) => early[0]?.output(run, stream, data) ?? Promise.resolve(),
});
const languages = preload.split(",").filter(Boolean) as Language[];
for (const language of languages) engine.warm(language);

const channel = new Channel(await connecting);
early.push(channel);
for (const message of unsent.splice(0)) channel.send(message);
try {
  const rest = new IdleCollector();
  await channel.receive((message) => {
    rest.noteActivity();
    engine.receive(message);
  });
} finally {
  Deno.exit(0);
}
