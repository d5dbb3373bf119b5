import { EditorState } from "@codemirror/state";
import { markProblems } from "./setup.ts";

Deno.test("a problem is marked where it is, also in a text that has become shorter", () => {
  const { doc } = EditorState.create({ doc: "first\nsecond" });
  const marks = markProblems(doc, [
    { line: 2, column: 3, message: "here" },
    { line: 9, column: 99, message: "beyond" },
    { line: 0, message: "whole", severity: "warning" },
  ]);
  const found = marks.map(({ from, to, severity }) => `${from}-${to} ${severity}`).join(", ");
  if (found !== "8-12 error, 12-12 error, 0-5 warning") throw new Error(found);
});
