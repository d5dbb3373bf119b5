import { prints } from "../../../harness_test.ts";

prints("getopt: what util-linux prints", {
  'getopt -o ab:c:: --long alpha,beta: -- -a -b 1 -c x --beta=3 rest "it\'s"; getopt -o a -- -b 2>&1; echo $?':
    " -a -b '1' -c '' --beta '3' -- 'x' 'rest' 'it'\\''s'\ngetopt: invalid option -- 'b'\n --\n1\n",
});
