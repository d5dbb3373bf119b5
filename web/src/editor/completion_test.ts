import { countCharacters, findCharacter } from "./completion.ts";

function equal(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${found}, not ${wanted}`);
}

Deno.test("characters are counted as Python counts them", () => {
  equal(countCharacters("x = '🦊🦊'.up", 12), 10);
  equal(countCharacters("plain", 3), 3);
  equal(countCharacters("", 0), 0);
});

Deno.test("a place is found again by its number of characters, and never beyond the end", () => {
  const text = "a🦊b🦊c";
  for (const place of [0, 1, 3, 4, 6, 7]) equal(findCharacter(text, countCharacters(text, place)), place);
  equal(findCharacter(text, 99), text.length);
});
