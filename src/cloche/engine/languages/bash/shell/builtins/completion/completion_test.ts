import { Bench } from "../../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("words are completed by kind, list, function and command", () =>
  compare([
    [
      "compgen -W 'foo bar baz' b; IFS=:; compgen -W '$(echo \"x:y z\")'; compgen -A shopt -P '[' -S ']' nu; compgen -k wh; compgen -A foo; echo $?",
      "bar\nbaz\nx\ny z\n[nullglob]\nwhile\n2\n",
    ],
    [
      "touch pa; mkdir pd; compgen -f pa; compgen -d p; compgen -W 'p1 q' -A directory p; f() { COMPREPLY=(one two three); }; compgen -X 'two' -F f 2>/dev/null; compgen -C 'echo hi' 2>/dev/null",
      "pa\npd\npd\np1\none\nthree\nhi compgen  \n",
    ],
    [
      "complete -W 'foo bar' -F fn cmd; complete -p; complete -r cmd; complete -p cmd; echo $?; compopt -o nope; echo $?",
      "complete -W 'foo bar' -F fn cmd\n1\n2\n",
    ],
  ]));
