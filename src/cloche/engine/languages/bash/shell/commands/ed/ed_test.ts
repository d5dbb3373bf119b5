import { prints } from "../../../harness_test.ts";

prints("ed: what GNU prints", {
  "printf 'a\\nb\\nc\\n' > f; printf '2d\\n$a\\nnew\\n.\\n1s/a/AAA/\\n,p\\nw\\nq\\n' | ed f; cat f":
    "6\nAAA\nc\nnew\n10\nAAA\nc\nnew\n",
  "printf 'a\\nb\\n' > f; printf 'g/./s/$/!/\\n,n\\nwq\\n' | ed -s f; cat f; printf 'z\\n' | ed -s f; echo $?":
    "1\ta!\n2\tb!\na!\nb!\n?\n1\n",
});
