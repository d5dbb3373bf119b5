import { prints } from "../../../harness_test.ts";

prints("tools for files: what GNU prints", {
  "seq 10 > f; split -n l/3 f; wc -l x*; split -b 5 -d f q; ls q*; seq 5 | split -l 2 -a 3 - z; cat zaab":
    " 4 xaa\n 3 xab\n 3 xac\n10 total\nq00\nq01\nq02\nq03\nq04\n3\n4\n",
  "seq 10 > f; csplit -f p -n 1 f /3/ /8/; cat p1": "4\n10\n7\n3\n4\n5\n6\n7\n",
  "printf 'abc\\n' > a; printf 'abd\\n' > b; cmp a b; cmp -l a b; cmp -n 2 a b; echo $?; cmp -s a none; echo $?":
    "a b differ: byte 3, line 1\n3 143 144\n0\n2\n",
  'getopt -o ab:c:: --long alpha,beta: -- -a -b 1 -c x --beta=3 rest "it\'s"; getopt -o a -- -b 2>&1; echo $?':
    " -a -b '1' -c '' --beta '3' -- 'x' 'rest' 'it'\\''s'\ngetopt: invalid option -- 'b'\n --\n1\n",
  "printf 'h\\351' | iconv -f latin1 -t utf8; printf 'hi' | iconv -t UTF-16LE | wc -c": "h\u00e94\n",
});
