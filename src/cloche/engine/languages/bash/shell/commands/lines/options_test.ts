import { prints } from "../../../harness_test.ts";

prints("options that change little: what GNU prints", {
  "exec 2>&1; printf 'a\\nc\\nb\\n' > a; printf 'b\\na\\nd\\n' > b; sort -m a b; sort -mu a b; sort -m -r a b; seq 100 > s; seq 10 | sort -R --random-source=s":
    "a\nb\na\nc\nb\nd\na\nb\na\nc\nb\nd\nb\na\nc\nb\na\nd\n1\n3\n9\n4\n6\n10\n7\n5\n2\n8\n",
  "exec 2>&1; printf 'h\\303\\251llo\\n' | cut -c 1-2 | od -An -tx1; printf 'h\\303\\251llo\\n' | cut -c 2-3; printf 'h\\303\\251llo\\n' | cut -b 2- --output-delimiter=x; printf 'abc\\n' | cut -c 1,3 --output-delimiter=:; printf 'a:b:c\\n' | cut -d: -f1,3; printf 'abc' | cut -c 2; echo abc | cut -c 1-2 --complement":
    " 68 c3 0a\n\u00e9\n\u00e9llo\na:c\na:c\nb\nc\n",
  "exec 2>&1; echo a > x.c; echo a > y.h; echo '*.h' > ex; grep -r --exclude-from=ex a .; grep -D skip a /dev/null; echo $?; grep -D foo a x.c; echo a | grep -D skip a":
    "./x.c:a\n1\ngrep: unknown devices method\na\n",
  "exec 2>&1; numfmt --grouping 1234567; numfmt --grouping --to=si 1234567; numfmt --grouping --format=%f 3":
    "1234567\nnumfmt: grouping cannot be combined with --to\nnumfmt: --grouping cannot be combined with --format\n",
  "exec 2>&1; printf 'a\\001b\\n' > f; pr -t -v f; pr -t -c f; printf 'a b\\nc d\\n' > g; pr -t -J -m f g; pr -D %Y -h x -l 12 g | head -n 3 | tail -n 1 | wc -c; pr -t -e4 f; printf 'a\\tb\\n' | pr -t -e":
    "a\\001b\na^Ab\na\u0001b\ta b\n\tc d\n73\na\u0001b\na       b\n",
  "exec 2>&1; echo a > f; sed --sandbox p f; ln -s f l; sed -i --follow-symlinks s/a/b/ l; cat f; test -L l && echo link; sed -i s/b/c/ l; test -L l || echo file":
    "a\na\nb\nlink\nfile\n",
});
