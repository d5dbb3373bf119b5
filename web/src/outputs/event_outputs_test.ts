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

Deno.test("pictures, then displays", () => {
  const displays = [{ data: { "text/html": "<b>" }, metadata: { a: 1 } }, { data: {} }, { data: 1 }, "nonsense"];
  const outputs = outputsOf(answer({ image_urls: [PNG] }, displays));
  expect(outputs, [{ bundle: { "image/png": "aGk=" } }, { bundle: { "text/html": "<b>" }, metadata: { a: 1 } }]);
  expect(outputs.map(kindOf), ["picture", "html"]);
  expect(outputsOf(answer({}, "nonsense")), []);
});

Deno.test("the error that ended a cell of Python stands in its text", () => {
  const traceback =
    'Traceback (most recent call last):\n  File "Cell In[1]", line 2, in <module>\n    1/0\nmy.Error: no';
  const failed = { ...answer({}), content: `printed\n${traceback}\n[Jupyter current working directory: /workspace]` };
  expect(outputsOf(failed).map(kindOf), ["error"]);
  expect(outputsOf(failed)[0]?.bundle, {
    "application/vnd.cloche.error+json": { type: "Error", message: "no", line: 2, traceback },
  });
  const syntax = '  File "Cell In[3]", line 1\n    x = [1,\n        ^\nSyntaxError: never closed\n';
  expect(outputsOf({ ...answer({}), content: syntax }).map(kindOf), ["error"]);
  expect(outputsOf({ ...answer({}), content: "all is well\n" }), []);
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
