import { Bench } from "../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("arrays have gaps, ends and elements", () =>
  compare([
    [
      'a=(1 2 3); a[5]=6; a+=(7); unset \'a[0]\'; a[-1]+=x; echo "${!a[@]}" "${a[@]}" ${#a[@]} ${a[-2]-none}',
      "1 2 5 6 2 3 6 7x 4 6\n",
    ],
    [
      "a=([3]=a b [1]=c d); declare -p a; a[a[0]=1]=X; declare -p a",
      'declare -a a=([1]="c" [2]="d" [3]="a" [4]="b")\ndeclare -a a=([0]="1" [1]="X" [2]="d" [3]="a" [4]="b")\n',
    ],
    [
      "declare -A m=([a]=1 [\"b c\"]=2); k='b c'; echo ${m[$k]} ${#m[@]}; unset 'm[\"b c\"]'; m+=([x]=y); m[a]+=5; echo ${m[a]} ${m[x]} ${#m[@]}",
      "2 2\n15 y 2\n",
    ],
    ["x=s; x[2]=t; declare -p x; echo ${x[1]-none}", 'declare -a x=([0]="s" [2]="t")\nnone\n'],
  ]));

Deno.test("arrays with wide gaps are quick, and emptied ones stay", async () => {
  const begin = performance.now();
  await compare([
    ["a[1000000000]=x; a[5]=y; echo ${#a[@]} ${a[@]} ${!a[@]}; (a[2]=q; echo ${a[@]})", "2 y x 5 1000000000\nq y x\n"],
    [
      "a=(1 2); unset 'a[1]' 'a[0]'; a+=(z); declare -p a; unset 'a[@]'; declare -p a",
      'declare -a a=([0]="z")\ndeclare -a a=()\n',
    ],
  ]);
  if (performance.now() - begin > 3000) throw new Error("gaps are looked through one by one");
});

Deno.test("what a builtin cannot assign it says, and the line goes on", () =>
  compare([
    ["readonly x=1; read x <<< 2; printf -v x 3; echo $? $x", "1 1\n"],
    [
      "f() { local -n v=$1; v=inside; }; v=outside; f v 2>/dev/null; echo $v; declare -nr r=t; r=5; echo $t",
      "inside\n5\n",
    ],
    ["i=1; a=(5 6); x='a[$i]'; echo $((x)) $((a[ ])); let y=(2 + 3) 'z=a[$i]'; echo $y $z", "6 5\n5 6\n"],
  ]));

Deno.test("attributes change what is assigned", () =>
  compare([
    [
      "declare -i n=3+4; n+=2; echo $n; declare -u U=abc; U+=d; echo $U; declare -l L=ABC; echo $L; declare -ia b=(1+1); b[0]+=5; echo ${b[0]}",
      "9\nABCD\nabc\n7\n",
    ],
    ["set -a; z=5; declare -p z", 'declare -x z="5"\n'],
  ]));

Deno.test("a reference stands for another name", () =>
  compare([
    [
      "declare -n r=x; r=1; echo $x ${!r}; declare -n e='a[1]'; e=q; echo \"${a[1]}\"; declare -n l=arr; l=(1 2); l+=(3); echo ${arr[@]}; for l in p q; do echo ${!l}; done; unset r; echo ${x-gone}",
      "1 x\nq\n1 2 3\np\nq\ngone\n",
    ],
  ]));

Deno.test("what is readonly stays", () =>
  compare([
    [
      "readonly r=1; (r=2; echo no) 2>/dev/null; echo $r; (readonly a=(1); a[0]=2) 2>&1 | grep -o 'a: readonly variable'",
      "1\na: readonly variable\n",
    ],
  ]));

Deno.test("some values are computed", () =>
  compare([
    [
      "RANDOM=42; echo $RANDOM $RANDOM; f() { echo ${FUNCNAME[0]}; }; f; true | false; echo ${PIPESTATUS[@]}; SECONDS=100; echo $SECONDS",
      "17772 26794\nf\n0 1\n100\n",
    ],
  ]));
