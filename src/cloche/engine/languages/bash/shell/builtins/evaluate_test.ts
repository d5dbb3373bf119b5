import { prints } from "../../harness_test.ts";

prints("exec names what it starts, and stays if it cannot", {
  "(exec -a name bash -c 'echo $0'); (exec -l bash -c 'echo ${0%%h*}'); (X=1 exec -c env | grep X); bash -c 'exec nosuch; echo no' 2>&1; echo $?; bash -c 'shopt -s execfail; exec .; echo $?' 2>&1; bash -c 'exec -q; echo $?' 2>&1":
    "name\n-bas\nbash: line 1: exec: nosuch: not found\n127\nbash: line 1: exec: .: cannot execute: Is a directory\n126\nbash: line 1: exec: -q: invalid option\nexec: usage: exec [-cl] [-a name] [command [argument ...]] [redirection ...]\n2\n",
});

prints("sourced files", {
  "echo 'set -- m n' > s; echo 'shift; echo $1' > t; set -- a b; . ./s x; echo $@; . ./t p q; echo $@; f() { . ./s x; echo $@; }; f 1 2; set --; echo 'echo found' > only; shopt -u sourcepath; PATH=$PWD:$PATH; cd /; . only 2> /dev/null || echo none; shopt -s sourcepath; . only; cd - > /dev/null":
    "m n\nq\nm n\n1 2\nnone\nfound\n",
  "echo 'echo here' > here; . here; bash -o posix -c '. here; echo no' 2>&1; echo $?":
    "here\nbash: line 1: .: here: file not found\n1\n",
});
