import { prints } from "../../../harness_test.ts";

prints("layout: what GNU prints", {
  "seq 40 | fmt -w 30; printf '# a b\\n# c d\\n' | fmt -p '#'":
    "1 2 3 4 5 6 7 8 9 10 11 12 13\n14 15 16 17 18 19 20 21 22 23\n24 25 26 27 28 29 30 31 32 33\n34 35 36 37 38 39 40\n# a b c d\n",
  "seq 10 | pr -3 -t; seq 3 > a; seq 4 6 > b; pr -m -t a b; seq 3 | pr -t -n:3":
    "1\t\t\t5\t\t\t8\n2\t\t\t6\t\t\t9\n3\t\t\t7\t\t\t10\n4\n1\t\t\t\t    4\n2\t\t\t\t    5\n3\t\t\t\t    6\n  1:1\n  2:2\n  3:3\n",
});
