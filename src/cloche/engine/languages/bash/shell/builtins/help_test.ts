import { prints } from "../../harness_test.ts";

prints("help says how builtins are written", {
  "help -s 'read[o]*' shift rea; bash -c 'help nosuch; help -x' 2>&1; help -s : test; cd --help | head -1; shift --help > /dev/null; echo $?":
    "Shell commands matching keywords `read[o]*, shift, rea'\n\nreadonly: readonly [-aAf] [name[=value] ...] or readonly -p\nshift: shift [n]\nread: read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]\nreadarray: readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]\nreadonly: readonly [-aAf] [name[=value] ...] or readonly -p\nbash: line 1: help: no help topics match `nosuch'.  Try `help help' or `man -k nosuch' or `info nosuch'.\nbash: line 1: help: -x: invalid option\nhelp: usage: help [-dms] [pattern ...]\n:: :\ntest: test [expr]\ncd: cd [-L|[-P [-e]] [-@]] [dir]\n2\n",
});
