import { prints } from "../../harness_test.ts";

prints("test looks at descriptors and rights", {
  "echo x | { [ -p /dev/stdin ] && echo pipe; }; echo x > f; [ -f /dev/stdin ] < f && echo file; [ -e /dev/fd/9 ] || echo closed; [ -r /dev/stdin ] < f && echo readable; declare -n r=x; [ -R r ] && [[ -R r ]] && echo reference; unset -n r":
    "pipe\nfile\nclosed\nreadable\nreference\n",
  'bash -c \'test a b; test a b c; test -A v; test 4 -eq 4 -a 2 -ne; [ "(" 1 = 2 ]; test "(" 1 = 2; test x -a y z; [ -n x\' 2>&1':
    "bash: line 1: test: a: unary operator expected\nbash: line 1: test: b: binary operator expected\nbash: line 1: test: -A: unary operator expected\nbash: line 1: test: syntax error: `-ne' unexpected\nbash: line 1: [: `)' expected, found ]\nbash: line 1: test: `)' expected\nbash: line 1: test: too many arguments\nbash: line 1: [: missing `]'\n",
  "bash -c 'getopts -a x y; set -- -a; readonly OPTARG; getopts :x o; echo $? $o' 2>&1":
    "bash: line 1: getopts: -a: invalid option\ngetopts: usage: getopts optstring name [arg ...]\nbash: line 1: OPTARG: readonly variable\n0 ?\n",
});
