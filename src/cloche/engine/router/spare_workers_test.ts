import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FromWorker } from "../protocol.ts";
import { SPARE_NAME, SpareWorkers } from "./spare_workers.ts";

class Bench {
  readonly started: string[] = [];
  readonly ended: number[] = [];
  readonly says: ((message: FromWorker) => void)[] = [];
  readonly fails: ((text: string) => void)[] = [];
  readonly spares = new SpareWorkers((name, receive, failed) => {
    const number = this.started.push(name) - 1;
    this.says.push(receive);
    this.fails.push(failed);
    return { post: () => {}, terminate: () => void this.ended.push(number) };
  });
}

Deno.test("without a spare one a worker is started for its language", () => {
  const { spares, started } = new Bench();
  spares.spawn("lua", () => {}, () => {});
  deepStrictEqual(started, ["lua"]);
});

Deno.test("the spare one is taken once, and speaks to its taker", () => {
  const { spares, started, says, fails } = new Bench();
  spares.prepare();
  spares.prepare();
  deepStrictEqual(started, [SPARE_NAME]);
  const heard: unknown[] = [];
  spares.spawn("lua", (message) => heard.push(message), (text) => heard.push(text));
  says[0]({ op: "read_next" });
  fails[0]("over");
  deepStrictEqual(heard, [{ op: "read_next" }, "over"]);
  spares.spawn("ruby", () => {}, () => {});
  deepStrictEqual(started, [SPARE_NAME, "ruby"]);
});

Deno.test("a spare one that fails is forgotten, and one that nobody needs is ended", () => {
  const { spares, started, fails, ended } = new Bench();
  spares.prepare();
  fails[0]("no thread");
  spares.spawn("lua", () => {}, () => {});
  deepStrictEqual(started, [SPARE_NAME, "lua"]);
  spares.prepare();
  spares.clear();
  spares.clear();
  strictEqual(ended.join(), "2");
});
