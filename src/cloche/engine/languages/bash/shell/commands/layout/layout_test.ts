import { prints } from "../../../harness_test.ts";

prints("layout: what GNU prints", {
  "seq 40 | fmt -w 30; printf '# a b\\n# c d\\n' | fmt -p '#'":
    "1 2 3 4 5 6 7 8 9 10 11 12 13\n14 15 16 17 18 19 20 21 22 23\n24 25 26 27 28 29 30 31 32 33\n34 35 36 37 38 39 40\n# a b c d\n",
  "seq 10 | pr -3 -t; seq 3 > a; seq 4 6 > b; pr -m -t a b; seq 3 | pr -t -n:3":
    "1\t\t\t5\t\t\t8\n2\t\t\t6\t\t\t9\n3\t\t\t7\t\t\t10\n4\n1\t\t\t\t    4\n2\t\t\t\t    5\n3\t\t\t\t    6\n  1:1\n  2:2\n  3:3\n",
});

prints("column, fold, expand and unexpand: what the real tools print", {
  "printf 'a,b,c\\nlonger,x,yy\\n,q\\n' > t; column -t -s, t; column -t -s, -o '|' t; column -t -s, -N A,B,C -R 2 t;  column -J -s, -N A,B,C -n tab t; seq 30 | column -c 40":
    'a       b  c\nlonger  x  yy\n        q  \na     |b|c\nlonger|x|yy\n      |q|\nA       B  C\na       b  c\nlonger  x  yy\n        q  \n{\n   "tab": [\n      {\n         "a": "a",\n         "b": "b",\n         "c": "c"\n      },{\n         "a": "longer",\n         "b": "x",\n         "c": "yy"\n      },{\n         "a": null,\n         "b": "q",\n         "c": null\n      }\n   ]\n}\n1\t7\t13\t19\t25\n2\t8\t14\t20\t26\n3\t9\t15\t21\t27\n4\t10\t16\t22\t28\n5\t11\t17\t23\t29\n6\t12\t18\t24\t30\n',
  "printf 'hello world this is a line\\n' | fold -w 10; printf 'hello world this is a line\\n' | fold -s -w 10; printf 'a\\tb\\tc' | fold -w 10; printf 'abc\\bdef\\rgh\\n' | fold -w 3":
    "hello worl\nd this is \na line\nhello \nworld \nthis is a \nline\na\tb\n\tcabc\bd\nef\rgh\n",
  "exec 2>&1; printf 'a\\tb\\tc\\n' | expand -t 4; printf '\\ta\\tb\\n' | expand -i; printf 'a\\tb\\tc\\td\\n' | expand -t 3,+5; expand -t 5,3":
    "a   b   c\n        a\tb\na  b    c    d\nexpand: tab sizes must be ascending\n",
  "printf '        a       b       c\\n' | unexpand -a; printf '    a   b\\n' | unexpand -t 4 --first-only; printf 'aaaaaaa b\\n' | unexpand -a":
    "\ta\tb\tc\n\ta   b\naaaaaaa b\n",
});
