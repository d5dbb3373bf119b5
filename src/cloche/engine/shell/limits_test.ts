import { match, strictEqual } from "node:assert/strict";
import { Bench } from "./harness_test.ts";

/** Work beyond caps that just-bash has, or had before it was patched; all of it is done. */
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
  "yes | head -n $((1 + 1))": "y\ny\n",
  "od -An -N4 -tu1 /dev/zero": "   0   0   0   0\n",
  "for ((i = 0; i < 110000; i++)); do :; done; echo $i": "110000\n",
  's=\'echo 1\'; for i in {1..80}; do s="echo \\$($s)"; done; eval "$s"': "1\n",
  "awk 'BEGIN { for (i = 0; i < 200000; i++) s += i; print s }'": "19999900000\n",
  "seq 120000 | sed -n '$='": "120000\n",
  "jq -n '[range(150000)] | length'": "150000\n",
  "a=($(seq 120000)); echo ${#a[@]}": "120000\n",
  "seq 120000 > f; mapfile -t a < f; echo ${#a[@]}": "120000\n",
};

/** Caps that stay: a script that reaches one fails and says so. */
const REFUSED: [script: string, says: RegExp][] = [
  ["echo {1..6000000} | wc -w", /^bash: brace expansion result limit exceeded \(5000000\)$/],
  ["f() { f; }; f", /^bash: f: maximum recursion depth \(2000\) exceeded$/],
  ["yes | wc -l", /^yes: has no end, so only its first part was read/],
  ["yes | sort | uniq -c", /^yes: has no end/],
  ["yes | head -n $(echo 2000000) | wc -l", /^yes: has no end/],
  ["x=$(yes); echo ${#x}", /^bash: yes: has no end/],
  ["wc -c /dev/zero", /^\/dev\/zero: has no end/],
  ["cat /dev/zero > copy", /^\/dev\/zero: has no end/],
  ["cat < /dev/urandom | wc -c", /^\/dev\/urandom: has no end/],
  ["jq -n '[limit(3; repeat(1))]'", /^jq: .*too many iterations \(10000000\)$/],
  ["awk 'function f(n) { return f(n + 1) } BEGIN { f(1) }'", /recursion depth exceeded/],
  [". ./self", /^bash: source: maximum nesting depth/],
  ["shopt -s globstar; echo **/**/**/**/**/**/x", /too many \*\* segments/],
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
      await using bench = new Bench();
      await bench.run("echo '. ./self' > self");
      const { err, code } = await bench.run(script, { limit: 60_000 });
      match(err.trim(), says);
      strictEqual(code !== 0, true);
    });
  }
});

Deno.test("a producer whose reader has left ends as by a broken pipe", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("yes | head -n 1; echo ${PIPESTATUS[@]}"), "y\n141 0\n");
  strictEqual(await bench.out("set -o pipefail; yes | head -n 1; echo $?"), "y\n141\n");
});
