import type { WireEvent } from "../events/wire.ts";
import { kindOf, outputsOf } from "./event_outputs.ts";

const PNG = "data:image/png;base64,aGk=";

function expect(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const answer = (extras: Record<string, unknown>, displays?: unknown): WireEvent => ({
  id: 1,
  timestamp: "",
  observation: "run_ipython",
  content: "",
  extras,
  ...(displays !== undefined && { cloche: { displays } }),
});

Deno.test("pictures of an observation, also of another server", () => {
  expect(outputsOf(answer({ image_urls: [PNG, "nonsense"] })), [{ bundle: { "image/png": "aGk=" } }]);
  expect(outputsOf(answer({ image_urls: null })), []);
});

Deno.test("displays in order, each with its picture", () => {
  const displays = [
    { data: { "text/html": "<b>" }, metadata: { a: 1 } },
    { data: { "text/latex": "x" }, picture: 0 },
    { data: {}, picture: 7 },
    "nonsense",
  ];
  const outputs = outputsOf(answer({ image_urls: [PNG] }, displays));
  expect(outputs, [
    { bundle: { "text/html": "<b>" }, metadata: { a: 1 } },
    { bundle: { "text/latex": "x", "image/png": "aGk=" } },
  ]);
  expect(outputs.map(kindOf), ["html", "latex"]);
});

Deno.test("the error that ended code", () => {
  const outputs = outputsOf(answer({ error: { type: "E", message: "no", line: 1, traceback: "" } }));
  expect(outputs.map(kindOf), ["error"]);
  expect(outputsOf(answer({ error: "text" })), []);
});

Deno.test("the list is the same each time, so that nothing is drawn again", () => {
  const event = answer({ image_urls: [PNG] });
  if (outputsOf(event) !== outputsOf(event)) throw new Error("it was made anew");
});
