import { prints } from "../../../harness_test.ts";

prints("dumps of data: what the real tools print", {
  "exec 2>&1; printf '\\1\\2\\3\\4\\5\\6\\7\\10\\0\\0\\200\\77' > b; od b; od -tfF b; od -t x1z -t d2 b; od -N5 -w3 -Ax -c b; od -j 100 b":
    "0000000 001001 002003 003005 004007 000000 037600\n0000014\n0000000   1.5399896e-36    4.063216e-34               1\n0000014\n0000000  01 02  03 04  05 06  07 08  00 00  80 3f                >...........?<\n           513   1027   1541   2055      0  16256\n0000014\n000000 001 002 003\n000003 004 005\n000005\nod: cannot skip past end of combined input\n",
  "printf 'hello\\n\\0\\377 ' | od -a; head -c 100 /dev/zero | od -x; printf 'abc\\0defgh\\0xy\\0' | od -S3; printf ab | od -An -tx4; printf 'abcd' | od -td2 --endian=big":
    "0000000   h   e   l   l   o  nl nul del  sp\n0000011\n0000000 0000 0000 0000 0000 0000 0000 0000 0000\n*\n0000140 0000 0000\n0000144\n0000000 abc\n0000004 defgh\n 00006261\n0000000  24930  25444\n0000004\n",
  "printf 'hello world, this is it' > f; hexdump -C f; hexdump f; hexdump -v -e '/1 \"%02x\"' f; echo; hexdump -n 5 -s 2 -C f; head -c 64 /dev/zero | hexdump":
    "00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 2c 20 74 68 69  |hello world, thi|\n00000010  73 20 69 73 20 69 74                              |s is it|\n00000017\n0000000 6568 6c6c 206f 6f77 6c72 2c64 7420 6968\n0000010 2073 7369 6920 0074                    \n0000017\n68656c6c6f20776f726c642c2074686973206973206974\n00000002  6c 6c 6f 20 77                                    |llo w|\n00000007\n0000000 0000 0000 0000 0000 0000 0000 0000 0000\n*\n0000040\n",
  'printf \'hello world, this is it\\n\' > f; hexdump -e \'4 "%d " "\\n"\' f; hexdump -e \'"%08_ad " 4/1 "%3u " "|" 4/1 "%_p" "\\n"\' f':
    "1819043176 1870078063 744778866 1768453152\n1936269427 175401248  \n00000000 104 101 108 108|o wo\n00000008 114 108 100  44| thi\n00000016 115  32 105 115| it.\n",
  "printf 'hello world, this is it\\n' > f; xxd f; xxd -p f; xxd -b f | head -n 2; xxd -i f; xxd -e f; xxd -s -5 f; xxd f | xxd -r; xxd -p f | xxd -r -p":
    "00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi\n00000010: 7320 6973 2069 740a                      s is it.\n68656c6c6f20776f726c642c20746869732069732069740a\n00000000: 01101000 01100101 01101100 01101100 01101111 00100000  hello \n00000006: 01110111 01101111 01110010 01101100 01100100 00101100  world,\nunsigned char f[] = {\n  0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x77, 0x6f, 0x72, 0x6c, 0x64, 0x2c,\n  0x20, 0x74, 0x68, 0x69, 0x73, 0x20, 0x69, 0x73, 0x20, 0x69, 0x74, 0x0a\n};\nunsigned int f_len = 24;\n00000000: 6c6c6568 6f77206f 2c646c72 69687420  hello world, thi\n00000010: 73692073 0a746920                    s is it.\n00000013: 7320 6974 0a                             s it.\nhello world, this is it\nhello world, this is it\n",
  "head -c 80 /dev/zero | xxd -a; echo '0000010: 6162' | xxd -r | od -c":
    "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n*\n00000040: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n0000000  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0  \\0\n0000020   a   b\n0000022\n",
  "printf 'abc\\0defgh\\1ijklm\\n\\2xy' > s; strings s; strings -3 s; strings -t x s; printf 'h\\0e\\0l\\0l\\0o\\0' | strings -el":
    "defgh\nijklm\nabc\ndefgh\nijklm\n      4 defgh\n      a ijklm\nhello\n",
});
