import { prints } from "../../../harness_test.ts";

prints("dc", {
  "dc -e '1 2 + p'; dc -e '5k 1 3 / p'; dc -e '2o 10 p'; dc -e '16i FF p'": "3\n.33333\n1010\n255\n",
  "dc -e '[la 1 + d sa 5 >x] sx 0 sa lx x la p'; dc -e '4k 2 v p'; dc -e '2 100 ^ p'":
    "5\n1.4142\n1267650600228229401496703205376\n",
  "echo '7 3 ~ f' | dc; dc -e '3 4 5 | p' -e '_5 p'": "1\n2\n1\n-5\n",
});
