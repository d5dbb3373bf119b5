import { match, strictEqual } from "node:assert/strict";
import { Bench, prints } from "../../../harness_test.ts";

prints("values of awk", {
  'echo \'10 9\' | awk \'{ print ($1 < $2), ("10" < "9"), ($1 < "9"), ($1 == 10.0), int(-3.7) }\'': "0 1 1 1 -3\n",
  "awk 'BEGIN { print x == 0, x == \"\", length(x), 1/3, 1e6, 2^53, 0.1 + 0.2, 1e-5, 1.015625, 1e20 }'":
    "1 1 0 0.333333 1000000 9007199254740992 0.3 1e-05 1.01562 100000000000000000000\n",
  'awk \'BEGIN { CONVFMT = "%.2g"; OFMT = "%.3f"; a = 3.14159; print a, a "", 17 "" }\'': "3.142 3.1 17\n",
  "awk 'BEGIN { print 1 \" \" -1, -2^2, 2^3^2, !0 + 1, 1 - -1, 7.5 % 2, -5 % 3, 2**3, 0x11 }'":
    "1-1 -4 512 2 2 1.5 -2 8 17\n",
  'awk \'BEGIN { i = 5; print i++ + i++, i, -i--, i; print "3x" + 4, +"0x1A", ".5." + 0, "+5" + 0 }\'':
    "11 7 -7 6\n7 0 0.5 5\n",
  'awk \'BEGIN { a["x"]; print length(a), ("x" in a), ("y" in a); delete a; print length(a) }\'': "1 1 0\n0\n",
  "awk 'BEGIN { a[1, 2] = 3; for (k in a) { split(k, p, SUBSEP); print p[1], p[2] }; if ((1, 2) in a) print \"in\" }'":
    "1 2\nin\n",
  "awk 'BEGIN { a[1][2] = 3; a[1][4] = 5; print length(a[1]), isarray(a[1]); for (k in a[1]) s += a[1][k]; print s }'":
    "2 1\n8\n",
});

prints("fields and records of awk", {
  "echo 'a b c' | awk '{ NF = 2; print; $5 = \"e\"; print; print NF; $0 = \"x y\"; print $2 }'": "a b\na b   e\n5\ny\n",
  "echo 3 4 | awk -v OFS=, '{ $1 = $1^2; print }'": "9,4\n",
  "echo 'a,b;c' | awk -F'[,;]' '{ print $3, NF }'; echo 'a  b' | awk -F' +' '{ print NF }'; echo 'a|b' | awk -F'|' '{ print $2 }'":
    "c 3\n2\nb\n",
  "echo atb | awk -Ft '{ print $2 }'; printf 'a\\tb c\\n' | awk -F '\\t' '{ print $2 }'": "b\nb c\n",
  "printf 'a b\\nc\\n\\n\\nd\\n' | awk -v RS= '{ print NR \": \" $NF, NF }'": "1: c 3\n2: d 1\n",
  "printf 'a1b22c' | awk -v RS='[0-9]+' '{ printf \"%s<%s>\", $0, RT }'; printf 'a;b;' | awk -v RS=';' '{ print NR $0 }'":
    "a<1>b<22>c<>1a\n2b\n",
  "echo 'a,\"b,c\",d' | awk -v FPAT='([^,]*)|(\"[^\"]+\")' '{ print NF, $2 }'; echo 12345 | awk -v FIELDWIDTHS='2 *' '{ print $2 }'":
    '3 "b,c"\n345\n',
  "awk 'NR == 2, NR == 3' five; awk '/one/ { next } /f/' five; awk 'NR == 1 { exit 3 } END { print \"end\" }' five; echo $?":
    "two\nthree\nfour\nfive\nend\n3\n",
  "printf 'k 1\\n' > a; printf 'k 2\\nz 3\\n' > b; awk 'NR == FNR { a[$1] = $2; next } $1 in a { print $1, a[$1], $2 }' a b":
    "k 1 2\n",
  "awk '{ print x, FILENAME, FNR; nextfile }' x=1 five x=2 five; awk 'END { print $0, NR }' five":
    "1 five 1\n2 five 1\nfive 5\n",
  "awk 'BEGINFILE { printf \"%s \", FILENAME } ENDFILE { print FNR }' five five": "five 5\nfive 5\n",
  "awk 'length > 4' five; awk '{ print length, \"length\" }' five | head -1": "three\n3 length\n",
});

prints("functions of awk", {
  'awk \'BEGIN { s = "hello"; print gsub(/l/, "[&]", s), s; sub(/\\[/, "\\\\&", s); print s; t = "aaa"; gsub(/x*/, "-", t); print t }\'':
    "2 he[l][l]o\nhe&l][l]o\n-a-a-a-\n",
  'awk \'BEGIN { print match("foobar", /o+/), RSTART, RLENGTH, match("abcd", /a|ab|abc/), RLENGTH; match("k=v", /(.)=(.)/, m); print m[2] m[1] }\'':
    "2 2 2 1 3\nvk\n",
  'awk \'BEGIN { print gensub(/(a)(b)/, "\\\\2\\\\1", "g", "abab"), gensub(/a/, "x", 2, "aaa"), substr("hello", 2, 3), substr("hello", 0, 2), index("abc", "c") }\'':
    "baba axa ell he 3\n",
  'awk \'BEGIN { n = split("a1b22c", p, /[0-9]+/, s); print n, p[3], s[2]; print split("", q), split("abc", r, ""), r[2], split(" x y ", t) }\'':
    "3 c 22\n0 3 b 2\n",
  'awk \'BEGIN { printf "%5.2f|%-4d|%04d|%x|%c|%c|%5s|%.2s|%*d|%i|%5.3d|%%\\n", 3.14159, 7, 7, 255, 65, "xy", "ab", "abc", 3, 5, -3.9, 7 }\'':
    " 3.14|7   |0007|ff|A|x|   ab|ab|  5|-3|  007|%\n",
  'awk \'BEGIN { print toupper("äß"), length("äöü😀"), substr("😀xy", 2, 1), index("äöü", "ü"), sprintf("%3s|", "é") }\'':
    "Äß 4 x 3   é|\n",
  'awk \'BEGIN { print and(12, 10), or(12, 10), xor(12, 10), lshift(1, 4), strtonum("0x1F"), strftime("%F", 86400, 1), mktime("1970 01 02 00 00 00") }\'':
    "8 14 6 16 31 1970-01-02 86400\n",
  'awk \'BEGIN { a["b"] = 2; a["a"] = 10; n = asorti(a, k); print k[1], k[2]; PROCINFO["sorted_in"] = "@val_num_desc"; for (i in a) printf "%s ", i }\'':
    "a b\na b ",
  "awk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } function g(a, i) { a[1] = 5; i = 7 } BEGIN { i = 1; g(b, i); print f(15), b[1], i }'":
    "610 5 1\n",
  'awk \'BEGIN { switch ("abc") { case /^a/: print "a"; break; default: print "no" }; do i++; while (i < 5); print i }\'':
    "a\n5\n",
  "awk 'BEGIN { srand(1); a = rand(); srand(1); print a == rand(), a < 1 }'": "1 1\n",
});

prints("input and output of awk", {
  'awk \'BEGIN { while ((getline line < "five") > 0) n++; print n, (getline x < "nope"); "echo a b" | getline; print $2; "echo c" | getline v; print v }\'':
    "5 -1\nb\nc\n",
  'awk \'{ print | "sort" } END { close("sort"); print "done" }\' five': "five\nfour\none\nthree\ntwo\ndone\n",
  'awk \'BEGIN { print system("echo out; exit 3"); print "x" | "cat >&2; exit 4"; print close("cat >&2; exit 4") }\' 2>/dev/null':
    "out\n3\n4\n",
  'awk \'{ print $1 > "out_" length($1) } END { print "e" > "/dev/stderr" }\' five 2>/dev/null; cat out_3; echo a >> out_4; awk \'{ print "+" >> "out_4" }\' out_3; wc -l < out_4':
    "one\ntwo\n5\n",
  'awk \'BEGIN { print "b\\na" |& "sort"; close("sort", "to"); while (("sort" |& getline x) > 0) print x }\'': "a\nb\n",
  "printf '{ print f($1) }\\n' > p; printf 'function f(x) { return x \"!\" }' > q; awk -f p -f q five | head -1; printf '@include \"q\"\\nBEGIN { print f(1) }' > r; awk -f r":
    "one!\n1!\n",
  "awk 'BEGIN { printf \"%s %s \", ARGC, ARGV[1]; print ENVIRON[\"A\"] }' x; A=1 awk -vB=2 'BEGIN { print ENVIRON[\"A\"] B }'; awk -- 'BEGIN { print 1 }'":
    "2 x \n12\n1\n",
  "printf 'a\\377b\\n' | awk '{ print length($0); print }' | od -An -tx1": " 33 0a 61 ff 62 0a\n",
  "yes | awk 'NR == 3 { print \"three\"; exit }'; awk 'BEGIN { while (1) print \"y\" }' | head -n 2": "three\ny\ny\n",
});

prints("patterns of awk", {
  'awk \'BEGIN { print "aab" ~ /^a{2}b$/, "a+b" ~ /a\\+b/, "+" ~ /+/, "]" ~ /[]]/, "/" ~ /[/]/, "a.b" ~ "a\\\\.b", "5" ~ /[[:digit:]]/, "a b" ~ /\\<b\\>/ }\'':
    "1 1 1 1 1 1 1 1\n",
  'awk \'BEGIN { s = "foobarfoo"; gsub(/foo|foobar/, "X", s); print s; print match("xabcabd", /(ab|abc)+d?/), RLENGTH }\'':
    "XX\n2 6\n",
  'awk \'BEGIN { for (i = 0; i < 40; i++) s = s "a"; print s ~ /^(a|aa)+$/, s ~ /^(a*)*b$/, match(s "b", /(a*)*b/) }\'':
    "1 0 1\n",
  'echo Hello | awk -v IGNORECASE=1 \'/hello/ { print "A" == "a", match($0, /LL/) }\'': "1 3\n",
});

Deno.test("awk says what is wrong, with exit code 2", async (t) => {
  const cases: [string, RegExp][] = [
    ["awk 'BEGIN { print ( }'", /^awk: cmd\. line:1: BEGIN \{ print \( \}\nawk: cmd\. line:1: {17}\^ syntax error$/],
    ["awk 'BEGIN {\nx = 0\nprint 1 / x }'", /^awk: cmd\. line:3: fatal: division by zero attempted$/],
    ["awk '{ print $(-1) }' five", /^awk: cmd\. line:1: \(FILENAME=five FNR=1\) fatal: attempt to access field -1$/],
    ["awk 'BEGIN { f() }'", /function `f' not defined$/],
    ["awk 'BEGIN { a = 1; a[1] = 2 }'", /array `a' in a scalar context$/],
    ["awk 'BEGIN { printf \"%s %s\" , 1 }'", /not enough arguments to satisfy format string/],
    ["awk '/(/'", /Unmatched \( or/],
    ["awk 1 nope", /cannot open file `nope' for reading: No such file or directory$/],
    ["awk -f nope", /cannot open source file `nope' for reading/],
    ["awk --bignum 1", /unrecognized option/],
  ];
  for (const [script, says] of cases) {
    await t.step(script, async () => {
      await using bench = new Bench();
      const { err, code } = await bench.run(script);
      match(err.trim(), says);
      strictEqual(code, 2);
    });
  }
});

Deno.test("an endless loop of awk can be interrupted", async () => {
  await using bench = new Bench();
  const { ms } = await bench.run("awk 'BEGIN { while (1) i++ }'", { limit: 200 });
  strictEqual(ms < 5000, true);
});

prints("awk that changes files in place", {
  "printf 'a b\\n' > f; awk -i inplace '{ print $2 } END { print \"end\" }' f; cat f; gawk -i inplace -v inplace::suffix=.old '{ print $1 \"!\" }' f; cat f f.old":
    "end\nb\nb!\nb\n",
});

prints("awk stops at a file that cannot be read", {
  "echo hi > f; awk '{ print } END { print \"end\" }' f nope f 2>&1; echo $?":
    "hi\nawk: fatal: cannot open file `nope' for reading: No such file or directory\n2\n",
});
