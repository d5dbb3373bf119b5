import { prints } from "../../../harness_test.ts";

prints("date reads what people write, in time zones", {
  "date -u -d '2024-01-31 +1 month' +%F": "2024-03-02\n",
  "date -u -d '2024-01-15 10:00:30.123456 EST' '+%T %6N'": "15:00:30 123456\n",
  "date -u -d '2020-01-01 10:00 +1 day' '+%F %T'": "2020-01-02 09:00:00\n",
  "date -u -d '2024-01-15 10:00 2 hours ago' +%T": "08:00:00\n",
  "TZ=America/New_York date -d @1705312800 '+%F %T %Z %:z'": "2024-01-15 05:00:00 EST -05:00\n",
  "TZ=Europe/Berlin date -d @1720000000 '+%F %T %Z'": "2024-07-03 11:46:40 CEST\n",
  "TZ=EST5EDT date -d @1720000000 +%H:%M%Z": "05:46EDT\n",
  "date -d 2024-02-30 2>&1; echo $?": "date: invalid date '2024-02-30'\n1\n",
  "TZ=Europe/Berlin date -d '2024-03-31 02:30' 2>&1": "date: invalid date '2024-03-31 02:30'\n",
  "date -u -d @1705312800 '+%j %V %-d %_d %^a %3N'": "015 03 15 15 MON 000\n",
});

prints("env, nice and timeout run others", {
  "env -i A=1 B=2": "A=1\nB=2\n",
  "env -S 'A=b printenv A'; env -C / pwd": "b\n/\n",
  "env nosuch 2>&1; echo $?; env -z 2>&1 | head -n 1":
    "env: 'nosuch': No such file or directory\n127\nenv: invalid option -- 'z'\n",
  "nice -5 echo a; stdbuf -oL echo b; setsid echo c": "a\nb\nc\n",
  "timeout .1 sleep 5; echo $?; timeout -s KILL .1 sleep 5; echo $?; timeout 5 bash -c 'exit 3'; echo $?":
    "124\n137\n3\n",
  "timeout 1 nosuch 2>&1; echo $?": "timeout: failed to run command 'nosuch': No such file or directory\n127\n",
});

prints("processes are found and ended by name", {
  "sleep 30 & pgrep -x sleep > /dev/null; echo $?; pkill -x sleep; wait $! 2> /dev/null; echo $?": "0\n143\n",
  "killall nosuch 2>&1; echo $?; pgrep -x nosuch; echo $?": "nosuch: no process found\n1\n1\n",
  "ps -o comm= -p $$; ps -p 99999 | wc -l": "bash\n1\n",
});

prints("dd copies blocks", {
  "printf abcdefgh | dd bs=3 count=2 status=noxfer 2>&1": "abcdef2+0 records in\n2+0 records out\n",
  "printf 'abc' | dd conv=ucase,swab status=none": "BAC",
  "dd if=five iflag=count_bytes,skip_bytes bs=4 skip=4 count=3 status=none": "two",
});

prints("openssl hashes and encrypts", {
  "printf abc | openssl dgst -sha1 -hmac k": "SHA1(stdin)= f9bef091fe00d9f5128593836dba99e193f08174\n",
  "printf abc | openssl sha224": "SHA2-224(stdin)= 23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7\n",
  "openssl passwd -6 -salt abcdefgh pw":
    "$6$abcdefgh$KQeXafAQAaOoKTevphVU215RvJdgzyfASRasIOuh12hO8u0r1bGW92ZnTmC9IjsiQ8VPiTXBiZF49dFL1U4wX/\n",
  "openssl passwd -apr1 -salt abcdefgh pw": "$apr1$abcdefgh$5VEbMkemELfbhC5ck.U.z1\n",
  "printf hello | openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -S 0102030405060708 -base64":
    "eoLVaOxx34fh3/eA/JDXSA==\n",
  "printf hi | openssl enc -aes-256-cbc -pbkdf2 -k p -a | openssl enc -d -aes-256-cbc -pbkdf2 -k p -a": "hi",
});

prints("ar and cpio keep files", {
  "echo a > a; ar rc l.a a five; ar t l.a; rm a; ar x l.a a; cat a": "a\nfive\na\n",
  "mkdir d; echo x > d/f; printf 'd\\nd/f\\n' | cpio -o -H newc 2> /dev/null > c; rm -r d; cpio -t < c 2> /dev/null; cpio -id < c 2>&1; cat d/f":
    "d\nd/f\n1 block\nx\n",
});

prints("what cannot be is explained", {
  "vim x 2>&1 | grep -c 'command not found; there is no screen'; command -v gcc; echo $?": "1\n1\n",
});

prints("flock lets one program at a time", {
  "for i in 1 2 3; do (flock 7; n=$(cat n 2>/dev/null || echo 0); sleep 0.02; echo $((n + 1)) > n) 7> lock & done; wait; cat n":
    "3\n",
  "exec 8> lock; flock 8; flock -n lock echo no; echo $?; flock -n -E 7 lock true; echo $?; flock -w 0.05 lock true; echo $?; flock -u 8; flock -n lock echo free; flock 8; exec 8>&-; flock -n lock -c 'echo closed; exit 4'; echo $?":
    "1\n7\n1\nfree\nclosed\n4\n",
  "flock -s lock sh -c 'flock -sn lock echo shared; flock -xn lock true || echo refused'; flock nofd 2>&1; flock -n 42 2>&1; echo $?; uuidgen | grep -cE '^[0-9a-f-]{36}$'":
    "shared\nrefused\nflock: bad file descriptor: 'nofd'\nflock: 42: Bad file descriptor\n65\n1\n",
});
