import { prints } from "../../harness_test.ts";

prints("a loop checks its variable when it runs", {
  "bash -c 'for 1 in a; do echo no; done; echo $?; select x-y in a; do :; done; echo $?' 2>&1":
    "bash: line 1: `1': not a valid identifier\n1\nbash: line 1: `x-y': not a valid identifier\n1\n",
  "bash -c 'readonly v=1; for v in 2; do echo no; done; echo $? $v' 2>&1; bash -o posix -c 'for 1 in a; do :; done; echo no' 2>&1; echo $?":
    "bash: line 1: v: readonly variable\n1 1\nbash: line 1: `1': not a valid identifier\n2\n",
  "bash -c 'for ((1/0;;)); do :; done; echo $?; [[ 1/0 -eq 1 ]]; echo $?; ((1/0)); echo $?' 2>&1":
    'bash: line 1: ((: 1/0: division by 0 (error token is "0")\n1\nbash: line 1: [[: 1/0: division by 0 (error token is "0")\n1\nbash: line 1: ((: 1/0: division by 0 (error token is "0")\n1\n',
});

prints("break, continue, shift and return take a number and no more", {
  "for i in 1 2; do for j in 1 2; do break -- 2; done; done; echo $i$j; set -- a b c; shift -- 2; echo $1": "11\nc\n",
  "printf 'for i in 1 2; do break 1 2; done; echo same\\necho next $?\\nshift 1 2; echo same\\necho next $?\\nf() { return 3 4; }; f; echo same\\nfor i in 1; do continue x; done\\necho no\\n' > s; bash s 2>&1; echo $?":
    "s: line 1: break: too many arguments\nnext 1\ns: line 3: shift: too many arguments\nnext 1\ns: line 5: return: too many arguments\ns: line 6: continue: x: numeric argument required\n129\n",
  "bash -c 'shift -1; echo $?' 2>&1; bash -c 'shopt -s shift_verbose; shift 4; exit 7 8; echo same; exit abc' 2>&1; echo $?":
    "bash: line 1: shift: -1: shift count out of range\n1\nbash: line 1: shift: 4: shift count out of range\nbash: line 1: exit: too many arguments\n1\n",
});
