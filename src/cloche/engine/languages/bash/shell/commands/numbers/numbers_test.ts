import { prints } from "../../../harness_test.ts";

prints("numbers: what GNU prints", {
  "seq -w 8 10; seq -s, 5 -2 1; seq 0.1 0.1 0.3; seq -f '%03g' 2; seq -2 0":
    "08\n09\n10\n5,3,1\n0.1\n0.2\n0.3\n001\n002\n-2\n-1\n0\n",
  "factor 12 600851475143": "12: 2 2 3\n600851475143: 71 839 1471 6857\n",
  "numfmt --to=iec 1500 1048576; numfmt --from=si 1.5K; numfmt --field=2 --to=si <<< 'a 1000'":
    "1.5K\n1.0M\n1500\na 1.0K\n",
  "expr 00 '|' 1; expr '(' 1 + 2 ')' '*' 3; expr abc : 'a\\(.\\)c'; expr 7 / 0 2>&1; echo $?":
    "1\n9\nb\nexpr: division by zero\n2\n",
});
