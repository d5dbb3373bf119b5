import { Bench } from "../../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("names are declared with attributes and printed", () =>
  compare([
    [
      "declare -i x; declare -p x; x=5; declare +i x; declare -p x; declare -ix n=3+4; declare -p n; declare -lu q=aB; declare -p q",
      'declare -i x\ndeclare -- x="5"\ndeclare -ix n="7"\ndeclare -- q="aB"\n',
    ],
    [
      "declare -a e; declare -A f; declare -p e f; e=(); declare -p e; x=5; declare -a x; declare -p x; code='y=(1 2 3)'; declare -a \"$code\"; echo ${y[1]}",
      'declare -a e\ndeclare -A f\ndeclare -a e=()\ndeclare -a x=([0]="5")\n2\n',
    ],
    [
      "readonly a b=1; declare -p a b; export y=1 z; declare -p y z; export -n y; declare -p y; f() { :; }; declare -F f",
      'declare -r a\ndeclare -r b="1"\ndeclare -x y="1"\ndeclare -x z\ndeclare -- y="1"\nf\n',
    ],
  ]));

Deno.test("functions have variables of their own", () =>
  compare([
    [
      "f() { local x=1 y; declare -g q=1; echo $x ${y-unset}; g; echo $x; }; g() { x=2; }; x=0; f; echo $x $q",
      "1 unset\n2\n0 1\n",
    ],
    [
      "f() { local v; echo \"${v-unset}\"; }; v=g; v=t f; f; echo $v; h() { IFS= eval 'local w=1'; echo $w; }; h; echo ${w-none}",
      "t\nunset\ng\n1\nnone\n",
    ],
    [
      'unl() { unset -v "$1"; }; f() { local v=l; unl v; echo ${v-u}; }; v=g; f; h() { local v=l; unset v; echo ${v-u}; }; h; echo $v',
      "g\nu\ng\n",
    ],
    ['show() { local -n arr=$1; echo "${arr[1]}"; arr+=(z); }; a=(1 2); show a; echo ${a[@]}', "2\n1 2 z\n"],
    [
      'g() { local -n x=$1; echo $x; x=5; }; x=1; g x 2>/dev/null; echo $x; f() { local -n arr=$1; echo "${arr[1]}"; arr[0]=9; }; arr=(1 2); f arr 2>/dev/null; echo ${arr[@]}',
      "1\n5\n2\n9 2\n",
    ],
  ]));

Deno.test("what cannot be declared is said", () =>
  compare([
    [
      "declare 1a=2; echo $?; declare -A m; declare -a m; echo $?; declare -n r=1; echo $?; readonly c=1; declare c=2; echo $?; declare -z; echo $?",
      "1\n1\n1\n1\n2\n",
    ],
  ]));
