import { prints } from "../../../harness_test.ts";

prints("tr, shuf and look: what the real tools print", {
  "echo hello | tr a-y b-z; echo hello | tr -d l; echo aabbcc | tr -s a-z; echo 'Hello World' | tr '[:upper:]' '[:lower:]'; echo hello | tr -cd 'a-f\\n'":
    "ifmmp\nheo\nabc\nhello world\ne\n",
  "echo abc | tr abc '[x*2]y'; echo aabbcc | tr -s ab xy; echo abc | tr 'a-c' 'A'; echo abc | tr -t abc AB; printf '\\377' | tr '\\377' a":
    "xxy\nxycc\nAAA\nABc\na",
  "exec 2>&1; tr; tr a; tr a b c; tr -d a b; tr z-a b </dev/null; tr '[:foo:]' b </dev/null; echo abc | tr 'a[:lower:]' '[:upper:]x'":
    "tr: missing operand\nTry 'tr --help' for more information.\ntr: missing operand after 'a'\nTwo strings must be given when translating.\nTry 'tr --help' for more information.\ntr: extra operand 'c'\nTry 'tr --help' for more information.\ntr: extra operand 'b'\nOnly one string may be given when deleting without squeezing repeats.\nTry 'tr --help' for more information.\ntr: range-endpoints of 'z-a' are in reverse collating sequence order\ntr: invalid character class 'foo'\ntr: misaligned [:upper:] and/or [:lower:] construct\n",
  "exec 2>&1; seq 30 > src; seq 10 | shuf --random-source=src; shuf -i 1-20 -n 5 --random-source=src; shuf -r -n 4 -e x y z --random-source=src; shuf -i 5-3":
    "10\n6\n5\n3\n4\n2\n9\n1\n7\n8\n10\n11\n12\n4\n7\ny\ny\nz\ny\nshuf: invalid input range: '5-3'\n",
  "printf 'apple\\nbanana\\nbandana\\ncherry\\n' > w; look ban w; look -f BAN w; look zz w; echo $?; look -t n banx w":
    "banana\nbandana\nbanana\nbandana\n1\nbanana\nbandana\n",
});
