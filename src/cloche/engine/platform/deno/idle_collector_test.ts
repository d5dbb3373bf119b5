import { strictEqual } from "node:assert/strict";
import { IdleCollector } from "./idle_collector.ts";

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("memory is given back once when a thread rests, and not while it is stirred", async () => {
  const seen: number[] = [];
  const first = Promise.withResolvers<void>();
  const rest = new IdleCollector(() => {
    seen.push(performance.now());
    first.resolve();
  });
  const begin = performance.now();
  await after(300);
  rest.noteActivity();
  await first.promise;
  strictEqual(seen[0] - begin >= 1290, true);
  rest.noteActivity();
  await after(1200);
  strictEqual(seen.length, 1);
});

Deno.test("after many messages it is given back again", async () => {
  let count = 0;
  let next = Promise.withResolvers<void>();
  const rest = new IdleCollector(() => {
    count++;
    next.resolve();
  });
  await next.promise;
  next = Promise.withResolvers<void>();
  for (let i = 0; i < 600; i++) rest.noteActivity();
  await next.promise;
  strictEqual(count, 2);
});
