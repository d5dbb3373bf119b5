import { prints } from "../../../harness_test.ts";

prints("patch: what GNU prints", {
  "exec 2>&1; rm five; seq 10 > a; seq 10 | sed 's/5/five/' > b; diff -u -L a -L b a b > p; patch a p; cmp a b; patch -R a p; cat a | head -n 5 | tail -n 1; patch --dry-run a p; patch -b a p; ls; patch -p0 -o out a < p; patch -N a p; cat a.rej":
    "patching file a\npatching file a\n5\nchecking file a\npatching file a\na\na.orig\nb\np\npatching file out (read from a)\nReversed (or previously applied) patch detected!  Assume -R? [n] \nApply anyway? [n] \nSkipping patch.\n1 out of 1 hunk ignored -- saving rejects to file out.rej\npatching file a\nReversed (or previously applied) patch detected!  Skipping patch.\n1 out of 1 hunk ignored -- saving rejects to file a.rej\n--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  "exec 2>&1; mkdir -p x/y; seq 5 > x/y/f; (echo '--- a/x/y/f'; echo '+++ b/x/y/f'; echo '@@ -1,2 +1,2 @@'; echo '-1'; echo '+one'; echo ' 2') > p; patch -p1 < p; cat x/y/f; patch -d x -p2 -R -i ../p; head -n 1 x/y/f; patch -p1 -z .bak < p; ls x/y; patch -F 0 -p1 < p":
    "patching file x/y/f\none\n2\n3\n4\n5\npatching file y/f\n1\npatching file x/y/f\nf\npatching file x/y/f\nReversed (or previously applied) patch detected!  Assume -R? [n] \nApply anyway? [n] \nSkipping patch.\n1 out of 1 hunk ignored -- saving rejects to file x/y/f.rej\n",
  "exec 2>&1; mkdir a b; seq 9 > a/f; cp a/f b; sed -i s/8/x/ b/f; echo n > b/n; diff -ruN a b > p; cd a; sed -i 1i0 f; patch -p1 < ../p; ls; patch -p1 -R -s < ../p; ls; sed -i 's/\\t.*//' ../p; patch -s -p1 < ../p; patch -s --no-backup-if-mismatch -R -p1 < ../p; ls; wc -c n":
    "patching file f\nHunk #1 succeeded at 6 (offset 1 line).\npatching file n\nf\nf.orig\nn\nf\nf.orig\nf\nf.orig\nn\n0 n\n",
});

prints("patch: names as in C", {
  "printf -- '--- /dev/null\\n+++ \"fruit ba\\\\164\"\\n@@ -0,0 +1 @@\\n+hello\\n' | patch; cat 'fruit bat'; printf -- '--- \"fruit bat\"\\n+++ /dev/null\\n@@ -1 +0,0 @@\\n-hello\\n' | patch; test -e 'fruit bat'; echo $?":
    "patching file 'fruit bat'\nhello\npatching file 'fruit bat'\n1\n",
});

prints("patch: diffs without context", {
  "exec 2>&1; seq 20 > a; sed 's/^5$/five/;15,16d;$a new\n1i top\ns/^9$/&\\nnine and a half/' a > b; diff a b > n; cp a c; patch c n; cmp b c && echo same; patch -R c < n; cmp a c && echo back; printf 'x' > p; printf 'y\\nz' > q; diff p q | patch p; cmp p q && echo open; sed -i '1i first\\nsecond' c; patch c < n; head -4 c; tail -2 c; echo hello | patch c; echo $?":
    "patching file c\nsame\npatching file c\nback\npatching file p\nopen\npatching file c\nHunk #2 succeeded at 8 (offset 2 lines).\nHunk #3 succeeded at 13 (offset 2 lines).\nHunk #4 succeeded at 19 (offset 2 lines).\nHunk #5 succeeded at 23 (offset 2 lines).\ntop\nfirst\nsecond\n1\n20\nnew\npatch: **** Only garbage was found in the patch input.\n2\n",
});
