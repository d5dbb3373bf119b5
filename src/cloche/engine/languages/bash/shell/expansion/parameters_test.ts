import { Bench } from "../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("parts of a value are cut off, found and replaced", () =>
  compare([
    [
      "x=/a/b/c.tar.gz; echo ${x#*/} ${x##*/} ${x%.*} ${x%%.*} \"${x%'*'}\"",
      "a/b/c.tar.gz c.tar.gz /a/b/c.tar /a/b/c /a/b/c.tar.gz\n",
    ],
    [
      "x=aXbXc; echo ${x/X/-} ${x//X} ${x/#a/-} ${x/%c/-} ${x//[ac]/<&>} ${x//X*/q}",
      "a-bXc abc -XbXc aXbX- <a>XbX<c> aq\n",
    ],
    ['x=abc; r=\'<&>\'; echo "${x//b/\\&}" ${x//b/$r} "${x//b/"$r"}"', "a&c a<b>c a<&>c\n"],
    ['x=--x--; echo "${x%%-*}|${x%-*}|${x#*-}|${x##*-}"', "|--x-|-x--|\n"],
    ["x='a b'; shopt -s extglob; echo \"${x//+( )/-}\"", "a-b\n"],
  ]));

Deno.test("substrings and lengths count characters", () =>
  compare([
    ['x=abcdef; echo ${x:2} ${x:2:2} ${x: -2} ${x:1:-1} "${x:9}" ${x::2}', "cdef cd ef bcde  ab\n"],
    ["x=é日😀; echo ${#x} ${x:1:1} ${x#?}", "3 日 日😀\n"],
    ['a=([2]=x [5]=y [9]=z); printf \'<%s>\' "${a[@]:3}" "${a[@]: -4}" "${!a[@]}" ${#a[@]}', "<y><z><z><2><5><9><3>"],
    ["x=abc; echo ${x[@]:0:1} ${#x[@]}", "a 1\n"],
  ]));

Deno.test("cases are changed", () =>
  compare([
    [
      "x=hello; echo ${x^} ${x^^} ${x^^[el]} ${x~~}; y=HELLO; echo ${y,} ${y,,}",
      "Hello HELLO hELLo HELLO\nhELLO hello\n",
    ],
  ]));

Deno.test("values are quoted and described", () =>
  compare([
    ['x="it\'s"; echo "${x@Q}" ${x@U} ${x@u}; x=$\'a\\nb\'; echo "${x@Q}"', "'it'\\''s' IT'S It's\n$'a\\nb'\n"],
    [
      'declare -i n=5; echo ${n@a} ${n@A}; a=(1 \'b c\'); echo "${a[@]@A}" "${a[@]@K}" "${a[@]@Q}"',
      'i declare -i n=\'5\'\ndeclare -a a=([0]="1" [1]="b c") 0 "1" 1 "b c" \'1\' \'b c\'\n',
    ],
    ["PS1='\\\\\\\\ \\D{%Y}'; [[ ${PS1@P} == '\\ 2'* ]] && echo yes; x='$(echo hi)'; echo \"${x@P}\"", "yes\nhi\n"],
  ]));

Deno.test("a name can be found in another variable", () =>
  compare([
    [
      "x=5 y=x; a=(1 2 3); echo ${!y}; y='a[1]'; echo ${!y}; y='a[@]'; echo \"${!y}\"; x1=; echo ${!x*}",
      "5\n2\n1 2 3\nx x1\n",
    ],
    ["declare -A m=([k]=v); r='m[\"k\"]'; k=k; s='m[$k]'; echo ${!r} ${!s}", "v v\n"],
  ]));

Deno.test("what is not set is an error where that is asked for", () =>
  compare([
    ["(echo ${x?}); echo $?; x=; (echo ${x:?no}) 2>&1 | grep -o 'x: no'", "1\nx: no\n"],
    ["(set -u; echo ${x-ok} $y) 2>&1 | grep -o 'y: unbound variable'", "y: unbound variable\n"],
    ["echo ${x!}; echo not reached", ""],
  ]));
