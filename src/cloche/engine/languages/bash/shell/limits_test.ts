import { match, strictEqual } from "node:assert/strict";
import { defineCommand, latin1FromBytes } from "just-bash";
import { Bench } from "../harness_test.ts";

/** Work beyond caps that just-bash has; all of it is done. */
const DONE: Record<string, string> = {
  "n=0; for i in {1..20000}; do n=$((n + 1)); done; echo $n": "20000\n",
  "echo {1..200000} | wc -w": "200000\n",
  "echo {a..z}{a..z}{a..z}{0..9} | wc -w": "175760\n",
  "for i in {1..3000}; do echo {1..50}; done | wc -w": "150000\n",
  "x=$(printf 'a%.0s' {1..30000}); echo ${#x}": "30000\n",
  "printf 'echo %s\\n' {1..12000} > s; bash s | wc -l": "12000\n",
  'eval "echo $(echo {1..120000})" | wc -w': "120000\n",
  "cat <<EOF | wc -c\n$(printf 'x%.0s' {1..200000})\nEOF": "200001\n",
  "yes | head -n 700000 | wc -l": "700000\n",
  'n=700000; yes | head -n "$n" | wc -l': "700000\n",
  "yes | head -c 3000000 | wc -c": "3000000\n",
  "yes | tr y n | head -c 2000000 | wc -c": "2000000\n",
  "cat /dev/zero | head -c 3000000 | wc -c": "3000000\n",
  "tr -dc 0-9 < /dev/urandom | head -c 100000 | wc -c": "100000\n",
  "yes | while read -r x; do echo $x; break; done": "y\n",
  "yes | { head -n 2; }": "y\ny\n",
  "yes | { read -r x; read -r y; echo $x$y; }": "yy\n",
  "echo a > f; yes | while read -r x; do wc -l < f; cat f; break; done": "1\na\n",
  "echo a > f; yes | while read -r x; do while read -r y; do echo $y; done < f; break; done": "a\n",
  "yes | while read -r x; do echo b | wc -l; break; done": "1\n",
  "yes | sh -c 'read -r x; echo $x; echo c | wc -l'": "y\n1\n",
  "yes | while read -r x; do echo $x; done | head -n 2": "y\ny\n",
  "yes | grep y | head -n 2": "y\ny\n",
  "yes | awk '{ print $1 $1 }' | head -n 1": "yy\n",
  "yes | true; yes | echo a; yes | ls /dev/null": "a\n/dev/null\n",
  "touch d; yes | rm -i d 2> /dev/null; ls d 2> /dev/null || echo gone": "gone\n",
  "echo a > f; yes | sort f": "a\n",
  "yes | head -n $((1 + 1))": "y\ny\n",
  "od -An -N4 -tu1 /dev/zero": "   0   0   0   0\n",
  "for ((i = 0; i < 110000; i++)); do :; done; echo $i": "110000\n",
  's=\'echo 1\'; for i in {1..80}; do s="echo \\$($s)"; done; eval "$s"': "1\n",
  "awk 'BEGIN { for (i = 0; i < 200000; i++) s += i; print s }'": "19999900000\n",
  "seq 120000 | sed -n '$='": "120000\n",
  "shopt -s globstar; echo **/**/**/**/**/**/x": "**/**/**/**/**/**/x\n",
  "a=($(seq 120000)); echo ${#a[@]}": "120000\n",
  "seq 120000 > f; mapfile -t a < f; echo ${#a[@]}": "120000\n",
};

/** Caps that stay: a script that reaches one fails and says so. */
const REFUSED: [script: string, says: RegExp][] = [
  ["echo {1..6000000}", /^bash: brace expansion: more than 5000000 words$/],
  ["f() { f; }; f", /^bash: functions and substitutions are nested more than 1000 deep$/],
  ["x=a; while :; do x=$x$x; done", /^bash: a text would be longer than half a gigabyte$/],
  [
    "bash -c 'while :; do sleep 100 & done'",
    /^bash: line 1: fork: Resource temporarily unavailable: 512 processes run already$/,
  ],
  [". ./self", /^bash: commands, functions or substitutions are nested too deep$/],
  ["cat /dev/zero > copy", /^cat: .*No space left on device$/],
  ["awk 'function f(n) { return f(n + 1) } BEGIN { f(1) }'", /recursion depth exceeded/],
  ["yes | whole", /^whole: yes has no end, and whole takes all of its input at once$/],
  ["yes | { whole; }", /^whole: yes has no end/],
  ["whole < /dev/zero", /^whole: \/dev\/zero has no end/],
];

/** Readers of what has no end, which read on until they are interrupted, as on a real machine. */
const ENDLESS = [
  "yes | while read -r x; do :; done",
  "yes | { while read -r x; do :; done; }",
  "yes | cat > /dev/null",
  "cat /dev/zero > /dev/null",
  "yes | awk 1 > /dev/null",
  "yes true | while read -r x; do $x; done",
  "while read -r -N 1000 x; do :; done < /dev/zero",
];

Deno.test("no cap cuts a result short", async (t) => {
  for (const [script, expected] of Object.entries(DONE)) {
    await t.step(script, async () => {
      await using bench = new Bench();
      const { out, err, code } = await bench.run(script, { limit: 60_000 });
      strictEqual(`${out}${err}`, expected);
      strictEqual(code, 0);
    });
  }
});

Deno.test("a cap that is reached fails the script and says which it was", async (t) => {
  for (const [script, says] of REFUSED) {
    await t.step(script, async () => {
      const whole = defineCommand(
        "whole",
        (_args, ctx) => Promise.resolve({ stdout: `${latin1FromBytes(ctx.stdin).length}\n`, stderr: "", exitCode: 0 }),
      );
      await using bench = new Bench([whole]);
      await bench.run("echo '. ./self' > self");
      const { err, code } = await bench.run(script, { limit: 60_000 });
      match(err.trim(), says);
      strictEqual(code !== 0, true);
    });
  }
});

Deno.test("what reads something endless reads on until it is interrupted", async (t) => {
  for (const script of ENDLESS) {
    await t.step(script, async () => {
      await using bench = new Bench();
      const { code, err } = await bench.run(script, { limit: 200 });
      strictEqual(`${code} ${err}`, "130 ");
    });
  }
});

Deno.test("a producer whose reader has left ends as by a broken pipe", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("yes | head -n 1; echo ${PIPESTATUS[@]}"), "y\n141 0\n");
  strictEqual(await bench.out("set -o pipefail; yes | head -n 1; echo $?"), "y\n141\n");
});
