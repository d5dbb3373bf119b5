import { loadLanguage, nameLanguage } from "./languages.ts";

function equal(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${found}, not ${wanted}`);
}

Deno.test("a file's language is named by its ending, or by its whole name", () => {
  equal(nameLanguage("/workspace/a.b/main.py"), "python");
  equal(nameLanguage("UPPER.JSON"), "json");
  equal(nameLanguage("Dockerfile"), "dockerfile");
  equal(nameLanguage("a.b/Makefile"), "");
  equal(nameLanguage("x.constructor"), "");
  equal(nameLanguage("constructor"), "");
});

Deno.test("every language of the sandbox can be loaded, and others are plain text", async () => {
  const names = "bash python javascript typescript ruby php lua r perl scheme sql".split(" ");
  for (const name of names) equal(typeof await loadLanguage(name), "object");
  equal(loadLanguage("klingon"), undefined);
  equal(loadLanguage("toString"), undefined);
});
