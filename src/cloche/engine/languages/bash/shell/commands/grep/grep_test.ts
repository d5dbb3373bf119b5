import { prints } from "../../../harness_test.ts";

prints("grep: what GNU prints", {
  "seq 30 | grep -n -C1 '7'": "6-6\n7:7\n8-8\n--\n16-16\n17:17\n18-18\n--\n26-26\n27:27\n28-28\n",
  "printf 'one two one\\n' | grep -ob one": "0:one\n8:one\n",
  "printf 'a b\\nab\\n' | grep -w a; printf 'abc\\nab\\n' | grep -x 'a.'": "a b\nab\n",
  "mkdir -p d/e; echo foo > d/a.txt; echo foo > d/e/b.py; grep -r --include='*.py' foo d; grep -rL foo d; grep -c foo d/a.txt d/e/b.py":
    "d/e/b.py:foo\nd/a.txt:1\nd/e/b.py:1\n",
  "printf 'foo123\\n' | grep -P -o 'foo\\K\\d+'; echo abcd | grep -E '^(a|ab)(c|bcd)$'": "123\nabcd\n",
  "printf 'a\\nb\\nc\\n' > p; echo b > q; grep -vxFf q p; grep -f /dev/null p; echo $?": "a\nc\n1\n",
  "printf 'a\\0b\\n' > bin; grep b bin; grep -c b bin; grep -q zz bin; echo $?": "1\n1\n",
  "printf 'x\\n' | grep --color=always x; grep x nofile 2> err; echo $?; cat err":
    "\u001b[01;31m\u001b[Kx\u001b[m\u001b[K\n2\ngrep: nofile: No such file or directory\n",
});

prints("zgrep looks into compressed files", {
  "echo foo > a; cp a b; gzip b; cp a c; xz c; cp a d; bzip2 d; zgrep -c foo a b.gz c.xz d.bz2; zgrep -n o < b.gz; zegrep 'f(o)+' b.gz; zgrep x b.gz; echo $?":
    "a:1\nb.gz:1\nc.xz:1\nd.bz2:1\n1:foo\nfoo\n1\n",
  "grep 2>&1; echo $?": "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n2\n",
});
