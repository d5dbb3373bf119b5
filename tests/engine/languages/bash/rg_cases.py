"""Calls of ripgrep and what version 13.0.0 answers: `python -m tests.engine.languages.bash.rg_cases` records it."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

EXPECTED = Path(__file__).with_name("rg_expected.json")

TREE = r"""
mkdir -p src/lib docs .hidden node_modules/x build .git
printf 'import os\nfrom sys import argv\n\ndef main():\n    # TODO: fix me\n' > src/main.py
printf '    print("Hello World")\n    return 0\n\nif __name__ == "__main__":\n    main()\n' >> src/main.py
printf 'def helper(a, b):\n    "Hello docs."\n    return a+b  # todo later\n' > src/lib/helper.py
printf 'const a = 1;\nfunction hello() {\n  console.log("hello");\n}\nexport default hello;\n' > src/app.js
printf 'export interface Hello {\n  name: string;\n}\nfunction hello(x: Hello) {\n  return x.name;\n}\n' > src/app.ts
printf '# Title\n\nHello there. TODO write.\nfoo bar baz\nfoo\nbar\n' > docs/readme.md
printf 'hello hidden\n' > .hidden/secret.txt
printf 'hello dotfile\n' > .env
printf 'hello module\n' > node_modules/x/index.js
printf 'hello build\n' > build/out.txt
printf 'node_modules/\nbuild\n*.log\n!keep.log\n' > .gitignore
printf 'hello log\n' > a.log
printf 'hello keep\n' > keep.log
printf 'hello\0binary\n' > bin.dat
printf 'text before\nhello\0binary\nhello after\n' > bin2.dat
printf 'caf\xc3\xa9 hello\nna\xc3\xafve\n' > utf.txt
printf 'one\r\nhello two\r\n' > crlf.txt
printf 'no newline hello' > nonl.txt
: > empty.txt
"""
"""Makes a small project: code, ignored and hidden files, binary ones, odd ends of lines."""

COMMANDS = r"""
rg hello --sort path
rg -n hello src --sort path
rg -i hello --sort path
rg -N hello src/app.js
rg hello src/app.js
rg -w hello --sort path
rg -l hello --sort path
rg -L hello --sort path
rg --files-without-match hello --sort path
rg --files-with-matches hello --sort path
rg -c hello --sort path
rg -ci hello --sort path
rg --count-matches o src/app.js
rg -v hello src/app.js
rg -vn hello src/app.js
rg -o 'hel+o' --sort path
rg -on 'l+' src/app.js
rg -A1 TODO --sort path
rg -B1 TODO --sort path
rg -C1 TODO --sort path
rg -C 1 -n TODO src/main.py
rg -n -A2 -B1 def src/main.py
rg -n -A1 'import|return' src/main.py
rg -e hello -e TODO --sort path
rg -F 'a+b' --sort path
rg -F '(x' src/app.ts
rg hello -g '*.js' --sort path
rg hello -g '*.{js,ts}' --sort path
rg hello -g '!*.js' --sort path
rg hello -g 'src/**' --sort path
rg hello -g '**/lib/*.py' -i --sort path
rg hello --glob '*.ts' --glob '*.js' --sort path
rg hello --iglob '*.JS' --sort path
rg hello -t js --sort path
rg hello -tpy -i --sort path
rg hello -T js --sort path
rg hello -t ts -t js --sort path
rg hello --type py -i --sort path
rg --files --sort path
rg --files -g '*.py' --sort path
rg --files -g '*.{js,ts}' --sort path
rg --files --hidden --sort path
rg --files --no-ignore --sort path
rg --files -u --sort path
rg --files -uu --sort path
rg --files -uuu --sort path
rg --files --sortr path
rg --files . --sort path
rg hello ./src --sort path
rg hello . --sort path
rg --hidden hello --sort path
rg --no-ignore hello --sort path
rg -uuu hello --sort path
rg -. hello --sort path
rg -S hello --sort path
rg -S Hello --sort path
rg --no-heading hello --sort path
rg --heading hello --sort path
rg --heading -n hello --sort path
rg --color=never hello --sort path
rg --color=always hello src/app.js
rg --color=always -n hello src --sort path
rg --color=always -n --heading hello src --sort path
rg -m1 hello --sort path
rg -r bye hello src/app.js
rg 'func(\w+) (\w+)' -r '$2-$1' src/app.js
rg '(?P<a>hel)lo' -r '${a}X' src/app.js
rg -or '$0!' hello src/app.js
rg -U 'foo\nbar' docs
rg -U 'foo$\n^bar' docs/readme.md
rg --multiline 'function hello\(\) \{\n' src/app.js
rg -U --multiline-dotall 'function.*\}' src/app.js
rg -Un '(?s)interface.*?\}' src/app.ts
rg -Uo 'foo\nbar' docs/readme.md
rg -Uc 'foo\nbar' docs/readme.md
rg -U -A1 'Title\n\nHello' docs/readme.md
rg 'foo\nbar' docs
rg nosuchthing
rg -q hello
rg -q nosuch
rg --json hello src/app.js | sed 's/"elapsed[^}]*}//g;s/"human[^}]*}//g;s/"nanos[^}]*}//g'
rg --json -U 'foo\nbar' docs | grep -v summary | sed 's/"elapsed":{[^}]*}/E/g'
rg --json -i hello src --sort path | grep -v summary | sed 's/"elapsed":{[^}]*}/E/g'
rg --json -A1 TODO src | grep -v summary | sed 's/"elapsed":{[^}]*}/E/g'
rg --json nosuch src/app.js | sed 's/"elapsed[^}]*}//g;s/"human[^}]*}//g;s/"nanos[^}]*}//g'
rg hello bin.dat
rg hello bin2.dat
rg -a hello bin.dat | od -c | head
rg --text hello bin2.dat | od -c | head
rg -c hello bin.dat
rg -l hello bin2.dat
rg --binary hello --sort path
rg text bin2.dat
rg 'naïve'
rg 'caf. hello'
rg -o 'caf.' utf.txt
rg -b hello utf.txt
rg --column hello src/app.js
rg --column -n hello --sort path src
rg --vimgrep hello --sort path src
rg hello crlf.txt | od -c
rg 'two$' crlf.txt
rg --crlf 'two$' crlf.txt
rg hello nonl.txt
rg hello nonl.txt crlf.txt --sort path
cat src/app.js | rg hello
cat src/app.js | rg -n hello
cat src/app.js | rg hello -
cat src/app.js | rg -c hello
echo 'a b c' | rg -o '\w'
rg -x foo docs
rg -x 'foo bar baz' docs/readme.md
rg -I hello --sort path
rg -H hello src/app.js
rg -0 -l hello src --sort path | od -c
rg --files-with-matches --null hello src --sort path | tr '\0' '|'
rg --max-depth 1 hello --sort path
rg --maxdepth 1 --files --sort path
rg -f pats src --sort path
printf 'hello\n' | rg -f - src/app.js
rg --type-add 'foo:*.md' -t foo Hello
rg --passthru hello src/app.js
rg --trim hello src/app.js
rg --line-number --no-heading --color=never -e hello src --sort path
rg --max-columns 10 hello src/app.js
rg -M 10 --max-columns-preview hello src/app.js
rg --context-separator '##' -C0 'hello|default' src/app.js
rg -A1 --no-context-separator 'a = 1|default' src/app.js
rg -n --sort path 'hello|TODO' src docs
rg '\bhello\b' src --sort path
rg '^\s+return' src --sort path -n
rg 'a{2,}' ; echo $?
rg '\d+' src/app.js
rg '(?i)HELLO' src/app.js
rg 'hel(?=lo)' src/app.js
rg '\p{L}+é' utf.txt -o
rg 'x*' src/app.js | head -3
rg '' src/app.js | head -3
rg -c '' src/app.js
rg -v '' src/app.js; echo $?
rg hello -g '!src' --sort path
rg hello -g '!src/' --sort path
rg hello -g '/src/*.js' --sort path
rg hello -g 'src/*.js' --sort path
rg hello -g 'app.*' --sort path
rg hello --ignore-file .none src/app.js
rg --no-ignore-vcs hello --sort path
rg --no-require-git hello --sort path
cd src; rg hello ../docs -i
cd src; rg -i hello .. --sort path
cd src; rg --files --sort path
cd build; rg hello
rg hello build
rg hello a.log
rg hello .env
rg hello .hidden
rg hello node_modules/x/index.js
rg -e -foo src
rg -- -foo src
rg -nH --no-heading --color never -i -e 'todo' -g '!*.md' . --sort path
rg --no-config --color=never --no-messages --hidden --follow --no-heading --max-count=5 hello . --sort path -g '!.git'
rg --null-data hello src/app.js | head -2
rg --only-matching --no-line-number '"[^"]*"' src --sort path
rg --count --include-zero hello src --sort path
rg --no-unicode 'caf.' utf.txt
rg --encoding utf-8 café utf.txt
rg --path-separator / hello src/app.js
rg --max-filesize 1K hello src --sort path
rg --max-filesize 10 hello src --sort path
rg -g '*.py' --files | sort
rg -uu -l hello --sort path
rg --glob-case-insensitive -g '*.JS' hello --sort path
rg -A 1 -B 1 --heading hello src --sort path
rg --no-line-number -C1 hello src --sort path
rg -l '' --sort path
rg -c '' --sort path
rg 'hello' -l --sort path -0 | xargs -0 wc -l | tail -1
rg -i 'HELLO' --replace X src/app.js -o
"""
"""The order of files is fixed by --sort where there are several."""

CHANGES = r"""
printf 'hello\nTODO\n' > p; rg -f p src --sort path
printf 'src\n' > .ignore; rg hello --sort path
printf 'src\n' > .rgignore; rg hello --sort path
printf '*.js\n' > src/.gitignore; rg hello --sort path
printf '/app.ts\nlib/*\n!lib/helper.py\n' > src/.gitignore; rg -i hello --sort path
rm -rf .git; rg hello --sort path
ln -s src link; rg hello link --sort path
ln -s src link; rg -l hello --sort path
ln -s src link; rg -L -l hello --sort path
ln -s src link; rg --follow -l hello --sort path
"""
"""Each of these changes the tree first, so each has its own."""


def record() -> dict[str, tuple[str, int]]:
    """Runs every call with the ripgrep of this machine, each in a tree of its own."""
    said: dict[str, tuple[str, int]] = {}
    for command in [*COMMANDS.strip().splitlines(), *CHANGES.strip().splitlines()]:
        with tempfile.TemporaryDirectory() as folder:
            env = {"PATH": os.environ["PATH"], "HOME": str(Path(folder).parent), "LANG": "C.UTF-8"}
            words = ["bash", "-c", f"{TREE}\n{command}"]
            done = subprocess.run(
                words, cwd=folder, env=env, check=False, stdin=subprocess.DEVNULL, capture_output=True
            )
            said[command] = (done.stdout.decode("utf-8", "replace"), done.returncode)
    return said


if __name__ == "__main__":
    lines = (f"{json.dumps(command)}: {json.dumps(said)}" for command, said in record().items())
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
