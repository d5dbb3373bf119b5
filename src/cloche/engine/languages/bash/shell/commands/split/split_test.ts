import { prints } from "../../../harness_test.ts";

prints("split and csplit: what GNU prints", {
  "seq 10 > f; split -n l/3 f; wc -l x*; split -b 5 -d f q; ls q*; seq 5 | split -l 2 -a 3 - z; cat zaab":
    " 4 xaa\n 3 xab\n 3 xac\n10 total\nq00\nq01\nq02\nq03\nq04\n3\n4\n",
  "seq 10 > f; csplit -f p -n 1 f /3/ /8/; cat p1": "4\n10\n7\n3\n4\n5\n6\n7\n",
});
