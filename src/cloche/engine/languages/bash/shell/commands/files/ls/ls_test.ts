import { prints } from "../../../../harness_test.ts";

prints("ls as GNU has it", {
  "rm -f five; touch 'a b' b c.txt .h; mkdir d; ls; ls -A; ls -F; ls -m; ls -Q; ls -b; ls -r; ls -C -w 20; ls nix b 2>&1; echo $?; ls -R; ls --foo 2>&1; echo $?; ls -I '*.txt'; ls --group-directories-first":
    'a b\nb\nc.txt\nd\n.h\na b\nb\nc.txt\nd\na b\nb\nc.txt\nd/\na b, b, c.txt, d\n"a b"\n"b"\n"c.txt"\n"d"\na\\ b\nb\nc.txt\nd\nd\nc.txt\nb\na b\na b  b\tc.txt  d\nls: cannot access \'nix\': No such file or directory\nb\n2\n.:\na b\nb\nc.txt\nd\n\n./d:\nls: unrecognized option \'--foo\'\nTry \'ls --help\' for more information.\n2\na b\nb\nd\nd\na b\nb\nc.txt\n',
  "rm -f five; printf 12345678901 > big; printf 1 > small; touch -d '2020-01-02 03:04' old; touch -d '2019-05-06 07:08' older; ls -S; ls -tr old older; ls -l --time-style=+%Y old | cut -c1-12; touch f10 f9 f1; ls -v f*; ln -s nix dang; ls -l dang | sed 's/.*dang/dang/'; ls -L dang 2>&1":
    "big\nsmall\nold\nolder\nolder\nold\n-rw-r--r-- 1\nf1\nf9\nf10\ndang -> nix\nls: cannot access 'dang': No such file or directory\n",
});

prints("dir and vdir are ls with other options", {
  "rm five; touch 'a b' c; dir; vdir c | cut -c1-10": "a\\ b  c\n-rw-r--r--\n",
});
