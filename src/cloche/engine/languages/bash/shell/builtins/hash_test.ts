import { prints } from "../../harness_test.ts";

prints("names stand for programs and builtins by bash's rules", {
  "bash -c 'hash; ls > /dev/null; type ls; hash -t ls nosuch; hash -lt ls; hash -p /nosuch/x ls; ls; echo $?; shopt -s checkhash; ls -d .; hash -d nosuch; hash -p / y; hash -t; set +h; hash' 2>&1":
    "hash: hash table empty\nls is hashed (/usr/bin/ls)\nls\t/usr/bin/ls\nbash: line 1: hash: nosuch: not found\nbuiltin hash -p /usr/bin/ls ls\nbash: line 1: /nosuch/x: No such file or directory\n127\n.\nbash: line 1: hash: nosuch: not found\nbash: line 1: hash: /: Is a directory\nbash: line 1: hash: -t: option requires an argument\nbash: line 1: hash: hashing disabled\n",
  "bash -c 'enable -s | head -3; enable -n test; enable -n; type test; enable test; enable -d test; enable nosuch' 2>&1; bash -o posix -c 'type break cd'":
    "enable .\nenable :\nenable break\nenable -n test\ntest is /usr/bin/test\nbash: line 1: enable: test: not dynamically loaded\nbash: line 1: enable: nosuch: not a shell builtin\nbreak is a special shell builtin\ncd is a shell builtin\n",
});
