import { prints } from "../../../../harness_test.ts";

prints("archives that are there already are changed and compared", {
  "mkdir d; echo 1 > d/a; echo 2 > d/b; tar cf t d; tar df t; echo $?; echo 22 > d/b; rm d/a; tar df t 2>&1; echo $?":
    "0\ntar: d/a: Warning: Cannot stat: No such file or directory\nd/b: Size differs\n1\n",
  "echo 1 > a; echo 2 > b; tar cf t a b; tar --delete -f t a; tar tf t; tar cf u a; tar Af t u; tar tf t; tar --delete -f t nix 2>&1 | head -n 1":
    "b\nb\na\ntar: nix: Not found in archive\n",
  "echo 1 > a; touch -d @100 a; tar cf t a; tar uf t a; tar tf t; touch -d @200 a; tar uf t a; tar tf t; echo 2 > a; tar rf t a; tar xOf t --occurrence=3 a":
    "a\na\na\n2\n",
  "mkdir d; echo 1 > d/a; ln -s a d/l; tar cf t --xform 's/a/b/' d; tar tvf t | grep -o 'd/.*'; tar cf t --xform 'flags=r;s/a/b/' d; tar tvf t | grep -o 'l ->.*'":
    "d/\nd/b\nd/l -> b\nl -> a\n",
  "tar cf t --sort=inode x 2>&1 | head -n 1; tar cwf t x 2>&1 | head -n 1":
    "tar: --sort=inode: this order is not available\ntar: invalid option -- 'w'\n",
});
