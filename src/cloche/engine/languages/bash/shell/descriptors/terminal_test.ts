import { deepStrictEqual, strictEqual } from "node:assert";
import { Bench } from "../../harness_test.ts";

/** Types these lines, then ends the input; keeps what was asked. */
function typist(...lines: string[]) {
  const asked: { prompt: string; hidden: boolean; seconds: number | undefined }[] = [];
  const ask = (prompt: string, hidden: boolean, seconds?: number) => {
    asked.push({ prompt, hidden, seconds });
    return Promise.resolve(lines.shift() ?? null);
  };
  return { asked, ask };
}

async function typed(script: string, ...lines: string[]): Promise<string> {
  await using bench = new Bench();
  const { ask } = typist(...lines);
  const { out, err } = await bench.run(script, { ask });
  return out + err;
}

const ANSWERED: Record<string, [printed: string, ...lines: string[]]> = {
  "read x; echo hi $x": ["hi Ann\n", "Ann"],
  'read -r x; echo "$x"; read y; echo "$y"': ["a\\b\ncd\n", "a\\b ", "c\\d"],
  "read x; echo $x $?": ["ab 0\n", "a\\", "b"],
  "read a b; echo $b-$a": ["two three-one\n", "one two three"],
  "read -a all; echo ${all[1]}": ["two\n", "one two"],
  "read -n 1 x; echo $x": ["y\n", "yes"],
  "read -N 3 x; echo $x": ["a b\n", "a", "bc"],
  "read -d ';' x; echo $x": ["a b\n", "a", "b;c"],
  "read x; echo $x ${#x}": ["é€ 2\n", "é€"],
  "while read x; do echo got $x; done; echo end": ["got a\ngot b\nend\n", "a", "b"],
  "read x; echo $?": ["1\n"],
  "f() { read x; echo $x; }; f": ["a\n", "a"],
  "bash -c 'read x; echo $x'": ["a\n", "a"],
  "printf 'read x; echo $x' > s.sh; bash s.sh; chmod +x s.sh; ./s.sh": ["a\nb\n", "a", "b"],
  "x=$(read y; echo $y); echo $x": ["a\n", "a"],
  "(read x; echo $x)": ["a\n", "a"],
  "read x | cat; read y; echo $y": ["b\n", "a", "b"],
  "eval 'read x'; command read y; echo $x$y": ["ab\n", "a", "b"],
  "cat; echo end": ["é\nb\nend\n", "é", "b"],
  "cat - > f; wc -l < f": ["2\n", "a", "b"],
};

Deno.test("read and cat take what is typed", async (t) => {
  for (const [script, [printed, ...lines]] of Object.entries(ANSWERED)) {
    await t.step(script, async () => strictEqual(await typed(script, ...lines), printed));
  }
});

const SILENT = [
  "printf '' | read x",
  "printf '' | { read x; cat; }",
  "printf '' | bash -c 'read x'",
  "printf '' | while read x; do :; done",
  "read x < /dev/null",
  "{ read x; } < /dev/null",
  "f() { read x; }; f < /dev/null",
  "bash -c 'read x' < /dev/null",
  "exec < /dev/null; read x",
  "read x <<< ''",
  "read x & wait",
  "echo a | xargs -I{} bash -c 'read x'",
  "read -t 0 x",
  "read -u 3 x",
  "cat five > /dev/null",
  "f() { cat; }; f < /dev/null",
  "read() { :; }; read",
];

Deno.test("nobody is asked where standard input is something else", async (t) => {
  for (const script of SILENT) {
    await t.step(script, async () => {
      await using bench = new Bench();
      const { asked, ask } = typist("typed");
      await bench.run(script, { ask });
      deepStrictEqual(asked, []);
    });
  }
});

Deno.test("without a terminal, input is at its end", async () => {
  await using bench = new Bench();
  strictEqual((await bench.run("read x; echo $?; cat; echo $?")).out, "1\n0\n");
  const { asked, ask } = typist("typed");
  strictEqual((await bench.run("read x; echo $x", { ask, stdin: new TextEncoder().encode("piped\n") })).out, "piped\n");
  deepStrictEqual(asked, []);
});

Deno.test("read says how it asks", async () => {
  await using bench = new Bench();
  const { asked, ask } = typist("a", "b");
  await bench.run("read -rsp 'Word? ' x; read -p Again: -t 5 y", { ask });
  deepStrictEqual(asked.map(({ prompt, hidden }) => [prompt, hidden]), [["Word? ", true], ["Again:", false]]);
  strictEqual(asked[0].seconds, undefined);
  strictEqual(Math.round(asked[1].seconds ?? 0), 5);
});

Deno.test("a read that nobody answers in time fails as in bash", async () => {
  await using bench = new Bench();
  const never = (_prompt: string, _hidden: boolean, seconds = 0) =>
    new Promise<null>((resolve) => setTimeout(() => resolve(null), seconds * 1000));
  strictEqual((await bench.run("read -t 0.05 x; echo $?", { ask: never })).out, "142\n");
});

Deno.test("a read that waits can be interrupted", async () => {
  await using bench = new Bench();
  const pending = Promise.withResolvers<null>();
  setTimeout(() => pending.resolve(null), 100);
  const { code } = await bench.run("read x; echo never", { ask: () => pending.promise, limit: 50 });
  strictEqual(code, 130);
});
