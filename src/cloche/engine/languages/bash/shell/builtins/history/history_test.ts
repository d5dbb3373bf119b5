import { Bench } from "../../../harness_test.ts";
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

Deno.test("a command of several lines is one line of the history, and comments are lines of their own", () =>
  compare([
    [
      "printf '%s\\n' 'set -o history' '# note' 'for i in 1' 'do' '  :' 'done' 'cat <<E' 'x' 'E' 'history' > s; bash s",
      "x\n    1  # note\n    2  for i in 1; do   :; done\n    3  cat <<E\nx\nE\n\n    4  history\n",
    ],
    [
      "printf '%s\\n' 'HISTSIZE=2 HISTCONTROL=ignoredups' 'set -o history' : 'echo a' 'echo a' history > s; bash s",
      "a\na\n    2  echo a\n    3  history\n",
    ],
  ]));

Deno.test("events, words and modifiers are expanded where the shell's own `!` and quotes do not stand", () =>
  compare([
    [
      "printf '%s\\n' 'set -o history -o histexpand' 'echo a b/c.d' 'echo !!:2:t:r !$' '^a^x' 'echo !?b/c?:%' > s; bash s 2>&1",
      "a b/c.d\necho c b/c.d\nc b/c.d\ns: line 4: !!:s^a^x: substitution failed\necho b/c.d\nb/c.d\n",
    ],
    [
      "printf '%s\\n' 'set -o history -H' 'x=(1 2)' \"echo '!x' \\\"a!\\\" \\${!x*} [!sf]* $!\" > s; bash s",
      "!x a! x [!sf]*\n",
    ],
    [
      "history -c; history -s 'ls -l /tmp'; history -p '!!:*' '!ls:0' '!#' 'a!!:s/l/k/'",
      "-l /tmp\nls\n\naks -l /tmp\n",
    ],
  ]));

Deno.test("fc edits with a program and runs what it left", () =>
  compare([
    [
      "printf '%s\\n' 'set -o history' 'echo one' 'fc -e \"sed -i s/one/two/\"' 'fc -s two=three' history > s; bash s 2>&1",
      "one\necho two\ntwo\necho three\nthree\n    1  echo one\n    2  echo two\n    3  echo three\n    4  history\n",
    ],
  ]));
