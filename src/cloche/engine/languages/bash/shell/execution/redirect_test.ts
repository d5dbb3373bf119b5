import { prints } from "../../harness_test.ts";

prints("redirections", {
  "bash -c 'echo x 2>&1 >&7 | sed \"s/^/piped: /\"; v=9; echo x >&$v; echo x > $nosuch; echo $?' 2>&1":
    "piped: bash: line 1: 7: Bad file descriptor\nbash: line 1: $v: Bad file descriptor\nbash: line 1: $nosuch: ambiguous redirect\n1\n",
  "bash -c 'command exec 5> f; echo five >&5; cat f; exec {fd[1]}> g; echo g >&${fd[1]}; exec {fd[1]}>&-; cat g; readonly v; exec {v}> h; unset u; exec {u}>&-' 2>&1":
    "five\ng\nbash: line 1: v: readonly variable\nbash: line 1: v: cannot assign fd to variable\nbash: line 1: u: ambiguous redirect\n",
  "shopt -s varredir_close; : {fd}> f; (echo x >&$fd) 2> /dev/null || echo closed; shopt -u varredir_close": "closed\n",
  "echo in > a.1; cat < a.*; bash -o posix -c 'cat < a.*' 2>&1; x='a b'; bash -o posix -c 'echo y > $0' \"$x\"; cat 'a b'":
    "in\nbash: line 1: a.*: No such file or directory\ny\n",
  "( ( echo hello >&3 ) 3>&1 ) > /dev/null 2>&1 | cat; echo done": "done\n",
});

prints("jobs read what a compound command was given, else nothing", {
  "printf 'a\\nb\\n' > f; bash -c '{ { read l; echo \"1 $l\"; } & wait; } < f; if :; then cat & wait; fi < f; { ( cat & wait ); } < f; cat < f & wait; exec < f; cat & wait; echo end'":
    "1 a\na\nb\na\nb\na\nb\nend\n",
});
