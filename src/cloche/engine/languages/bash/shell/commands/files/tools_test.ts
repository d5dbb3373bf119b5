import { prints } from "../../../harness_test.ts";

prints("tools for files as GNU has them", {
  "rm -f five; mkdir a; mkdir a 2>&1; mkdir x/y 2>&1; mkdir -pv x/w/v; mkdir -m 700 m; stat -c %a m; umask 027; mkdir o; stat -c %a o; rmdir x 2>&1; rmdir -p x/w/v; ls":
    "mkdir: cannot create directory 'a': File exists\nmkdir: cannot create directory 'x/y': No such file or directory\nmkdir: created directory 'x'\nmkdir: created directory 'x/w'\nmkdir: created directory 'x/w/v'\n700\n750\nrmdir: failed to remove 'x': Directory not empty\na\nm\no\n",
  "touch -t 202001020304.05 a; stat -c %y a; touch -d '2021-03-04 05:06:07' a; stat -c %y a; touch -a -d @100 a; touch -m -d @200 a; stat -c '%X %Y' a; touch -c nix; touch -d bad x 2>&1; TZ=EST5 touch -t 202001010000 e; stat -c %Y e":
    "2020-01-02 03:04:05.000000000 +0000\n2021-03-04 05:06:07.000000000 +0000\n100 200\ntouch: invalid date format 'bad'\n1577854800\n",
  'touch f; chmod 644 f; for m in u+x go-r a=r +w u=rwx,g=rx,o= 4755 u-s g=u o=g a+X -x +t 0; do chmod $m f; stat -c "$m %a %A" f; done; chmod zz f 2>&1':
    "u+x 744 -rwxr--r--\ngo-r 700 -rwx------\na=r 444 -r--r--r--\n+w 644 -rw-r--r--\nu=rwx,g=rx,o= 750 -rwxr-x---\n4755 4755 -rwsr-xr-x\nu-s 755 -rwxr-xr-x\ng=u 775 -rwxrwxr-x\no=g 777 -rwxrwxrwx\na+X 777 -rwxrwxrwx\n-x 666 -rw-rw-rw-\n+t 1666 -rw-rw-rwT\n0 0 ----------\nchmod: invalid mode: 'zz'\nTry 'chmod --help' for more information.\n",
  "dirname / a/b a /a; basename foo foo; basename a.c .c; basename -a a/b c/d; basename /; pathchk -p 'a b' 2>&1; echo $?":
    "/\na\n.\n/\nfoo\na\nb\nd\n/\npathchk: nonportable character ' ' in file name 'a b'\n1\n",
  "touch f; ln -s f l; ln -s nix d; readlink l; readlink f; echo $?; readlink -f l; readlink -f d; readlink -e d; echo $?; readlink -m a/b/c; readlink -n l; echo; realpath -e nix 2>&1; mkdir r; realpath --relative-to=r f; realpath -s l":
    "f\n1\n/box/f\n/box/nix\n1\n/box/a/b/c\nf\nrealpath: nix: No such file or directory\n../f\n/box/l\n",
  "printf 12345 > a; mkdir -p d/e; printf '%5000s' > d/e/f; du -b a; du -a d | sort; du -sk d; du -c a d; du -h d/e/f; du -d 0 d; du nix 2>&1; ln a b; du a b":
    "5\ta\n12\td/e\n16\td\n8\td/e/f\n16\td\n4\ta\n12\td/e\n16\td\n20\ttotal\n8.0K\td/e/f\n16\td\ndu: cannot access 'nix': No such file or directory\n4\ta\n",
  "printf 123 > f; ln -s f l; stat -c '%n|%N|%s|%a|%A|%f|%F|%h|%b|%5s|%-5s|%05s|%#a|%%' f l; stat -L -c %F l; stat nix 2>&1; stat --printf 'a\\tb\\n%n\\x41\\n' f":
    "f|'f'|3|644|-rw-r--r--|81a4|regular file|1|8|    3|3    |00003|0644|%\nl|'l' -> 'f'|1|777|lrwxrwxrwx|a1ff|symbolic link|1|0|    1|1    |00001|0777|%\nregular file\nstat: cannot statx 'nix': No such file or directory\na\tb\nfA\n",
  "truncate -s 5 a; truncate -s +3 a; stat -c %s a; truncate -s '<3' a; stat -c %s a; truncate -s %4 a; stat -c %s a; truncate -s 1K b; stat -c %s b; truncate a 2>&1; d=$(mktemp -d x.XXX); test -d \"$d\" && stat -c %a $d; mktemp aXX 2>&1":
    "8\n3\n4\n1024\ntruncate: you must specify either '--size' or '--reference'\nTry 'truncate --help' for more information.\n700\nmktemp: too few X's in template 'aXX'\n",
  "rm -f five; echo x > s; install -m 600 s u; stat -c %a u; install -D s p/q/r; stat -c %a p/q/r; install -d a/b; ls a; install nix a 2>&1":
    "600\n755\nb\ninstall: cannot stat 'nix': No such file or directory\n",
  "rm -f five; echo x > s; install -C -m 600 s u; touch -d @5 u; install -C -m 600 s u; stat -c %Y u; echo y > s; install -C -m 600 s u; cat u; install -s s v 2>&1; ls -D 2>&1 | head -n 1; chown --from=0 0 s; chown 0 s 2>&1":
    "5\ny\ninstall: cannot run strip: there are no native programs in this sandbox\nls: invalid option -- 'D'\nchown: changing ownership of 's': Operation not permitted\n",
  "dd if=/dev/zero of=f bs=1M count=1 status=none; stat -c %s f; date -u -d '1999-1-2 3:4:5Z' +%s; printf hi | openssl enc -aes-128-ecb -K 00112233445566778899aabbccddeeff -nosalt | openssl enc -d -aes-128-ecb -K 00112233445566778899aabbccddeeff -nosalt; echo; printf '%s\\n' eight five four nine one seven six ten three two > n; mkdir e; cd e; xargs touch < ../n; ls -Cw 19 | head -n 1":
    "1048576\n915246245\nhi\neight  seven\n",
});

prints("what has no folder to be in, and files of a size", {
  "touch /nope/x 2>&1; mkdir /nope/x 2>&1; cp five /nope/y 2>&1; mv five /nope/z 2>&1; touch /x 2>&1":
    "touch: cannot touch '/nope/x': No such file or directory\nmkdir: cannot create directory '/nope/x': No such file or directory\ncp: cannot create regular file '/nope/y': No such file or directory\nmv: cannot move 'five' to '/nope/z': No such file or directory\ntouch: cannot touch '/x': Permission denied\n",
  "fallocate -l 2K f; stat -c %s f; echo secret > s; shred -n 1 s; stat -c %s s; grep -c secret s; shred -u s; ls":
    "2048\n4096\n0\nf\nfive\n",
  "echo 1 > a; echo 2 > b; ln a b 2>&1": "ln: failed to create hard link 'b': File exists\n",
});
