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
