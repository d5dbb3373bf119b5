import { prints } from "../../../harness_test.ts";

prints("sort: what GNU prints", {
  "printf 'b 2\\na 10\\nc 1\\na 9\\n' | sort -k1,1 -k2,2nr": "a 10\na 9\nb 2\nc 1\n",
  "printf '1.10\\n1.9\\n1.9~rc\\n' | sort -V; printf '2K\\n1M\\n500\\n' | sort -h; printf 'Feb\\nJan\\nx\\n' | sort -M; printf '1e3\\n200\\n-5\\n' | sort -g":
    "1.9~rc\n1.9\n1.10\n500\n2K\n1M\nx\nJan\nFeb\n-5\n200\n1e3\n",
  "printf 'b\\nA\\na\\n' | sort -f; printf '3\\n1\\n2\\n' | sort -rn; printf 'a:3\\nb:1\\n' | sort -t: -k2 -o out; cat out":
    "A\na\nb\n3\n2\n1\nb:1\na:3\n",
  "printf 'b\\na\\n' | sort -c 2>&1; echo $?; printf 'a\\na\\nb\\n' | sort -u; printf 'b 1\\na 1\\n' | sort -s -k2,2":
    "sort: -:2: disorder: a\n1\na\nb\nb 1\na 1\n",
});

prints("sort by bytes: what GNU prints", {
  "printf 'b\\na\\n\\nab\\na\\0\\na\\nabc\\nabcdefgh\\nabcdefghi\\nabcdefg' | sort | od -An -c; printf 'b\\na\\nb\\n' | sort -u; printf 'b\\0a\\0' | sort -z | tr '\\0' ,; printf '\\303\\251\\nz\\n\\377\\n' | sort -r | od -An -tx1":
    "  \\n   a  \\n   a  \\n   a  \\0  \\n   a   b  \\n   a   b   c  \\n   a\n   b   c   d   e   f   g  \\n   a   b   c   d   e   f   g   h  \\n\n   a   b   c   d   e   f   g   h   i  \\n   b  \\n\na\nb\na,b, ff 0a c3 a9 0a 7a 0a\n",
  "seq 1 7 140000 | rev > f; sort f | md5sum; sed 's/^/common prefix of lines /' f f f | sort -u | md5sum; sort -r f | md5sum; (seq 3000 | sed 's/.*/aaaaaaaa/'; printf 'aaaa\\naaaa\\0\\0\\0\\0\\naaaaaaaab\\n') | sort | uniq -c | od -An -c":
    "083b12026bfec9b2be769c8504be553d  -\nafdd33917d189c714ffafed3f1f0919e  -\n645a5925e737f1d46a6c78af9f2cc262  -\n                           1       a   a   a   a  \\n            \n               1       a   a   a   a  \\0  \\0  \\0  \\0  \\n        \n       3   0   0   0       a   a   a   a   a   a   a   a  \\n    \n                       1       a   a   a   a   a   a   a   a   b\n  \\n\n",
});

prints("sort -g: what is no number comes first", {
  "printf '01.37\\n1.222\\n2.1\\n0.4\\nNaN\\nbork\\n-inf\\n+infinity\\n' | sort -g":
    "bork\nNaN\n-inf\n0.4\n1.222\n01.37\n2.1\n+infinity\n",
});
