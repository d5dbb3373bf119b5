import { prints } from "../../harness_test.ts";

prints("builtins refuse what they cannot take", {
  'bash -c \'unset a-b; echo $?; unset -v a-b; unset BASH_SOURCE; trap -p NOSIG; trap -s; kill ""; read -u x; read -u 7; mapfile ""; mapfile -n x; read -n x; builtin -x; ulimit -c 0; ulimit -c 1; set -o -B | wc -l\' 2>&1':
    "0\nbash: line 1: unset: `a-b': not a valid identifier\nbash: line 1: unset: BASH_SOURCE: cannot unset\nbash: line 1: trap: NOSIG: invalid signal specification\nbash: line 1: trap: -s: invalid option\ntrap: usage: trap [-lp] [[arg] signal_spec ...]\nbash: line 1: kill: `': not a pid or valid job spec\nbash: line 1: read: x: invalid file descriptor specification\nbash: line 1: read: 7: invalid file descriptor: Bad file descriptor\nbash: line 1: mapfile: empty array variable name\nbash: line 1: mapfile: x: invalid line count\nbash: line 1: read: x: invalid number\nbash: line 1: builtin: -x: invalid option\nbuiltin: usage: builtin [shell-builtin [arg ...]]\nbash: line 1: ulimit: core file size: cannot modify limit: Operation not permitted\n27\n",
});
