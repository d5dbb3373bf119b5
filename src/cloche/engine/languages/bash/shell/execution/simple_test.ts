import { prints } from "../../harness_test.ts";

prints("what cannot be expanded or assigned gives up the line, after set -e the script", {
  "printf 'echo ${x!y}; echo same\\necho next $?\\nreadonly r=1\\nr=2; echo same\\necho next $?\\nx=$((1/0)); echo same\\necho next $?\\n' > s; bash s 2>&1; bash -e s 2>&1; echo $?":
    's: line 1: ${x!y}: bad substitution\nnext 1\ns: line 4: r: readonly variable\nnext 1\ns: line 6: 1/0: division by 0 (error token is "0")\nnext 1\ns: line 1: ${x!y}: bad substitution\n1\n',
  "printf 'set -e\\necho $((1/0))\\necho goes on\\nif echo ${x!y}; then :; fi\\necho no\\n' > s; bash s 2>&1; echo $?":
    's: line 2: 1/0: division by 0 (error token is "0")\ngoes on\ns: line 4: ${x!y}: bad substitution\n1\n',
});

prints("in POSIX mode more ends a script", {
  "bash -o posix -c 'readonly r=1; r=2; echo no' 2>&1; echo $?; bash -o posix -c 'echo $((1/0)); echo no' 2>&1; echo $?; bash -o posix -c 'readonly r=1; r=2 :; echo no' 2>&1; echo $?":
    'bash: line 1: r: readonly variable\n127\nbash: line 1: 1/0: division by 0 (error token is "0")\n127\nbash: line 1: r: readonly variable\n127\n',
  "printf 'readonly r=1\\nr=2 echo hi; echo same\\necho next $?\\nreturn\\necho no\\n' > s; bash -o posix s 2>&1; echo $?; bash s 2>&1":
    "s: line 2: r: readonly variable\nnext 1\ns: line 4: return: can only `return' from a function or sourced script\n2\ns: line 2: r: readonly variable\nhi\nsame\nnext 0\ns: line 4: return: can only `return' from a function or sourced script\nno\n",
  "bash -o posix -c 'command eval \"(\"; echo $?; command shift 9; echo $?; break() { :; }; echo no' 2>&1; echo $?":
    "bash: eval: line 2: syntax error: unexpected end of file\n2\nbash: line 1: shift: 9: shift count out of range\n1\nbash: line 1: `break': is a special builtin\n2\n",
  "bash -c 'a-b() { echo called; }; a-b; \"q r\" () { :; }; echo $?' 2>&1; bash -o posix -c 'a-b() { :; }; echo no' 2>&1; echo $?":
    "called\nbash: line 1: `\"q r\"': not a valid identifier\n1\nbash: line 1: `a-b': not a valid identifier\n2\n",
});

prints("arithmetic that fails names who computes", {
  "for c in 'declare -i x=1/0' 'let 1/0' 'x=abc; echo ${x:1/0}' 'echo $((1/0))' 'a[1/0]=1' 'read a[1/0] <<< x'; do bash -c \"$c\" 2>&1; done":
    'bash: line 1: declare: 1/0: division by 0 (error token is "0")\nbash: line 1: let: 1/0: division by 0 (error token is "0")\nbash: line 1: x: 1/0: division by 0 (error token is "0")\nbash: line 1: 1/0: division by 0 (error token is "0")\nbash: line 1: 1/0: division by 0 (error token is "0")\nbash: line 1: 1/0: division by 0 (error token is "0")\n',
});
