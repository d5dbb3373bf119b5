import { readDataUrl } from "./data_url.ts";

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left}, not ${right}`);
}

Deno.test("pictures stay in base64, drawings and texts become text", () => {
  equal(readDataUrl("data:image/png;base64,iVBORw0KGgo="), { type: "image/png", content: "iVBORw0KGgo=" });
  equal(readDataUrl("data:image/svg+xml;base64,PHN2Zy8+"), { type: "image/svg+xml", content: "<svg/>" });
  equal(readDataUrl("data:text/plain;charset=utf-8,%C3%BC"), { type: "text/plain", content: "ü" });
});

Deno.test("what is no data address, or a broken one, is nothing", () => {
  for (const each of ["", "https://example.com/a.png", "data:,x", "data:text/plain;base64,%%%", "data:text/plain,%"]) {
    equal(readDataUrl(each), undefined);
  }
});
