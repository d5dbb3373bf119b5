import { prints } from "../../harness_test.ts";

prints("a named pipe lets bytes flow between processes, and both ends wait for each other", {
  "mkfifo p; (echo hi > p) & cat p": "hi\n",
  "mkfifo p; cat p > out & echo one > p; wait; cat out": "one\n",
  "mkfifo p; exec 3<>p; echo x >&3; read -r y <&3; echo $y": "x\n",
  "mkfifo p; (for i in 1 2 3; do echo $i; done > p) & while read l; do echo l=$l; done < p": "l=1\nl=2\nl=3\n",
  "mkfifo p; seq 100000 > p & sort -rn p | head -n 1": "100000\n",
  "mkfifo p; yes > p & head -n 2 p; wait $!; echo $?": "y\ny\n141\n",
  "mkfifo p; timeout 0.1 cat p; echo $?": "124\n",
  "mkfifo p; (echo 'z=7' > p) & . ./p; echo $z": "7\n",
});

prints("a named pipe is a file of its kind", {
  "mkfifo p; ls -l p | cut -c1; test -p p && echo fifo; stat -c %F p; find . -type p; file p":
    "p\nfifo\nfifo\n./p\np: fifo (named pipe)\n",
  "mkfifo p; mv p q; [ -p q ] && echo moved; ln -s q r; (echo via > r) & cat q; rm q; [ -p r ] || echo gone":
    "moved\nvia\ngone\n",
  "mkfifo -m 600 p; stat -c %a p; mkfifo p 2>&1; mknod q p; test -p q; echo $?":
    "600\nmkfifo: cannot create fifo 'p': File exists\n0\n",
});
