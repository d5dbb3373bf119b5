import { prints } from "../../../harness_test.ts";

prints("gzip, gunzip and zcat as GNU has them", {
  "seq 1000 > b; cp b c; chmod 600 b; touch -d @99 b; gzip -k b; stat -c '%a %Y' b.gz; gunzip -c b.gz | cmp - b; rm b; gunzip b; stat -c '%a %Y' b; cmp b c; ls":
    "600 99\n600 99\nb\nc\nfive\n",
  "echo hi > a; echo ho > b; gzip a b; cat a.gz b.gz | zcat; (cat a.gz; echo junk) | zcat 2>&1; echo $?; head -c 15 a.gz | zcat 2>&1; echo $?; echo x | gzip -d 2>&1; echo $?":
    "hi\nho\nhi\n\ngzip: stdin: decompression OK, trailing garbage ignored\n2\n\ngzip: stdin: unexpected end of file\n1\n" +
    "\ngzip: stdin: not in gzip format\n1\n",
  "echo hi > a; gzip -kv a 2>&1; gzip a 2>&1; echo $?; gunzip a 2>&1; gzip -l a.gz; gzip -tv a.gz 2>&1; gzip nix 2>&1; echo $?; mkdir d; gzip d 2>&1":
    "a:\t-66.7% -- created a.gz\ngzip: a.gz already exists;\tnot overwritten\n2\ngzip: a: unknown suffix -- ignored\n" +
    "         compressed        uncompressed  ratio uncompressed_name\n" +
    "                 25                   3 -66.7% a\na.gz:\t OK\ngzip: nix: No such file or directory\n1\n" +
    "gzip: d is a directory -- ignored\n",
  "head -c 300000 /dev/urandom > r; seq 50000 >> r; gzip -c r > 1; gzip -c r > 2; cat 1 2 | gunzip | md5sum > x; cat r r | md5sum | cmp - x; head -c 1000 1 > cut; gunzip < cut 2>&1 | tail -n 1":
    "gzip: stdin: unexpected end of file\n",
});
