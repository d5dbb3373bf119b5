import { prints } from "../../../harness_test.ts";

prints("options as getopt_long reads them", {
  "seq 3 | head --lin=1; seq 3 | tail --li 1; seq 2 | sort --rev": "1\n3\n2\n1\n",
  "sort --nosuch=1 2>&1; echo $?; cat -y 2>&1; echo $?":
    "sort: unrecognized option '--nosuch=1'\nTry 'sort --help' for more information.\n2\n" +
    "cat: invalid option -- 'y'\nTry 'cat --help' for more information.\n1\n",
  "head --quiet=3 2>&1; head -n 2>&1; wc --lines --by=1 2>&1 | head -n 1":
    "head: option '--quiet' doesn't allow an argument\nTry 'head --help' for more information.\n" +
    "head: option requires an argument -- 'n'\nTry 'head --help' for more information.\n" +
    "wc: option '--bytes' doesn't allow an argument\n",
  "head --ver 2>&1 | head -n 1; date --iso-8601=date -d @0 -u; env --unset=A --chdir=/ pwd":
    "head: option '--ver' is ambiguous; possibilities: '--verbose' '--version'\n1970-01-01\n/\n",
});
