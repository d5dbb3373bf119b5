import { CardList } from "./cards.ts";
import { ALL, type Choice, makeTest } from "./choice.ts";
import { RowList } from "./rows.ts";
import type { WireEvent } from "./wire.ts";

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

const event = (id: number, rest: Partial<WireEvent>): WireEvent => ({ id, timestamp: "2026-01-01T00:00:00Z", ...rest });
const run = (id: number) =>
  event(id, { action: "run", args: { command: `echo ${id}` }, message: `Running echo ${id}` });
const status = (id: number) => event(id, { status: "S", content: `status ${id}` });
const done = (id: number, cause: number, exit = 0) =>
  event(id, { observation: "run", cause, content: `said ${cause}`, extras: { metadata: { exit_code: exit } } });
const FAILURES: Choice = { kind: "failures", text: "" };

function idsOf(rows: RowList): unknown[] {
  return rows.rows.map((row) => (row.kind === "card" ? row.id : row.cards.map(({ id }) => id)));
}

Deno.test("quiet lines that follow each other are one row", () => {
  const list = new CardList();
  const rows = new RowList();
  for (const each of [status(0), status(1), run(2), status(3)]) list.add(each);
  equal(rows.update(list, ALL), true);
  equal(idsOf(rows), [[0, 1], 2, [3]]);
  list.add(status(4));
  rows.update(list, ALL);
  equal([idsOf(rows), rows.shown], [[[0, 1], 2, [3, 4]], 5]);
});

Deno.test("a card that changes is changed in its row, and comes and goes as it fits", () => {
  const list = new CardList();
  const [all, failures] = [new RowList(), new RowList()];
  for (const each of [run(0), run(1), run(2)]) list.add(each);
  all.update(list, ALL);
  failures.update(list, FAILURES);
  equal(failures.rows.length, 0);
  for (const each of [done(3, 1, 1), done(4, 2, 2), done(5, 0)]) list.add(each);
  all.update(list, ALL);
  failures.update(list, FAILURES);
  equal([idsOf(all), idsOf(failures), failures.shown], [[0, 1, 2], [1, 2], 2]);
  const row = all.rows[1];
  equal(row?.kind === "card" && row.card.answer?.id, 3);
});

Deno.test("with too little time the rest comes later, and is the same in the end", () => {
  const list = new CardList();
  for (let id = 0; id < 3000; id++) list.add(id % 3 ? status(id) : run(id));
  const [slow, quick] = [new RowList(), new RowList()];
  let turns = 1;
  while (!slow.update(list, ALL, -1)) turns++;
  equal(turns > 5, true);
  quick.update(list, ALL, 10_000);
  equal(idsOf(slow), idsOf(quick));
});

Deno.test("another choice, and another list, begin anew", () => {
  const [list, other] = [new CardList(), new CardList()];
  for (const each of [run(0), run(1), done(2, 0)]) list.add(each);
  other.add(run(0));
  const rows = new RowList();
  rows.update(list, ALL);
  rows.update(list, { kind: "all", text: "ECHO 1" });
  equal(idsOf(rows), [1]);
  rows.update(list, { kind: "all", text: "said" });
  equal(idsOf(rows), [0]);
  rows.update(list, { kind: "all", text: "#2" });
  equal(idsOf(rows), [0]);
  rows.update(other, ALL);
  equal(idsOf(rows), [0]);
});

Deno.test("rows that change at random are as if they were made at once", () => {
  const list = new CardList();
  const kept = [ALL, FAILURES, { kind: "status", text: "" } as Choice].map((choice) => ({
    choice,
    rows: new RowList(),
  }));
  let seed = 7;
  const random = (below: number) => (seed = (seed * 16807) % 2147483647) % below;
  const open: number[] = [];
  for (let id = 0; id < 2000; id++) {
    const way = random(3);
    if (way === 0) list.add(status(id));
    else if (way === 1 || open.length === 0) open.push(id), list.add(run(id));
    else list.add(done(id, open.splice(random(open.length), 1)[0] ?? 0, random(2)));
    if (random(5) === 0) { for (const { choice, rows } of kept) rows.update(list, choice, random(2) - 1); }
  }
  for (const { choice, rows } of kept) {
    while (!rows.update(list, choice));
    const fresh = new RowList();
    fresh.update(list, choice, 10_000);
    equal(rows.rows, fresh.rows);
    equal(rows.shown, fresh.shown);
  }
});

Deno.test("a row is found by any card in it", () => {
  const list = new CardList();
  for (const each of [status(0), status(1), run(2)]) list.add(each);
  const rows = new RowList();
  rows.update(list, ALL);
  equal([-1, 0, 1, 2, 99].map((id) => rows.find(id)), [-1, 0, 0, 1, 1]);
});

Deno.test("a search looks for what stands there, and not for patterns or names of keys", () => {
  const card = { id: 0, event: event(0, { action: "x", args: { deep: [{ command: "a.b (c)" }] } }) };
  const fits = (text: string) => makeTest({ kind: "all", text })?.(card);
  equal([fits("a.b"), fits("A.B ("), fits("a?b"), fits("command"), fits(" ")], [true, true, false, false, undefined]);
});
