import { asData, asText, chooseType, listUnknown } from "./bundle.ts";

function expect(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const choose = (...types: string[]) => chooseType(Object.fromEntries(types.map((type) => [type, "x"])))?.renderer;

Deno.test("the richest type is chosen", () => {
  expect(choose("text/plain"), "text");
  expect(choose("text/plain", "text/html"), "html");
  expect(choose("text/plain", "image/png", "text/latex"), "latex");
  expect(choose("text/plain", "image/png"), "picture");
  expect(choose("text/html", "application/vnd.vegalite.v5+json"), "vega");
  expect(choose("text/plain", "application/vnd.vegalite.v5.21.0+json"), "vega");
  expect(choose("application/vnd.vegalite.v6+json"), "vega");
  expect(choose("text/plain", "application/vnd.vega.v6+json"), "vega");
  expect(choose("text/plain", "application/json"), "json");
  expect(choose("text/plain", "text/csv; charset=utf-8"), "csv");
  expect(choose("text/plain", "Image/SVG+xml"), "svg");
  expect(choose("text/html", "application/vnd.cloche.table+json"), "table");
});

Deno.test("a type without content, or unknown, is not chosen", () => {
  expect(chooseType({ "text/html": null, "text/plain": "x" })?.renderer, "text");
  expect(chooseType({ "application/x-mystery": "x" }), undefined);
  expect(chooseType({}), undefined);
  expect(listUnknown({ "application/x-mystery": "x", "text/plain": "y", "audio/wav": null }), [
    "application/x-mystery",
  ]);
});

Deno.test("content as text and as data", () => {
  expect(asText(["one\n", "two"]), "one\ntwo");
  expect(asText(null), "");
  expect(asData('{"a": 1}'), { a: 1 });
  expect(asData([1]), [1]);
});
