import { prints } from "../../../harness_test.ts";

prints("programs behind builtins", {
  "echo a b | xargs -n1 echo x; env printf '%s-%d\\n' a 3 b 4; env [ 1 -lt 2 ]; echo $?; env test -f nofile; echo $?; env false; env echo -e 'a\\tb'":
    "x a\nx b\na-3\nb-4\n0\n1\na\tb\n",
});
