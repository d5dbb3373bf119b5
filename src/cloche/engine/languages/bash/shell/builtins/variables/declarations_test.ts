import { prints } from "../../../harness_test.ts";

prints("declarations keep what stands before them, and functions have attributes", {
  "x=1 export x; declare -p x; y=2 readonly y; declare -p y; z=3 declare z; declare -p z 2>&1 | sed 's/.*declare/declare/'; f() { x=4 export x; }; f; echo $x":
    'declare -x x="1"\ndeclare -rx y="2"\ndeclare: z: not found\n4\n',
  "bash -c 'f() { :; }; declare -ft f; declare -Fp f; declare -f f; readonly -f f; f() { :; }; declare +r -f f; declare -f -i f; declare -f g=1; declare -fp none; unset -f f' 2>&1":
    "declare -ft f\nf () \n{ \n    :\n}\nbash: line 1: f: readonly function\nbash: line 1: declare: f: readonly function\nbash: line 1: declare: -i: invalid option\nbash: line 1: declare: cannot use `-f' to make functions\nbash: line 1: declare: none: not found\nbash: line 1: unset: f: cannot unset: readonly function\n",
});
