import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Bench } from "../../harness_test.ts";

Deno.test("jobs run side by side and wait gives their codes", async () => {
  await using bench = new Bench();
  const { out, ms } = await bench.run("for i in 3 1 2; do (sleep 0.$i; echo j$i) & done; wait; echo all");
  strictEqual(out, "j1\nj2\nj3\nall\n");
  ok(ms < 550, `took ${Math.round(ms)} ms`);
  strictEqual(await bench.out("(exit 7) & wait $!; echo $?; wait 99999; echo $?"), "7\n127\n");
});

Deno.test("job numbers are unique and growing, and a job has a copy of the state", async () => {
  await using bench = new Bench();
  const [first, second, x] = (await bench.out("x=1; { x=2; } & a=$!; : & echo $a; echo $!; wait; echo $x")).split("\n")
    .map(Number);
  ok(second > first && first > 1);
  strictEqual(x, 1);
});

Deno.test("kill ends a job", async () => {
  await using bench = new Bench();
  const { out, ms } = await bench.run(
    "sleep 50 & kill -0 $! && echo runs; kill $!; wait $!; echo $?; sleep 50 & kill -9 %1; wait %1; echo $?; kill $! 2>/dev/null; echo $?",
  );
  deepStrictEqual(out, "runs\n143\n137\n1\n");
  ok(ms < 1000);
  strictEqual(await bench.out("while true; do :; done & sleep 0.05; kill $!; wait $!; echo $?"), "143\n");
});

Deno.test("jobs, disown and nohup", async () => {
  await using bench = new Bench();
  match(
    await bench.out("sleep 5 & jobs; ps | grep -c sleep; kill %1; wait; jobs"),
    /^\[1\]\+ +Running +sleep 5 &\n1\n$/,
  );
  strictEqual(await bench.out("nohup sleep 5 > /dev/null 2>&1 & disown; jobs"), "");
});

Deno.test("a job outlives the script, and its output comes with the next", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("(sleep 0.05; echo late; exit 5) & echo $! > pid"), "");
  await new Promise((resolve) => setTimeout(resolve, 150));
  const { out } = await bench.run("wait $(cat pid); echo $?");
  strictEqual(out, "late\n5\n");
});

Deno.test("stop ends all jobs", async () => {
  const bench = new Bench();
  await bench.run("sleep 100 & (while true; do sleep 0.01; done) &");
  await bench.shell.stop();
});
