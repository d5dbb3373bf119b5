import { prints } from "../../../harness_test.ts";

prints("diff: what GNU prints", {
  "exec 2>&1; seq 10 > a; seq 10 | sed 's/5/five/;8d' > b; diff a b; diff -u --label x --label y a b; diff -c -L x -L y a b; diff -e a b; diff -f a b; diff -n a b; diff -q a b; diff -s a a; diff -y a b; diff -y -W 40 --suppress-common-lines a b":
    "5c5\n< 5\n---\n> five\n8d7\n< 8\n--- x\n+++ y\n@@ -2,9 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n-8\n 9\n 10\n*** x\n--- y\n***************\n*** 2,10 ****\n  2\n  3\n  4\n! 5\n  6\n  7\n- 8\n  9\n  10\n--- 2,9 ----\n  2\n  3\n  4\n! five\n  6\n  7\n  9\n  10\n8d\n5c\nfive\n.\nc5\nfive\n.\nd8\nd5 1\na5 1\nfive\nd8 1\nFiles a and b differ\nFiles a and a are identical\n1\t\t\t\t\t\t\t\t1\n2\t\t\t\t\t\t\t\t2\n3\t\t\t\t\t\t\t\t3\n4\t\t\t\t\t\t\t\t4\n5\t\t\t\t\t\t\t      |\tfive\n6\t\t\t\t\t\t\t\t6\n7\t\t\t\t\t\t\t\t7\n8\t\t\t\t\t\t\t      <\n9\t\t\t\t\t\t\t\t9\n10\t\t\t\t\t\t\t\t10\n5\t\t   |\tfive\n8\t\t   <\n",
  "exec 2>&1; mkdir -p p/s q/s; echo 1 > p/f; echo 2 > q/f; echo 3 > p/only; echo 4 > q/s/new; diff -r p q; diff -rq p q; diff p q; diff -rN p q; diff -ruN -x 'f*' p q | sed 's/\t.*//'; diff -r -x s p q":
    "diff -r p/f q/f\n1c1\n< 1\n---\n> 2\nOnly in p: only\nOnly in q/s: new\nFiles p/f and q/f differ\nOnly in p: only\nOnly in q/s: new\ndiff p/f q/f\n1c1\n< 1\n---\n> 2\nOnly in p: only\nCommon subdirectories: p/s and q/s\ndiff -rN p/f q/f\n1c1\n< 1\n---\n> 2\ndiff -rN p/only q/only\n1d0\n< 3\ndiff -rN p/s/new q/s/new\n0a1\n> 4\ndiff -ruN -x 'f*' p/only q/only\n--- p/only\n+++ q/only\n@@ -1 +0,0 @@\n-3\ndiff -ruN -x 'f*' p/s/new q/s/new\n--- p/s/new\n+++ q/s/new\n@@ -0,0 +1 @@\n+4\ndiff -r -x s p/f q/f\n1c1\n< 1\n---\n> 2\nOnly in p: only\n",
  "exec 2>&1; printf 'int main() {\\n  int a;\\n  int b;\\n  int c;\\n  int d;\\n  int e;\\n  return 0;\\n}\\n' > a; sed 's/return 0/return 1/' a > b; diff -up -L a -L b a b; diff -cp -L a -L b a b; diff -F main -u -L a -L b a b":
    "--- a\n+++ b\n@@ -4,5 +4,5 @@ int main() {\n   int c;\n   int d;\n   int e;\n-  return 0;\n+  return 1;\n }\n*** a\n--- b\n*************** int main() {\n*** 4,8 ****\n    int c;\n    int d;\n    int e;\n!   return 0;\n  }\n--- 4,8 ----\n    int c;\n    int d;\n    int e;\n!   return 1;\n  }\n--- a\n+++ b\n@@ -4,5 +4,5 @@ int main() {\n   int c;\n   int d;\n   int e;\n-  return 0;\n+  return 1;\n }\n",
  "exec 2>&1; printf 'a\\n\\nb\\n' > a; printf 'a\\nb\\n' > b; diff -B a b; echo $?; printf '#1\\nx\\n' > c; printf '#2\\nx\\n' > d; diff -I '^#' c d; echo $?; printf 'a\\r\\n' > e; printf 'a\\n' > f; diff --strip-trailing-cr e f; echo $?; printf '\\ta\\n' > g; printf '        a\\n' > h; diff -E g h; echo $?":
    "0\n0\n0\n0\n",
  "exec 2>&1; printf 'a\\nb\\na\\nb\\nc\\n' > a; printf 'a\\nb\\nc\\n' > b; diff a b; diff b a; printf '{\\n1\\n}\\n{\\n2\\n}\\n' > c; printf '{\\n1\\n}\\n{\\n3\\n}\\n{\\n2\\n}\\n' > d; diff c d; diff -u -L c -L d c d":
    "3,4d2\n< a\n< b\n2a3,4\n> a\n> b\n4a5,7\n> 3\n> }\n> {\n--- c\n+++ d\n@@ -2,5 +2,8 @@\n 1\n }\n {\n+3\n+}\n+{\n 2\n }\n",
  "exec 2>&1; printf 'a\\n.\\nb\\n' > a; printf 'a\\nx\\n.\\ny\\nb\\n' > b; diff -e a b; printf 'q\\n' > c; diff -e c b; diff -u0 -L a -L b a b; diff -U 0 -L a -L b a b; diff -1u -L a -L b a b; diff --color=always -u -L a -L b a b":
    "2a\ny\n.\n1a\nx\n.\n1c\na\nx\n..\n.\ns/.//\na\ny\nb\n.\n--- a\n+++ b\n@@ -1,0 +2 @@\n+x\n@@ -2,0 +4 @@\n+y\n--- a\n+++ b\n@@ -1,0 +2 @@\n+x\n@@ -2,0 +4 @@\n+y\n--- a\n+++ b\n@@ -1,3 +1,5 @@\n a\n+x\n .\n+y\n b\n\u001b[1m--- a\u001b[0m\n\u001b[1m+++ b\u001b[0m\n\u001b[36m@@ -1,3 +1,5 @@\u001b[0m\n a\n\u001b[32m+x\u001b[0m\n .\n\u001b[32m+y\u001b[0m\n b\n",
});

prints("diff: where equal lines stand many times, and where nearly all differ, as GNU chooses", {
  "exec 2>&1; list() { awk -v s=$1 -v n=$2 -v k=$3 'BEGIN { for (i = 0; i < n; i++) { s = s * 16807 % 2147483647; print int(s / 1000) % k } }'; }\nfor k in 3 8 40 900; do list 5 300 $k > a; list 6 60 $k | paste -d'\\n' a - | sed '3~4d;/^$/d' > b; diff -n a b; diff -d a b; diff -y -W 40 a b; diff -u -L x -L y a b; diff -c -L x -L y a b; done | md5sum":
    "32b1cf4f9694757b9fb4628eebb39fae  -\n",
  "exec 2>&1; seq 9000 > a; awk '{ print NR * 7 % 9000 }' a > b; diff a b | md5sum; seq 9000 | sed 's/^/a/' > c; diff a c | tail -1; sed 'n;s/^/b/' a > d; diff a d | grep -c '^<'":
    "5f9cf7bde063747f30c7fdc708d4776c  -\n> a9000\n4500\n",
});

prints("diff: blank lines that do not count are shown near others", {
  "exec 2>&1; printf 'a\\n\\nb\\nc\\n' > a; printf 'a\\nb\\n\\nc\\nd\\n' > b; diff -B -u -L a -L b a b; diff -B -y -W 20 a b; diff -B a b":
    "--- a\n+++ b\n@@ -1,4 +1,5 @@\n a\n-\n b\n+\n c\n+d\na\ta\n\tb\nb\nc\tc\n      >\td\n4a5\n> d\n",
});
