import { ok, strictEqual } from "node:assert/strict";
import { Bench } from "../../harness_test.ts";

const ENDLESS = [
  "while true; do :; done",
  "while true; do echo x; done > /dev/null",
  "while true; do echo x; done | cat",
  "sleep 100",
  "yes > /dev/null",
  "(while true; do :; done); echo no",
  "x=$(while true; do :; done)",
  "f() { f; }; while :; do sleep 1; done",
  "bash -c 'while true; do :; done'",
  "sleep 100 & wait",
  "timeout 100 sleep 50",
  "echo 'while (1) x=x+1' | bc",
  "seq 1 1000000000",
  "grep -c 'a.*b' big big big big big big big big big big big big big big big big big big big big",
];

for (const script of ENDLESS) {
  Deno.test(`an interrupt stops: ${script.slice(0, 50)}`, async () => {
    await using bench = new Bench();
    bench.write("/box/big", "a line without that letter\n".repeat(200_000));
    const { code, ms } = await bench.run(script, { limit: 150 });
    strictEqual(code, 130);
    ok(ms < 150 + 250, `took ${Math.round(ms)} ms`);
    strictEqual(await bench.out("echo alive $?"), "alive 130\n");
  });
}

Deno.test("a timer-driven signal stops a loop as well", async () => {
  await using bench = new Bench();
  const signal = AbortSignal.timeout(100);
  const { exitCode } = await bench.shell.run("while true; do :; done", { onOutput: () => {}, signal });
  strictEqual(exitCode, 130);
});

Deno.test("honest long loops are not limited", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("for ((i = 0; i < 150000; i++)); do :; done; echo $i"), "150000\n");
});
