import { prints } from "../../../../harness_test.ts";

prints("bc", {
  "echo '1+1; scale=5; 1/3; 2^100; -2^2; 7%3' | bc": "2\n.33333\n1267650600228229401496703205376\n4\n.00001\n",
  "echo 'a=3<5; a; (b=4); a++; ++a' | bc": "1\n3\n4\n3\n5\n",
  "echo 's(1); c(0); a(1)*4; l(0); e(1); j(1,2)' | bc -l | tail -n 3":
    "-99999999999999999999.00000000000000000000\n2.71828182845904523536\n.57672480775687338720\n",
  "echo '9^80' | bc; echo '9^80' | BC_LINE_LENGTH=0 bc | wc -c":
    "21847450052839212624230656502990235142567050104912751880812823948662\\\n932355201\n78\n",
  "printf 'define f(n) {\\nauto i\\nif (n < 2) return 1\\nreturn n*f(n-1)\\n}\\nf(20)\\n' | bc":
    "2432902008176640000\n",
  "echo 'define void g(*a[]) { a[0] = 9 }\ng(b[])\nb[0]\nibase=16; FF; 0Z; obase=A; 1F' | bc": "9\n255\n35\n31\n",
  "echo 'if (0) 1 else 2\nfor (i = 0; i < 5; i++) { if (i == 1) continue; if (i == 3) break; i }\nprint \"a\\tb\\n\"' | bc":
    "2\n0\n2\na\tb\n",
  "echo '1/0; 5\n1 +\n2 + 2' | bc 2>&1":
    "Runtime error (func=(main), adr=3): Divide by zero\n(standard_in) 3: syntax error\n4\n",
  "echo 'read() * 2' > p; echo 21 | bc p; echo '1; quit\n2' | bc; bc nowhere 2>&1; echo $?":
    "42\nFile nowhere is unavailable.\n1\n",
  "coproc bc; echo '6*7' >&${COPROC[1]}; read -r x <&${COPROC[0]}; echo $x": "42\n",
  "timeout 20 bc <<< 'while (1) 1' | head -n 1; echo ${PIPESTATUS[0]}; timeout 0.2 bc <<< 'while (1) { }'; echo $?":
    "1\n141\n124\n",
});
