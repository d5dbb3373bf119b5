import { Recent } from "./recent.ts";

Deno.test("what was used longest ago is forgotten first", () => {
  const recent = new Recent<number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  recent.get("a");
  recent.set("c", 3);
  const found = ["a", "b", "c"].map((key) => recent.get(key));
  if (`${found}` !== "1,,3") throw new Error(`${found}`);
});
