import { highlight } from "./highlight.ts";

Deno.test("the pieces of code are its text, and each knows its colour", async () => {
  for (
    const [language, code, wanted] of [["python", "def f():\n  return 'ü'  # yes\n", "tok-keyword"], [
      "bash",
      'echo "$HOME" # no',
      "tok-comment",
    ]]
  ) {
    const pieces = await highlight(code ?? "", language ?? "") ?? [];
    if (pieces.map(({ text }) => text).join("") !== code) throw new Error(JSON.stringify(pieces));
    if (!pieces.some(({ classes }) => classes.includes(wanted ?? ""))) throw new Error(JSON.stringify(pieces));
  }
});

Deno.test("what has no colours is plain text", async () => {
  if (await highlight("x", "klingon") !== undefined) throw new Error("no such language");
  if (await highlight("x".repeat(100_000), "python") !== undefined) throw new Error("too long");
});
