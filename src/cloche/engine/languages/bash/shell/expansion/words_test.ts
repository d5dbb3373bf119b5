import { Bench } from "../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("fields are split by IFS, and quotes keep them together", () =>
  compare([
    ["x=' a  b '; printf '<%s>' $x \"$x\" 1$x\"2\"", "<a><b>< a  b ><1><a><b><2>"],
    ["IFS=:; x=:a::b:; printf '<%s>' $x", "<><a><><b>"],
    ["IFS=': '; x='a : b'; printf '<%s>' $x", "<a><b>"],
    ["IFS=:; x=a: y=:b; printf '<%s>' $x$y $x\"b\"", "<a><><b><a><b>"],
    ["IFS=,; x=1,2; printf '<%s>' ${x} a,b", "<1><2><a,b>"],
  ]));

Deno.test('"$@" keeps its elements and disappears if there are none', () =>
  compare([
    ["set -- 'a b' ''; printf '<%s>' \"$@\" x\"$@\"y $@ \"$*\"", "<a b><><xa b><y><a><b><a b >"],
    ['set --; x=; f() { echo $#; }; f "$@"; f "$@$x"; f ""$@; f "a$@"', "0\n0\n1\n1\n"],
    ["IFS=:; set -- a '' b; printf '<%s>' $@ \"$*\"", "<a><><b><a::b>"],
    ['set -- 1 2 3; printf \'<%s>\' "${@:2}" "${@: -1}" "${*:1:2}" ${#@}', "<2><3><3><1 2><3>"],
  ]));

Deno.test("the word after a minus is split unless it is quoted", () =>
  compare([
    ['printf \'<%s>\' ${x-a b} "${x-a b}" ${x-"a b"} "${x-\'a b\'}" ${x:+no}', "<a><b><a b><a b><'a b'>"],
    ["printf '<%s>' ${x:=a b}; echo \"$x\"", "<a><b>a b\n"],
  ]));

Deno.test("braces are expanded before all else", () =>
  compare([
    [
      'echo {a,b}{1..3} {01..03} {e..a..2} {a,{b,c}d}e x{,y} {a} "{a,b}" {1..a}',
      "a1 a2 a3 b1 b2 b3 01 02 03 e c a ae bde cde x xy {a} {a,b} {1..a}\n",
    ],
    ["a=A; echo {$a,b}_ {~,x}/y", "b_ /box/y x/y\n"],
    ["echo {X,,Y,}", "X Y\n"],
    ["set +B; echo {a,b} {1..2}", "{a,b} {1..2}\n"],
  ]));

Deno.test("tildes stand at the start and, in assignments, after colons", () =>
  compare([
    ['echo ~ ~/x a~ "~"; v=~/q:~; echo $v', "/box /box/x a~ ~\n/box/q:/box\n"],
  ]));

Deno.test("names match patterns", () =>
  compare([
    [
      'mkdir q; cd q; touch a.c b.c .d; mkdir e; touch e/f.c; echo * .* */* [ab].c n* "*"; x=\'*.c\'; echo $x "$x"',
      "a.c b.c e .d e/f.c a.c b.c n* *\na.c b.c *.c\n",
    ],
    ["mkdir q; cd q; touch a.c b.h -n; shopt -s nullglob dotglob; echo *.x -*; set -f; echo *", "\n*\n"],
    [
      "mkdir q; cd q; mkdir -p d/e; touch d/1.c d/e/2.c; shopt -s globstar; echo ** d/** **/*.c",
      "d d/1.c d/e d/e/2.c d/ d/1.c d/e d/e/2.c d/1.c d/e/2.c\n",
    ],
    ["mkdir q; cd q; touch one.md one.txt; GLOBIGNORE='*.txt:[[:digit:]]*'; echo *.*", "one.md\n"],
  ]));

Deno.test("substitutions lose their last newlines", () =>
  compare([
    ['echo "[$(printf \'a\\n\\n\')]" $(echo \'b  c\') "$(echo "d $(echo e)")"', "[a] b c d e\n"],
  ]));
