import { prints } from "../../harness_test.ts";

prints("printf", {
  "printf 'abc%n|\\n' n; echo $n; printf '%.2q|%.2Q|%8q|\\n' \"a'b\" \"a'b\" 'x y'; printf '%c' '' | od -An -c":
    "abc|\n3\na\\|a\\'|    x\\ y|\n  \\0\n",
  'bash -c \'printf -x; echo $?; printf "a%Mb\\n"; echo $?; printf "%10"; printf "%d\\n" 1 x 2; printf -v a-b x; echo $?; printf "\\x\\n"; printf "%(abc)Z\\n"\' 2>&1':
    "bash: line 1: printf: -x: invalid option\nprintf: usage: printf [-v var] format [arguments]\n2\nbash: line 1: printf: `M': invalid format character\na1\nbash: line 1: printf: `%10': missing format character\n1\nbash: line 1: printf: x: invalid number\n0\n2\nbash: line 1: printf: `a-b': not a valid identifier\n2\nbash: line 1: printf: missing hex digit for \\x\n\\x\nbash: line 1: printf: warning: `Z': invalid time format specification\n%(abc)Z\n",
  "export TZ=America/New_York; printf '%(%F %T %Z %z)T\\n' 1275250155 0; TZ=Asia/Kolkata; printf '%(%c (%Z) x)T|%-12.7(%Y-%m-%d)T|\\n' 0 0; unset TZ":
    "2010-05-30 16:09:15 EDT -0400\n1969-12-31 19:00:00 EST -0500\nThu Jan  1 05:30:00 1970 (IST) x|1970-01     |\n",
});
