import { prints } from "../../../harness_test.ts";

prints("tools for lines: what GNU prints", {
  "seq 20 > f; tail -c +48 f; tail -n +19 f; tail -n1 f f; seq 5 | tail -2":
    "\n20\n19\n20\n==> f <==\n20\n\n==> f <==\n20\n4\n5\n",
  "printf 'a b\\nc\\td\\n' > f; wc f; wc -L f; wc f f; wc -l < f":
    "2 4 8 f\n9 f\n 2  4  8 f\n 2  4  8 f\n 4  8 16 total\n2\n",
  "seq 3 > a; printf 'x\\ny' > b; tac a b; echo; tac -s, <<< 'a,b'; rev <<< abc": "3\n2\n1\nyx\n\nb\na,cba\n",
  "printf 'a\\n\\nb\\n' | nl -ba -w3 -s:; printf 'a\\n\\nb\\n' | nl":
    "  1:a\n  2:\n  3:b\n     1\ta\n       \n     2\tb\n",
  "printf 'a:b:c\\nx\\n' | cut -d: -f1,3; printf 'a:b:c\\n' | cut --complement -d: -f2; cut -c2- <<< abc":
    "a:c\nx\na:c\nbc\n",
  "seq 4 | paste - -; seq 3 | paste -sd+": "1\t2\n3\t4\n1+2+3\n",
  "printf 'a\\nb\\n' > a; printf 'b\\nc\\n' > b; comm a b; comm -12 a b": "a\n\t\tb\n\tc\nb\n",
  "printf 'a\\na\\nb\\n' | uniq -c; printf 'a\\na\\nb\\n' | uniq -D; printf '1 a\\n2 a\\n' | uniq -f1":
    "      2 a\n      1 b\na\na\n1 a\n",
  "printf '1 a\\n2 b\\n' > a; printf '1 x\\n3 y\\n' > b; join -a1 -a2 -e - -o 0,1.2,2.2 a b": "1 a x\n2 b -\n3 - y\n",
  "printf 'a b\\nb c\\n' | tsort": "a\nb\nc\n",
  "X=1 envsubst '$X' <<< '$X ${X} $Y'": "1 1 $Y\n",
});
