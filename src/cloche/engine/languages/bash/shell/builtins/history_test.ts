import { Bench } from "../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("history reads and writes its file, and fc lists it", () =>
  compare([
    [
      "printf 'echo %s\\n' 1 2 3 > h; HISTFILE=h; history -c; history -r; history | tail -2; history -d 1; history -w; cat h; fc -l -2; fc -ln 1 1",
      "    2  echo 2\n    3  echo 3\necho 2\necho 3\n1\t echo 2\n2\t echo 3\n\t echo 2\n",
    ],
    [
      "printf 'echo hi\\nhistory\\nfc -l\\n' > s; HISTFILE=h bash --norc -i < s 2>/dev/null; cat h",
      "hi\n    1  echo hi\n    2  history\n1\t echo hi\n2\t history\necho hi\nhistory\nfc -l\n",
    ],
  ]));

Deno.test("PROMPT_COMMAND runs before each line", () =>
  compare([
    ["printf 'PROMPT_COMMAND=\"echo P\"\\necho one\\n' > s; HISTFILE= bash --norc -i < s 2>/dev/null", "P\none\nP\n"],
  ]));
