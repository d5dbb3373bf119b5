import { prints } from "../../../../harness_test.ts";

prints("xargs as GNU has it", {
  "printf 'one two\\tthree  \\nfour\\n\\n' | xargs; printf 'one \\ntwo\\n three' | xargs -n 2; printf 'one \\ntwo\\n three' | xargs -s 13 echo":
    "one two three four\none two\nthree\none two\nthree\n",
  "rm -f five; echo X > f1; echo X > f2; grep -rl X . | xargs sed -i s/X/Y/; cat f1 f2": "Y\nY\n",
  "printf 'a\\0b\\0c' | xargs -0 -n1 echo _; printf 'a\\nb\\nENDE\\nEND\\nc\\n' | xargs -E END; xargs -r echo x </dev/null; xargs echo x </dev/null":
    "_ a\n_ b\n_ c\na b ENDE\nx\n",
  "rm -f five; xargs false </dev/null; echo $?; xargs nonesuch </dev/null 2>&1; echo $?; echo 1 | xargs sh -c 'exit 255' 2>&1; echo $?":
    "123\nxargs: nonesuch: No such file or directory\n127\nxargs: sh: exited with status 255; aborting\n124\n",
  "printf 'a b\\nc d\\n' | xargs -I{} echo \"[{}]\" x{}; printf 'a b\\nc d\\ne\\n' | xargs -L1 echo; printf 'a \\nb\\nc\\n' | xargs -L1 echo; printf 'a,b,c' | xargs -d, echo":
    "[a b] xa b\n[c d] xc d\na b\nc d\ne\na b\nc\na b c\n",
  'printf "\'a b\' \\"c d\\" e\\\\\\\\ f\\n" | xargs -n1; echo "it\'s" | xargs 2>&1; echo $?':
    "a b\nc d\ne f\nxargs: unmatched single quote; by default quotes are special to xargs unless you use the -0 option\n1\n",
  "printf '3\\n1\\n2\\n' | xargs -P 3 -n 1 sh -c 'sleep .$1; echo $1' _": "1\n2\n3\n",
  "xargs --foo 2>&1; echo $?; printf 'one' | xargs -n 0 2>&1; echo $?":
    "xargs: unrecognized option '--foo'\nTry 'xargs --help' for more information.\n1\nxargs: value 0 for -n option should be >= 1\nTry 'xargs --help' for more information.\n1\n",
});
