import { match, strictEqual } from "node:assert/strict";
import { Bench } from "../harness_test.ts";

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
  "yes | { read -r x; read -r y; echo $x$y; }": "yy\n",
  "echo a > f; yes | while read -r x; do wc -l < f; cat f; break; done": "1\na\n",
  "echo a > f; yes | while read -r x; do while read -r y; do echo $y; done < f; break; done": "a\n",
  "yes | while read -r x; do echo b | wc -l; break; done": "1\n",
  "yes | sh -c 'read -r x; echo $x; echo c | wc -l'": "y\n1\n",
  "yes | while read -r x; do echo $x; done | head -n 2": "y\ny\n",
  "yes | grep y | head -n 2": "y\ny\n",
  "yes | sed -n p | tail -n +2 | head -n 1": "y\n",
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
  "jq -n '[range(150000)] | length'": "150000\n",
  "a=($(seq 120000)); echo ${#a[@]}": "120000\n",
  "seq 120000 > f; mapfile -t a < f; echo ${#a[@]}": "120000\n",
};

/** Caps that stay: a script that reaches one fails and says so. */
const REFUSED: [script: string, says: RegExp][] = [
  ["echo {1..6000000} | wc -w", /^bash: brace expansion result limit exceeded \(5000000\)$/],
  ["f() { f; }; f", /^bash: f: maximum recursion depth \(2000\) exceeded$/],
  ["yes | wc -l", /^yes: has no end and was stopped after 1 MB/],
  ["yes | wc -l | head -n 1", /^yes: has no end/],
  ["yes | grep -c y | cat", /^yes: has no end/],
  ["yes | sed -n '$=' | head -n 1", /^yes: has no end/],
  ["yes | tail -n 1 | head -n 1", /^yes: has no end/],
  ["yes | { wc -l; echo done; }", /^yes: has no end/],
  ["yes | { cat | wc -l; echo done; }", /^yes: has no end/],
  ["yes | (sort -u; true)", /^yes: has no end/],
  ["f() { cat > copy; echo done; }; yes | f", /^yes: has no end/],
  ["yes $LONG | while read -r x; do :; done", /^yes: has no end/],
  ["yes $LONG | { while read -r x; do :; done; echo done; }", /^yes: has no end/],
  ["yes $LONG | { until ! read -r x; do :; done; echo done; } | cat", /^yes: has no end/],
  ["yes $LONG | { while read -r x; do cat empty | wc -l; done; } > counts", /^yes: has no end/],
  ["yes $LONG | { mapfile -t a; echo ${#a[@]}; }", /^yes: has no end/],
  ["yes $LONG | sh script", /^yes: has no end/],
  ["yes $LONG | ./script", /^yes: has no end/],
  ["yes $LONG | bash -c 'cat | wc -l; echo done'", /^yes: has no end/],
  ["yes | { tr y n; echo done; } > copy", /^yes: has no end/],
  ["yes | { grep y; echo done; } > copy", /^yes: has no end/],
  ["yes | env timeout 5 wc -l", /^yes: has no end/],
  ["yes | xargs echo | wc -w", /^yes: has no end/],
  ["yes true | sh", /^yes: has no end/],
  ["cat /dev/zero | { wc -c; echo done; }", /^\/dev\/zero: has no end and was stopped after 1 MB/],
  ["while read -r -N 100000 x; do :; done < /dev/zero", /^\/dev\/zero: has no end/],
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
      await bench.run("echo '. ./self' > self; : > empty; LONG=$(printf 'x%.0s' {1..9000})");
      await bench.run("echo 'while read -r x; do :; done; echo done' > script; chmod +x script");
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
