import { prints } from "../../../../harness_test.ts";

prints("rsync makes one folder like another", {
  "mkdir a; echo 1 > a/x; ln -s x a/l; rsync -a a/ b; find b | sort; readlink b/l; cat b/x": "b\nb/l\nb/x\nx\n1\n",
  "mkdir a; echo 1 > a/x; rsync -r a b; find b | sort": "b\nb/a\nb/a/x\n",
  "mkdir a b; touch a/x b/y; rsync -ai --delete a/ b | grep -v '\\./$'; ls b": "*deleting   y\n>f+++++++++ x\nx\n",
  "mkdir a; touch a/x.o a/y; rsync -a --exclude '*.o' a/ b; ls b": "y\n",
  "mkdir a; touch a/x; rsync -an a/ b; ls": "a\nfive\n",
  "rsync -a host:a b 2>&1; echo $?":
    "rsync: host:a: the sandbox reaches no other machine; only folders can be copied\n5\n",
});
