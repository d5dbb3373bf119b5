import { match, strictEqual } from "node:assert/strict";
import { Bench, prints } from "../../harness_test.ts";

prints("echo and printf", {
  "printf '%5.2f|%-4d|%04d|%x|%s\\n' 3.14159 7 7 255 a": " 3.14|7   |0007|ff|a\n",
  "printf '%s-%s\\n' a b c; printf '%b|%q|%d\\n' 'x\\ty' 'a b' 0x1f": "a-b\nc-\nx\ty|a\\ b|31\n",
  "printf -v x '%03d' 7; echo $x; echo -e 'a\\tb\\c' more; echo -n; echo -E 'a\\n'": "007\na\tba\\n\n",
});

prints("comparing and patching", {
  "sed s/two/2/ five > g; diff five g": "2c2\n< two\n---\n> 2\n",
  "sed s/two/2/ five > g; diff -u five g | tail -n +3": "@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n four\n five\n",
  "sed s/two/2/ five > g; diff -u five g | patch five; cat five": "patching file five\none\n2\nthree\nfour\nfive\n",
  "sed s/two/2/ five > g; diff -u five g > p; patch -R g p; cmp five g && echo same": "patching file g\nsame\n",
  "printf -- '--- /dev/null\\n+++ b/d/new\\n@@ -0,0 +1 @@\\n+hi\\n' | patch -p1; cat d/new":
    "patching file d/new\nhi\n",
  "printf -- '--- a/five\\n+++ /dev/null\\n@@ -1,5 +0,0 @@\\n-one\\n-two\\n-three\\n-four\\n-five\\n' | patch -p1; ls":
    "patching file five\n",
  "printf -- '--- five\\n+++ five\\n@@ -1,2 +1,2 @@\\n no\\n-such\\n+x\\n' | patch five; echo $?; head -1 five.rej":
    "patching file five\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED -- saving rejects to file five.rej\n1\n--- five\n",
  "(echo 0; cat five) > f; sed s/three/3/ five > g; diff -u five g | patch f; sed -n 4p f":
    "patching file f\nHunk #1 succeeded at 2 (offset 1 line).\n3\n",
  "printf 'a\\nb' > x; printf 'a\\nc' > y; diff -u x y | patch -s x; cmp x y && echo same": "same\n",
  "printf ab > a; printf ac > b; cmp a b; cmp -s a b; echo $?; cmp -l a b":
    "a b differ: byte 2, line 1\n1\n2 142 143\n",
});

prints("archives and bytes", {
  "mkdir d; echo hi > d/f; zip -rq a.zip d five; rm -r d; unzip -q a.zip -d o; cat o/d/f; unzip -Z1 a.zip; unzip -p a.zip five | head -1":
    "hi\nd/\nd/f\nfive\none\n",
  "head -c 100000 /dev/zero > z; zip -q z.zip z; mv z y; unzip -q z.zip; cmp y z && wc -c < z": "100000\n",
  "echo abc | xxd; echo abc | xxd -p; echo 616263 | xxd -r -p":
    "00000000: 6162 630a                                abc.\n6162630a\nabc",
  "xxd five | xxd -r | cmp - five && echo same": "same\n",
  "echo abc | hexdump -C": "00000000  61 62 63 0a                                       |abc.|\n00000004\n",
  "printf 'a\\0' | od -An -tx1; printf 'a\\n' | od -c": " 61 00\n0000000   a  \\n\n0000002\n",
  "printf abc | cksum; printf abc | sum; printf abc | sha512sum | cut -c1-8": "1219131554 3\n16556     1\nddaf35a1\n",
});

prints("numbers", {
  "echo 'scale=3; 10/3' | bc; bc <<< '2^100'; echo 'sqrt(2)' | bc -l":
    "3.333\n1267650600228229401496703205376\n1.41421356237309504880\n",
  "bc -l <<< 'e(1); l(2); s(1); c(1); 4*a(1)'":
    "2.71828182845904523536\n.69314718055994530941\n.84147098480789650665\n.54030230586813971740\n3.14159265358979323844\n",
  "bc <<< 'define f(n) { if (n <= 1) return 1; return n*f(n-1); } f(20)'": "2432902008176640000\n",
  "bc <<< 'for (i=0; i<3; i++) i; x = 7 % 4; x; -7/2; 5 > 3; obase=16; 255'": "0\n1\n2\n3\n-3\n1\nFF\n",
  "seq -w 9 11; seq -s, 3; seq 0 0.5 1": "09\n10\n11\n1,2,3\n0.0\n0.5\n1.0\n",
  "expr abc : 'a\\(.\\)c'; expr 3 \\* 4": "b\n12\n",
});

prints("lines", {
  "seq 3 | paste -sd+; seq 4 | paste - -; paste -d, five five | head -1": "1+2+3\n1\t2\n3\t4\none,one\n",
  "yes | head -3; yes no | head -n 1": "y\ny\ny\nno\n",
  "head -n -3 five; head -c 3 five; echo; head -1 five": "one\ntwo\none\none\n",
  "cut -c1-2 --complement five | head -1; echo a:b:c | cut -d: -f2-": "e\nb:c\n",
  "printf 'b 2\\na 10\\nc 1\\n' | sort -k2n; printf '1K\\n1M\\n2K\\n' | sort -h; printf 'b\\0a\\0' | sort -z | tr '\\0' ,":
    "c 1\nb 2\na 10\n1K\n2K\n1M\na,b,",
  "printf 'a\\na\\nb\\n' | uniq -c; shuf -i 1-3 | sort | tr -d '\\n'": "      2 a\n      1 b\n123",
  "echo 'a b c' | xargs -n1 echo x; printf 'a b\\0c\\0' | xargs -0 -I{} echo '<{}>'; printf '' | xargs -r echo no":
    "x a\nx b\nx c\n<a b>\n<c>\n",
  "echo Hello | tr '[:upper:]' '[:lower:]' | tr -s l; printf 'a\\0b' | tr -d '\\0'": "helo\nab",
  "wc -l five; wc five; ls | wc -l": "5 five\n 5  5 24 five\n1\n",
});

prints("searching", {
  "mkdir -p d/e; echo hello > d/e/f; grep -rn hello .; grep -rl hello": "./d/e/f:1:hello\nd/e/f\n",
  "grep -c t five; grep -vn t five; grep -o 't[a-z]' five; grep -w one five; grep -A1 two five":
    "2\n1:one\n4:four\n5:five\ntw\nth\none\ntwo\nthree\n",
  "echo aab | grep -E 'a+b'; echo 'a+b' | grep 'a+b'; echo k=v | grep -oP '(?<=k=)\\w'; echo abab | grep -E '(ab)\\1'":
    "aab\na+b\nv\nabab\n",
  "grep -q zz five; echo $?; grep x nope 2>/dev/null; echo $?; grep -e one -e five five": "1\n2\none\nfive\n",
  "mkdir d; touch d/x; for f in */; do echo $f; done; echo */": "d/\nd/\n",
});

prints("the shell's own gaps", {
  "f() { declare -a a=(\"$@\"); echo ${#a[@]}; }; f 'a b' c": "2\n",
  "f() { echo 5; }; echo $(( 2 * $(f) ))": "10\n",
  "printf '#!/bin/bash\\necho $0 $# ${11}\\n' > s; chmod +x s; ./s 1 2 3 4 5 6 7 8 9 10 11": "./s 11 11\n",
  "bash -euo pipefail -c 'echo $1; false; echo no' _ x; echo $?": "x\n1\n",
  "export A=1; echo a | xargs sh -c 'echo $A'; env -i B=2 env": "1\nB=2\n",
  "while read -r a; do echo \"<$a>\"; done < <(printf 'x\\ny\\n')": "<x>\n<y>\n",
  "date -d '2024-01-31 +1 day' +%F; date -ud @0 +%FT%TZ; date -d '2024-03-15 - 1 month' +%F":
    "2024-02-01\n1970-01-01T00:00:00Z\n2024-02-15\n",
  "id -u; whoami; uname -s; sudo echo root; nproc": "1000\nuser\nLinux\nroot\n1\n",
  "x=$(mktemp -d); [ -d $x ] && echo dir; dd if=five bs=1 count=3 status=none; echo; realpath --relative-to=/ five":
    "dir\none\nbox/five\n",
});

Deno.test("programs that cannot be here say what to do", async () => {
  await using bench = new Bench();
  for (
    const [name, words] of [["apt install x", /pip/], ["ssh host", /HTTP/]] as const
  ) {
    const { code, err } = await bench.run(name);
    match(err, words);
    strictEqual(code === 127 || code === 1, true);
  }
});

Deno.test("a damaged archive is reported", async () => {
  await using bench = new Bench();
  const { code, err } = await bench.run("zip -q a.zip five; head -c 60 a.zip > b.zip; unzip b.zip");
  strictEqual(code, 9);
  match(err, /not a zip archive/);
});

prints("sed with the options that agents use", {
  "sed -i.bak 's/two/2/' five; sed -n 2p five five.bak; ls": "2\nfive\nfive.bak\n",
  "sed -Ei 's/(o)(n)/\\2\\1/; 1i\\top' five; head -2 five; sed --expression='s/top/T/' -n -e 1p five": "top\nnoe\nT\n",
  "sed 's/a\\|o/X/g' five | head -1; sed '/two/c\\changed' five | sed -n 2p": "Xne\nchanged\n",
  "mkdir -p d/e; touch d/e/f; cp -a d c; ls c/e; stat -c '%s %a %F' five": "f\n24 644 regular file\n",
});

const TREE = "mkdir -p c/d; cd c; touch f; touch x.zip; echo > run; chmod 755 run; ln -s f l; ";
const COLOURED = "\x1b[0m\x1b[01;34md\x1b[0m\nf\n\x1b[0m\x1b[01;36ml\x1b[0m\n\x1b[0m\x1b[01;32mrun\x1b[0m\n" +
  "\x1b[0m\x1b[01;31mx.zip\x1b[0m\n";
const PLAIN = "d\nf\nl\nrun\nx.zip\n";

prints("ls colours names at a terminal, or where it is told to", {
  [`${TREE} ls --color=always`]: COLOURED,
  [`${TREE} ls --color | cat`]: COLOURED,
  [`${TREE} export TERM=xterm; ls --color=auto`]: COLOURED,
  [`${TREE} export TERM=xterm; ls --color=auto | cat`]: PLAIN,
  [`${TREE} export TERM=xterm; ls --color=auto > /tmp/o; cat /tmp/o`]: PLAIN,
  [`${TREE} export TERM=xterm; echo "$(ls --color=auto)"`]: PLAIN,
  [`${TREE} export TERM=xterm; ls --color=never; ls`]: PLAIN + PLAIN,
  [`${TREE} ls --color=auto`]: PLAIN,
  [`${TREE} LS_COLORS='di=4:ex=' ls --color=always`]: PLAIN.replace("d\n", "\x1b[0m\x1b[4md\x1b[0m\n"),
  [`${TREE} ls --color=odd; echo $?`]: "2\n",
});

prints("a loop without a list goes over the arguments as they are", {
  "set -- 'a b' c; for x; do echo \"<$x>\"; done": "<a b>\n<c>\n",
  "f() { for x do echo $#$x; done; }; f 1 '2  3'": "21\n22 3\n",
});
