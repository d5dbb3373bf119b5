import { prints } from "../../../harness_test.ts";

prints("sed: what GNU prints", {
  "printf 'a\\nb\\nc\\nd\\ne\\n' | sed '2,4c X'": "a\nX\ne\n",
  "printf 'hello world\\n' | sed 's/\\w\\+/\\u&/g; s/o/\\U&/2'": "Hello WOrld\n",
  "printf 'a b\\n' | sed -E 's/(\\w) (\\w)/\\2 \\U\\1/'": "b A\n",
  "seq 10 | sed -n '2,~4p; 0,/1/s/1/one/p; 8,+1p; 1~5='": "one\n1\n2\n3\n4\n6\n8\n9\n",
  "seq 5 | sed ':a;N;$!ba;s/\\n/,/g'": "1,2,3,4,5\n",
  "printf 'a\\0b\\0' | sed -z 's/^/x/' | tr '\\0' '|'": "xa|xb|",
  "printf '1\\n2\\n' > x; printf '3\\n4' > y; sed -i.bak '$s/$/!/' x y; cat x y x.bak": "1\n2!\n3\n4!1\n2\n",
  "seq 3 | sed '1!G;h;$!d'": "3\n2\n1\n",
  "seq 2 | sed -e 'a\\' -e '  foo' -e '1i bar'": "bar\n1\n  foo\n2\n  foo\n",
  "printf 'a/b\\n' | sed 's/[/]/x/; s,x,\\n,; P; D'": "a\nb\n",
  "echo abcd | sed 's/\\(a\\|ab\\)\\(c\\|bcd\\)/[\\1][\\2]/'": "[a][bcd]\n",
  "echo x | sed 's/b*/-/g'; printf 'a' | sed p": "-x-\na\na",
  "seq 2 | sed 's/.*/echo &/e'; seq 3 | sed -n '2{p;q}'; seq 3 | sed '2q5'; echo $?": "1\n2\n2\n1\n2\n5\n",
});

prints("sed: ranges whose first line was not seen", {
  "printf '1\\n2\\n3\\n4\\n' | sed -n '1d;1,3p'; printf '1\\n2\\n3\\n4\\n' | sed -n '2d;2,1p';  printf '1\\n2\\n3\\n4\\n' | sed -n '1,2d;1,/4/p'; printf '1\\n2\\n3\\n4\\n' | sed '2,3{N;d};3,4s/^/x/'; seq 9 | sed -n '2,3p;5,4p;6,6p'; seq 9 | sed -n '4{N;N};5,7p'":
    "2\n3\n3\n4\n1\nx4\n2\n3\n5\n6\n4\n5\n6\n7\n",
});

prints("sed: ends of lines that are kept", {
  "printf 'one\\0two' | sed -z 'N;D' | od -An -c; printf 'one\\0two' | sed -zn 'N;l' | od -An -c; printf 'one' | sed 'h;G' | od -An -c; printf one | sed 'H;g' | od -An -c; printf one | sed 'x;H;x' | od -An -c":
    "   t   w   o\n   o   n   e   \\   0   0   0   t   w   o   $  \\0\n   o   n   e  \\n   o   n   e\n  \\n   o   n   e\n   o   n   e  \\n  \\n\n",
});

prints("sed: text that is missing at the end of the script", {
  "printf 'x\\ny' | sed '$a\\'; printf x | sed 'i\\'; printf x | sed -e 'a\\' -e p; echo x | sed 'c\\'":
    "x\ny\nxx\np\n",
});
