import { Bench } from "../../harness_test.ts";
/** Each script prints what bash 5.2 prints. */
async function compare(cases: [script: string, out: string][]): Promise<void> {
  for (const [script, out] of cases) {
    await using bench = new Bench();
    const { out: actual } = await bench.run(script);
    if (actual !== out) throw new Error(`${script}\n${JSON.stringify(actual)} instead of ${JSON.stringify(out)}`);
  }
}
Deno.test("numbers have 64 bits", () =>
  compare([
    [
      "echo $((1<<31)) $((1<<63)) $((1<<64)) $((9223372036854775807+1)) $((2**63)) $((3**50)) $((99999999999999999999))",
      "2147483648 -9223372036854775808 1 -9223372036854775808 -9223372036854775808 6048575297968530377 7766279631452241919\n",
    ],
    [
      "echo $((-7/2)) $((-7%3)) $((-9223372036854775808 / -1)) $((~5)) $((5^3)) $((-1>>1))",
      "-3 -1 -9223372036854775808 -6 6 -1\n",
    ],
  ]));

Deno.test("constants have bases", () =>
  compare([
    ["echo $((0x1f)) $((017)) $((2#101)) $((36#zZ)) $((64#_)) $((10#08))", "31 15 5 1295 63 8\n"],
  ]));

Deno.test("operators bind and order as in C", () =>
  compare([
    [
      "echo $((2**3**2)) $((-2**2)) $((1?2:1/0)) $((0&&1/0)) $((1,2)) $((1+2*3)) $((5>3==1)) $((- -5)) $((!!5))",
      "512 4 2 0 2 7 1 5 1\n",
    ],
    ["x=5; echo $((x++ + ++x)) $x $((x+=3)) $((x<<=2)) $((x=x>3?1:0)) $x", "12 7 10 40 1 1\n"],
  ]));

Deno.test("names have values that are expressions", () =>
  compare([
    [
      "x=1+2 y=x; echo $((y*2)) $((z)) $((z+1)); a=(1 2 3) i=1; echo $((a[i]+a[i+1])) $((a[0]++)) ${a[0]}",
      "6 0 1\n5 1 2\n",
    ],
    [
      "declare -A m; echo $((m[k]=4)) $((m[k]++)) ${m[k]} $((m[\"k\"])); e='a[$(echo 2)]'; a=(7 8 9); echo $((e))",
      "4 4 5 5\n9\n",
    ],
  ]));

Deno.test("a mistake is said in bash's words and gives up the line", () =>
  compare([
    ["echo $((1 + )) 2>/dev/null; echo not reached", ""],
    [
      "for e in '1 +' '1 2' '1=2' 08 1.5 2#3 65#1 '1?2' '2**-1' '(1' 'x=' '1/0+5' '@' 'a+b=3' '5++'; do ( : $((e)) ) 2>&1; done | sed 's/.*bash: \\(line [0-9]*: \\)\\?//'",
      '1 +: syntax error: operand expected (error token is "+")\n1 2: syntax error in expression (error token is "2")\n1=2: attempted assignment to non-variable (error token is "=2")\n08: value too great for base (error token is "08")\n1.5: syntax error: invalid arithmetic operator (error token is ".5")\n2#3: value too great for base (error token is "2#3")\n65#1: invalid arithmetic base (error token is "65#1")\n1?2: `:\' expected for conditional expression (error token is "2")\n2**-1: exponent less than 0 (error token is "1")\n(1: missing `)\' (error token is "1")\nx=: syntax error: operand expected (error token is "=")\n1/0+5: division by 0 (error token is "0+5")\n@: syntax error: operand expected (error token is "@")\na+b=3: attempted assignment to non-variable (error token is "=3")\n5++: syntax error: operand expected (error token is "+")\n',
    ],
    [
      "x=y y=x; ( : $((x)) ) 2>&1 | sed 's/.*bash: \\(line [0-9]*: \\)\\?//'",
      'y: expression recursion level exceeded (error token is "y")\n',
    ],
    ["((0)); echo $?; ((1/0)) 2>/dev/null; echo $?", "1\n1\n"],
  ]));
