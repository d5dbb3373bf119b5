import { FloodGauge } from "./flood.ts";
import { readFromFrame } from "./messages.ts";

Deno.test("only what a frame may say is read", () => {
  for (const bad of [null, 1, "ready", {}, { height: "9" }, { height: NaN }, { height: Infinity }, { ready: 1 }]) {
    if (readFromFrame(bad) !== undefined) throw new Error(`${JSON.stringify(bad)} was read`);
  }
  if (JSON.stringify(readFromFrame({ height: 9, more: 1 })) !== '{"height":9}') {
    throw new Error("a height was not read");
  }
});

Deno.test("a thousand messages within a second are too many, over minutes they are not", () => {
  const gauge = new FloodGauge();
  for (let at = 0; at < 5000; at++) if (gauge.add(at * 10)) throw new Error("it was slow enough");
  let flooded = false;
  for (let at = 0; at < 2000; at++) flooded ||= gauge.add(100_000);
  if (!flooded) throw new Error("a flood went unnoticed");
});
