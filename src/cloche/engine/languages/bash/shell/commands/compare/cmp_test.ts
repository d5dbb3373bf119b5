import { prints } from "../../../harness_test.ts";

prints("cmp: what GNU prints", {
  "printf 'abc\\n' > a; printf 'abd\\n' > b; cmp a b; cmp -l a b; cmp -n 2 a b; echo $?; cmp -s a none; echo $?":
    "a b differ: byte 3, line 1\n3 143 144\n0\n2\n",
});
