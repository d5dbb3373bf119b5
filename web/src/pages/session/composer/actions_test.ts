import type { WireEvent } from "../../../events/wire.ts";
import { listSent, makeAction, makeInput } from "./actions.ts";

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

const asEvent = (id: number, action: object, source = "user") =>
  ({ id, timestamp: "", source, ...action }) as unknown as WireEvent;

Deno.test("what was sent is read back from the events, the last first", () => {
  const kinds = ["bash", "python", "ruby"];
  const events = kinds.map((kind, id) => asEvent(id, makeAction(kind, `text ${id}`)));
  events.push(asEvent(3, { action: "message", args: { content: "hello" } }));
  equal(listSent(events), [
    { kind: "message", text: "hello" },
    { kind: "ruby", text: "text 2" },
    { kind: "python", text: "text 1" },
    { kind: "bash", text: "text 0" },
  ]);
});

Deno.test("the agent's actions, answers to a program, repetitions and odd events are no history", () => {
  const same = makeAction("bash", "ls");
  const events = [
    asEvent(0, same),
    asEvent(1, same, "agent"),
    asEvent(2, same),
    asEvent(3, makeInput("Ann")),
    asEvent(4, makeInput("", false)),
    asEvent(5, { action: "constructor", args: {} }),
    asEvent(6, { action: "run", args: null }),
  ];
  equal(listSent(events), [{ kind: "bash", text: "ls" }]);
});
