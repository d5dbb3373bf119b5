import { prints } from "../../../harness_test.ts";

prints("cp, mv, rm and ln as GNU has them", {
  "rm -f five; echo hi > a; cp a b; cat b; cp a 2>&1; cp nix b 2>&1; mkdir d; cp a d; cp d e 2>&1; cp -r d e; cp -r d e; find e | sort; cp a a 2>&1; cp -t d a b; ls d":
    "hi\ncp: missing destination file operand after 'a'\nTry 'cp --help' for more information.\ncp: cannot stat 'nix': No such file or directory\ncp: -r not specified; omitting directory 'd'\ne\ne/a\ne/d\ne/d/a\ncp: 'a' and 'a' are the same file\na\nb\n",
  "mkdir -p one/two; touch one/two/f; cp -r one/. x; find x | sort; mkdir d; cp --parents one/two/f d; find d | sort; cp -v one/two/f g; cp --foo 2>&1":
    "x\nx/two\nx/two/f\nd\nd/one\nd/one/two\nd/one/two/f\n'one/two/f' -> 'g'\ncp: unrecognized option '--foo'\nTry 'cp --help' for more information.\n",
  "echo a > f; ln -s f l; cp -P l l2; readlink l2; mkdir d; cp -r l d; readlink d/l; ln -s nix dang; cp -P dang q; readlink q; cp f dang 2>&1; cp dang z 2>&1; echo $?":
    "f\nf\nnix\ncp: not writing through dangling symlink 'dang'\ncp: cannot stat 'dang': No such file or directory\n1\n",
  "rm -f five; echo old > o; echo new > n; touch -d '2020-01-01' o; touch -d '2021-01-01' n; cp -u o n; cat n; cp -u n o; cat o; cp -p n m; stat -c %y m; cp -l m m4; stat -c %h m; cp -b n o; ls":
    "new\nnew\n2021-01-01 00:00:00.000000000 +0000\n2\nm\nm4\nn\no\no~\n",
  "echo a > a; echo b > b; echo n | cp -i a b 2>&1; echo; cat b; cp -n a b; cat b; mkdir p; echo 1 > p/a; ln p/a p/b; cp -a p r; stat -c %h r/a":
    "cp: overwrite 'b'? \nb\nb\n2\n",
  "rm -f five; echo a > a; mv a b; ls; mv nix c 2>&1; mkdir d; mv b d; mv d/b .; mv b nix/ 2>&1; mv d d/x 2>&1; mv -v b c; mv c c 2>&1; ln -s nowhere dang; mv dang dang2; readlink dang2; mv -t d c dang2; ls d":
    "b\nmv: cannot stat 'nix': No such file or directory\nmv: cannot move 'b' to 'nix/': Not a directory\nmv: cannot move 'd' to a subdirectory of itself, 'd/x'\nrenamed 'b' -> 'c'\nmv: 'c' and 'c' are the same file\nnowhere\nc\ndang2\n",
  "rm -f five; mkdir a b; touch a/x; mv a b; find b | sort; touch z; mv -T z b 2>&1; mv b z 2>&1; touch u1; touch -d 2020-01-01 u2; mv -u u2 u1; ls":
    "b\nb/a\nb/a/x\nmv: cannot overwrite directory 'b' with non-directory\nmv: cannot overwrite non-directory 'z' with directory 'b'\nb\nu1\nu2\nz\n",
  "rm -f five; touch a; mkdir d; rm nix 2>&1; rm -f nix; rm d 2>&1; rm -r d; ln -s nix dang; rm dang a; ls -A; mkdir real; touch real/f; ln -s real l; rm -r l; ls; rm -rv real; rm -rf . 2>&1":
    "rm: cannot remove 'nix': No such file or directory\nrm: cannot remove 'd': Is a directory\nreal\nremoved 'real/f'\nremoved directory 'real'\nrm: refusing to remove '.' or '..' directory: skipping '.'\n",
  "rm -f five; ln -s a b; ln -s a b 2>&1; ln -sf c b; readlink b; touch f; ln f g; stat -c %h f; mkdir d; ln -s f1 f2 d; ls d; ln -sfn e dl; readlink dl; mkdir -p p/q; touch p/t; ln -sr p/t p/q/r; readlink p/q/r; ln nix q 2>&1; ln -sv x y":
    "ln: failed to create symbolic link 'b': File exists\nc\n2\nf1\nf2\ne\n../t\nln: failed to access 'nix': No such file or directory\n'y' -> 'x'\n",
});
