import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { defineCommand } from "just-bash";
import { Bench } from "../../harness_test.ts";
import { outputOf } from "../../just_bash/output.ts";

Deno.test("output leaves when a statement ends, both streams in order", async () => {
  await using bench = new Bench();
  const { events } = await bench.run("for i in 1 2; do echo o$i; echo e$i >&2; sleep 0.1; done; f() { echo f; }; f");
  deepStrictEqual(events.map(({ stream, text }) => stream.slice(3) + text), [
    "outo1\n",
    "erre1\n",
    "outo2\n",
    "erre2\n",
    "outf\n",
  ]);
  ok(events[0].ms < 90, "the first line waited");
  ok(events[2].ms > 90, "the second line came too early");
});

Deno.test("joined streams keep their order in pipes and files", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("{ echo a; echo b >&2; echo c; } 2>&1 | cat"), "a\nb\nc\n");
  strictEqual(await bench.out("{ echo a; echo b >&2; echo c; } > f 2>&1; cat f"), "a\nb\nc\n");
  strictEqual(await bench.out("f() { echo a; echo b >&2; }; f |& cat; f &> g; cat g"), "a\nb\na\nb\n");
});

Deno.test("substitutions, pipes and redirections take the output away from the terminal", async () => {
  await using bench = new Bench();
  const { out, err } = await bench.run(
    'x=$(echo sub; echo e >&2); echo "[$x]" > f; ls nope 2> g; wc -l < f; wc -l < g',
  );
  deepStrictEqual([out, err], ["1\n1\n", "e\n"]);
});

Deno.test("a script, a child shell and xargs stream too", async () => {
  await using bench = new Bench();
  await bench.run("printf 'echo one\\nsleep 0.1\\necho two\\n' > s.sh; chmod +x s.sh");
  for (const script of ["bash s.sh", "./s.sh", "timeout 5 bash s.sh", "echo s.sh | xargs bash"]) {
    const { events } = await bench.run(script);
    deepStrictEqual(events.map(({ text }) => text), ["one\n", "two\n"], script);
  }
});

Deno.test("a command can ask whether it is seen, and write while it runs", async () => {
  const ask = defineCommand("ask", (_args, ctx) => {
    const output = outputOf(ctx);
    output.stdout(`live=${output.live}\n`);
    output.stderr("e\n");
    return Promise.resolve({ stdout: "end\n", stderr: "", exitCode: 0 });
  });
  await using bench = new Bench([ask]);
  const { events } = await bench.run("ask");
  deepStrictEqual(events.map(({ text }) => text), ["live=true\n", "e\n", "end\n"]);
  strictEqual(
    await bench.out("ask 2>/dev/null | cat; x=$(ask 2>&1); echo $x; ask > f 2>&1; cat f"),
    "live=false\nend\nlive=false e end\nlive=false\ne\nend\n",
  );
});

Deno.test("a command of a job belongs to the run that has begun the job, also during a later one", async () => {
  const runs: number[] = [];
  const note = defineCommand("note", (_args, ctx) => {
    runs.push(outputOf(ctx).run);
    return Promise.resolve({ stdout: "", stderr: "", exitCode: 0 });
  });
  await using bench = new Bench([note]);
  const onOutput = () => {};
  await bench.shell.run("(sleep 0.2; note) &", { run: 1, onOutput });
  await bench.shell.run("note; sleep 0.4; note; (note); echo $(note) | note", { run: 2, onOutput });
  deepStrictEqual(runs, [2, 1, 2, 2, 2, 2]);
});

Deno.test("the log of a running job can be read", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("(echo first; sleep 5) > log 2>&1 & sleep 0.1; cat log; kill $!"), "first\n");
});

Deno.test("output over the limit is dropped", async () => {
  await using bench = new Bench([], 10);
  strictEqual(await bench.out("echo 12345678; echo 12345678"), "12345678\n1");
});

Deno.test("bytes that are no text survive", async () => {
  await using bench = new Bench();
  deepStrictEqual(await bench.bytes("printf '\\x00\\xff\\xc3\\xa9'"), [0, 255, 0xc3, 0xa9]);
  deepStrictEqual(await bench.bytes("{ printf '\\xfe'; printf 'a\\xffb\\n'; } | sed s/a/c/ | cat > f; cat f"), [
    0xfe,
    99,
    255,
    98,
    10,
  ]);
  deepStrictEqual(await bench.bytes("sed -i s/c/d/ f; sort f | tr d e | grep -a e"), [0xfe, 101, 255, 98, 10]);
  const { out } = await bench.run("wc -c; echo é | wc -m", { stdin: Uint8Array.of(0, 200, 10) });
  strictEqual(out, "3\n2\n");
});

Deno.test("exit codes and messages are those of bash", async () => {
  await using bench = new Bench();
  const { code, err } = await bench.run("nosuch");
  deepStrictEqual([code, err], [127, "bash: nosuch: command not found\n"]);
  strictEqual((await bench.run("./nope")).code, 127);
  strictEqual((await bench.run("touch x; ./x")).code, 126);
  strictEqual((await bench.run("set -o pipefail; false | true")).code, 1);
});

Deno.test("endless producers end with a reader that is known to leave", async () => {
  await using bench = new Bench();
  strictEqual(await bench.out("yes | head -1; yes | sed 2q; while :; do echo x; done | sed 1q"), "y\ny\ny\nx\n");
});
