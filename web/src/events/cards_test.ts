import { CardList, LIVE_LIMIT } from "./cards.ts";
import { describeLine, isExecuted } from "./kinds.ts";
import type { WireEvent } from "./wire.ts";

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

const event = (id: number, rest: Partial<WireEvent>): WireEvent => ({ id, timestamp: "2026-01-01T00:00:00Z", ...rest });
const run = (id: number, command = "ls") => event(id, { action: "run", source: "user", args: { command } });
const done = (id: number, cause: number, exit = 0, rest: Partial<WireEvent> = {}) =>
  event(id, { observation: "run", cause, content: "", extras: { metadata: { exit_code: exit } }, ...rest });
const state = (id: number, agent_state: string) =>
  event(id, { observation: "agent_state_changed", extras: { agent_state } });

function listOf(...events: WireEvent[]): CardList {
  const list = new CardList();
  for (const each of events) list.add(each);
  return list;
}

Deno.test("an observation goes to the card of its action", () => {
  const list = listOf(run(0), done(1, 0));
  equal(list.cards.map(({ id, answer }) => [id, answer?.id]), [[0, 1]]);
  equal(list.latest, 1);
});

Deno.test("an event that came before, or that comes too late, changes nothing", () => {
  const list = listOf(run(0), done(1, 0));
  equal(list.add(done(1, 0, 7)), false);
  equal(list.add(run(0, "other")), false);
  equal(list.cards.length, 1);
  equal(list.cards[0]?.event.args?.["command"], "ls");
});

Deno.test("observations that answer nothing here, or answer twice, are cards of their own", () => {
  const list = listOf(done(3, 1), run(4), done(5, 4), done(6, 4), done(7, 99));
  equal(list.cards.map(({ id }) => id), [3, 4, 6, 7]);
});

Deno.test("events of unknown kinds, and of odd shapes, are cards", () => {
  const odd = event(1, { observation: "dream", cause: 0, extras: null as unknown as undefined });
  const list = listOf(event(0, { action: "fly", args: {} }), odd, event(2, { args: [] as never }), event(3, {}));
  equal(list.cards.map(({ id, answer }) => [id, answer?.id]), [[0, 1], [2, undefined], [3, undefined]]);
});

Deno.test("an event without a number is not taken", () => {
  equal(listOf(event(NaN, { action: "run" })).cards.length, 0);
});

Deno.test("a verdict is shown with its action, or as a line if that is not here", () => {
  const verdict = { security_verdict: { decision: "ask", risk: "HIGH" } };
  const list = listOf(run(0), event(1, { status: "V", content: "ask", cause: 0, cloche: verdict }));
  equal(list.cards.length, 1);
  equal(list.cards[0]?.verdict, { risk: "HIGH", decision: "ask", findings: [] });
  equal(listOf(event(1, { status: "V", content: "ask", cause: 0, cloche: verdict })).cards.length, 1);
  equal(
    listOf(run(0), event(1, { status: "V", content: "?", cause: 0, cloche: { security_verdict: 7 } })).cards.length,
    2,
  );
});

Deno.test("the agent asks about its latest action, until that is answered or its state changes", () => {
  const list = listOf(run(0), done(1, 0), run(2), state(3, "awaiting_user_confirmation"));
  equal([list.asked?.id, list.running?.id], [2, undefined]);
  list.add(state(4, "running"));
  equal([list.asked?.id, list.running?.id], [undefined, 2]);
  list.add(done(5, 2));
  equal(list.running?.id, undefined);
});

Deno.test("only what is executed runs", () => {
  const list = listOf(event(0, { action: "message" }), event(1, { action: "finish" }), run(2));
  equal(list.running?.id, 2);
  equal(isExecuted(event(0, { action: "think" })), false);
  equal(isExecuted(event(0, { observation: "run" })), false);
});

Deno.test("a command that was answered before its end is open until it ends", () => {
  const asks = (id: number, cause: number, prefix = "") =>
    done(id, cause, -1, {
      content: "hello\nName? ",
      extras: { command: "c", metadata: { exit_code: -1, suffix: "[The command waits for input: ...]", prefix } },
    });
  const list = listOf(run(0, "c"), asks(1, 0));
  equal(list.open, { command: "c", asks: true, prompt: "Name? " });
  list.add(run(2, "Ann"));
  list.add(done(3, 2));
  equal(list.open, undefined);
  list.add(run(4));
  list.add(done(5, 4, -1, { content: "ERROR: No previous running command to interact with." }));
  equal(list.open, undefined);
  list.add(run(6, "c"));
  list.add(asks(7, 6));
  list.add(event(8, { status: "STATUS$WAITING_FOR_CLIENT", content: "Connecting..." }));
  equal(list.open, undefined);
});

Deno.test("live output is kept at its end, and dropped when the observation comes", () => {
  const list = listOf(run(0));
  list.hear(0, "stdout", "x".repeat(LIVE_LIMIT));
  list.hear(0, "stdout", "end");
  list.hear(0, "stderr", "oops");
  list.hear(99, "stdout", "nobody");
  equal(list.cards[0]?.live?.stdout.length, LIVE_LIMIT);
  equal(list.cards[0]?.live?.stdout.endsWith("end"), true);
  equal([list.cards[0]?.live?.stderr, list.cards[0]?.live?.dropped], ["oops", 3]);
  list.add(done(1, 0));
  list.hear(0, "stdout", "late");
  equal(list.cards[0]?.live, undefined);
});

Deno.test("a line of the page stands between events, and can be corrected", () => {
  const list = listOf(run(0));
  list.note("away");
  list.add(done(1, 0));
  list.add(run(2));
  list.correct(0.5, "away; 2 events");
  list.correct(77, "nobody");
  equal(list.cards.map(({ id, event }) => [id, event.content]), [[0, undefined], [0.5, "away; 2 events"], [
    2,
    undefined,
  ]]);
});

Deno.test("changes of the agent's state are quiet lines, and nothing to say is no line", () => {
  const list = listOf(
    state(0, "awaiting_user_input"),
    event(1, { status: " ", content: "" }),
    event(2, { action: "null" }),
  );
  equal(list.cards.map(({ event }) => describeLine(event)), ["agent: awaiting user input"]);
  equal(list.agentState, "awaiting_user_input");
});

Deno.test("whoever keeps up hears which cards have changed, or that it is too long ago", () => {
  const list = listOf(run(0), run(1));
  const seen = list.changes;
  list.hear(1, "stdout", "a");
  list.add(done(2, 0));
  equal(list.changedSince(seen), [1, 0]);
  for (let times = 0; times < 50_000; times++) list.hear(1, "stdout", "");
  equal(list.changedSince(seen), undefined);
  equal(list.changedSince(list.changes), []);
});

Deno.test("a text that an event has twice is kept once", () => {
  const long = "text ".repeat(50);
  const copy = JSON.parse(JSON.stringify({ long })).long;
  const action = event(0, { action: "run_ipython", args: { code: long } });
  const answer = event(1, { observation: "run_ipython", cause: 0, content: "", extras: { code: copy } });
  equal(listOf(action, answer).cards[0]?.answer?.extras?.["code"], long);
});
