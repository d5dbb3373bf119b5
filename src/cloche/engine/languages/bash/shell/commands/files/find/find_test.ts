import { prints } from "../../../../harness_test.ts";

prints("find as GNU has it", {
  "mkdir dir; touch dir/file; ln -s file dir/link; find dir -type l -a -type d -o -type f; find dir -type l":
    "dir/file\ndir/link\n",
  "mkdir -p a/b/c; touch a/x a/b/y; find a -depth -name c; find a -maxdepth 1 | sort; find a -name b -prune -o -print | sort":
    "a/b/c\na\na/b\na/x\na\na/x\n",
  "rm -f five; touch f; find f -exec false \\; -print; find f -exec true \\; -print; find f -exec echo {} {} \\; ; find . -name f -exec echo a {} +":
    "f\nf f\na ./f\n",
  "rm -f five; find . -foo 2>&1; find nix 2>&1; find . -name 2>&1; find . \\( -name a 2>&1; find . -name a b 2>&1; echo $?":
    "find: unknown predicate `-foo'\nfind: 'nix': No such file or directory\nfind: missing argument to `-name'\nfind: invalid expression; I was expecting to find a ')' somewhere but did not see one.\nfind: paths must precede expression: `b'\n1\n",
  "rm -f five; touch -d @12345 one; touch -d @12346 two; find . -type f -newermt @12345; find . -name one -printf '%f|%p|%P|%s|%m|%y|%d|%h|%T@|%TY-%Tm-%Td\\n'":
    "./two\none|./one|one|0|644|f|1|.|12345.0000000000|1970-01-01\n",
  "rm -f five; printf 12345 > a; find . -type f -size 5c; find . -name a -size -2; find . -name a -size +1k; find . -name a -empty":
    "./a\n./a\n",
  "rm -f five; mkdir x; touch x/f; find x -type d -delete 2>&1; echo $?; find . -quit; find x -print -quit; find x -delete; ls":
    "find: cannot delete 'x': Directory not empty\n1\nx\n",
  "rm -f five; touch foo.c bar.h; find . -regex '.*\\.\\(c\\|h\\)' | sort; find . -regextype posix-extended -regex '.*\\.(c|h)' | sort; find . -iname 'FOO*'; find . ! -name '*.c' -name '*.h'":
    "./bar.h\n./foo.c\n./bar.h\n./foo.c\n./foo.c\n./bar.h\n",
  "mkdir d; ln -s nix d/dang; ln -s d l; find -L d; find l; find l/; find -H l; ln -s . d/loop; find -L d -name zzz 2>&1; echo $?":
    "d\nd/dang\nl\nl/\nl/dang\nl\nl/dang\nfind: File system loop detected; 'd/loop' is part of the same file system loop as 'd'.\n1\n",
  "rm -f five; touch a; chmod 640 a; find . -type f -perm 640; find . -type f -perm -600; find . -perm /o+w -type f; find . -type f -print0 | od -c":
    "./a\n./a\n0000000   .   /   a  \\0\n0000004\n",
  "mkdir a b; touch a/1 b/2; find a b -type f -exec sh -c 'echo $# $1 $2' _ {} +; find a b -type f -execdir echo {} \\;":
    "2 a/1 b/2\n./1\n./2\n",
});
