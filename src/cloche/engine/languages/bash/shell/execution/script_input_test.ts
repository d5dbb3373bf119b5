import { prints } from "../../harness_test.ts";

prints("a script from standard input is read one command at a time", {
  "printf 'echo one\\nread x\\ntaken\\necho \"x=$x\"; cat\\nleft\\n' | bash": "one\nx=taken\nleft\n",
  "printf 'f() {\\n  echo in f\\n}\\nif true\\nthen f\\nfi\\ncat <<X\\n$HOME_\\nX\\necho a \\\\\\nb\\n' | bash":
    "in f\n\na b\n",
  "echo 'echo from s' > s; printf 'echo first\\nexec 0< s\\necho never\\n' | bash": "first\nfrom s\n",
  "printf 'echo a\\n)\\necho b\\n' | bash 2>&1; echo $?; printf 'if true\\n' | bash 2>&1; echo $?":
    "a\nbash: line 2: syntax error near unexpected token `)'\nbash: line 2: `)'\n2\nbash: line 2: syntax error: unexpected end of file\n2\n",
  "printf 'echo $1 $LINENO\\n\\nset -v\\necho c\\n' | bash -s x 2>&1": "x 1\necho c\nc\n",
  "printf 'echo \\377x; cat\\n\\377y\\n' | bash | od -An -tx1": " ff 78 0a ff 79 0a\n",
});

prints("a shell that reads what could be typed asks for it", {
  "printf 'echo a\\nif true\\nthen echo b; fi\\n' | PS1='$ ' PS2='> ' HISTFILE= bash --norc --noediting -i 2>&1 | grep -v 'terminal process\\|job control'":
    "$ a\n$ > b\n$ exit\n",
  "printf 'echo a\\n' | PS1='$ ' HISTFILE= bash --norc -i 2>&1 | grep -v 'terminal process\\|job control'":
    "$ echo a\na\n$ exit\n",
});
