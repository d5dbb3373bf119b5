import { prints } from "../../harness_test.ts";

prints("bash as a program", {
  "mkdir h; echo 'echo out' > h/.bash_logout; echo 'echo in' > h/.profile; HOME=$PWD/h bash -l -c 'echo work; logout'; bash -c logout 2>&1; rm -r h":
    "in\nwork\nout\nbash: line 1: logout: not login shell: use `exit'\n",
  "bash --nosuch 2>&1 | sed -n '1p;4,6p'; bash -O nosuch 2>&1; echo $?; bash -c 2>&1; export BASH_ARGV0=zero; bash -c 'echo $0'; unset BASH_ARGV0":
    "bash: --nosuch: invalid option\nGNU long options:\n\t--debug\n\t--debugger\nbash: line 0: nosuch: invalid shell option name\n2\nbash: -c: option requires an argument\nzero\n",
  "set -o noglob; export SHELLOPTS; shopt -s nullglob; export BASHOPTS; bash -c 'echo $-; shopt nullglob' | sed 's/[^f]*f.*/f/'; set +o noglob; shopt -u nullglob; export -n SHELLOPTS BASHOPTS; bash -c 'SHELLOPTS=x' 2>&1":
    "f\nnullglob       \ton\nbash: line 1: SHELLOPTS: readonly variable\n",
  "printf 'for i in 1 2;do echo $i|cat;done\\n\\nif a;then b&fi\\n' > s; bash --pretty-print s; echo 'echo script' > \"$PWD/only\"; (PATH=$PWD:$PATH; cd /; bash only)":
    "for i in 1 2;\ndo\n    echo $i | cat;\ndone\n\nif a; then\n    b &\nfi\n\nscript\n",
  "bash -c 'set -k; f() { echo $x; }; f x=5; echo a y=6 b' 2>&1; bash -c 'set -o posix; shopt shift_verbose inherit_errexit; set +o posix; shopt shift_verbose'":
    "5\na b\nshift_verbose  \ton\ninherit_errexit\ton\nshift_verbose  \toff\n",
  "export HISTFILE=$PWD/h HISTTIMEFORMAT=; printf '#1\\necho a\\n\\nb\\n#2\\necho c\\n' > h; bash -c 'HISTTIMEFORMAT=; history -r; history'; unset HISTTIMEFORMAT; bash -c 'history -r; history'; unset HISTFILE":
    "    1  echo a\nb\n    2  echo c\n    1  echo a\n    2  b\n    3  echo c\n",
});
