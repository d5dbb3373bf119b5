import { prints } from "../../../../harness_test.ts";

prints("tar as GNU has it", {
  "touch a b c; printf 'a\\0b\\0' | tar --null -T - -cf t; tar tf t; tar cf u -T <(echo c); tar tf u; echo a | tar tf t -T -":
    "a\nb\nc\na\n",
  "mkdir d; echo hi > d/a; ln -s a d/l; touch -d @1000000000 d/a d; tar cf x.tar --owner=me:1 --group=we:2 d; tar tvf x.tar d/a; mkdir o; tar xf x.tar -C o; stat -c '%h %Y' o/d/a o/d; readlink o/d/l; tar czf x.tgz d; tar tf x.tgz | sort; tar xzvf x.tgz d/a; tar xf x.tar nix 2>&1; echo $?; tar tf nix 2>&1; echo $?":
    "-rw-r--r-- me/we             3 2001-09-09 01:46 d/a\n1 1000000000\n2 1000000000\na\nd/\nd/a\nd/l\nd/a\ntar: nix: Not found in archive\ntar: Exiting with failure status due to previous errors\n2\ntar: nix: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n2\n",
  "mkdir -p a/b/c; touch a/1 a/b/2; tar cf t a; mkdir o; tar xf t -C o --strip-components=1; find o | sort; tar cf u --exclude=b a; tar tf u; tar cf - a | tar tf - | sort; tar cf w -C a b -C b 2; tar tf w | sort; printf 'a/1\\n' > list; tar cf y -T list; tar tf y; tar cf q nix 2>&1; echo $?; tar 2>&1; echo $?":
    "o\no/1\no/b\no/b/2\no/b/c\na/\na/1\na/\na/1\na/b/\na/b/2\na/b/c/\n2\nb/\nb/2\nb/c/\na/1\ntar: nix: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors\n2\ntar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\nTry 'tar --help' or 'tar --usage' for more information.\n2\n",
  "echo x > f; tar cf t --owner=root --group=wheel:7 --mode=600 --mtime=@0 f; tar tvf t; tar cf t3 --transform 's,^,pre/,' f; tar rf t3 f; tar tf t3; tar xOf t f; tar xkf t 2>&1; echo $?; n=$(printf 'n%.0s' $(seq 1 150)); mkdir -p $n/$n; touch $n/$n/$n; tar cf l $n; rm -r $n; tar xf l; find $n | wc -l; tar --format=pax -cf p $n; tar tf p | wc -c":
    "-rw------- root/wheel        2 1970-01-01 00:00 f\npre/f\nf\nx\ntar: f: Cannot open: File exists\ntar: Exiting with failure status due to previous errors\n2\n3\n908\n",
  "echo 1 > a; ln a b; tar cf t a b; rm a b; tar xf t; stat -c %h a b": "2\n2\n",
});

prints("tar and what is no archive", {
  ": > e; tar tf e 2>&1; echo $?; echo x > x; tar tzf x 2>&1; echo $?; tar czf a.tgz x; head -c 40 a.tgz | tar tz 2>&1; echo $?":
    "tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors\n2\n\ngzip: stdin: not in gzip format\ntar: Child returned status 1\ntar: Error is not recoverable: exiting now\n2\n\ngzip: stdin: unexpected end of file\ntar: Child returned status 1\ntar: Error is not recoverable: exiting now\n2\n",
  "tar cf t --owner=0 --group=0 --mtime=@0 five; tar tvf t | awk '{ print $2 }'": "root/root\n",
});
