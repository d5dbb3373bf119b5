"""bash in a real sandbox: one shell that stays, Python in its pipes, and the programs people expect."""

import re
from collections.abc import AsyncIterator

import pytest

from cloche import CodeError, Mount, Sandbox
from cloche.limits import FILE_NAMES, FILES_LIMIT, MB
from cloche.sandbox.languages import languages
from tests.sandbox.conftest import OpenBox


async def said(box: Sandbox, command: str, *, stdin: str | None = None) -> str:
    """What a command prints that has to work."""
    return (await box.bash(command, check=True, stdin=stdin)).stdout


async def test_the_working_folder_variables_functions_and_aliases_stay(shell: Sandbox) -> None:
    await shell.bash("mkdir -p deep && cd deep && export LEAF=green STEM=long; plain=1", check=True)
    await shell.bash("grow() { echo \"$1 grows\"; }; alias hi='echo hello'; shopt -s expand_aliases", check=True)
    assert await said(shell, "pwd") == "/workspace/deep\n"
    assert await said(shell, "echo $LEAF $plain") == "green 1\n"
    assert await said(shell, "grow fern") == "fern grows\n"
    assert await said(shell, "hi") == "hello\n"
    assert await said(shell, "unset LEAF; unset -f grow; cd ..") == ""
    assert await said(shell, "echo [$LEAF]; type grow >/dev/null 2>&1 || echo gone; pwd") == "[]\ngone\n/workspace\n"


async def test_only_exported_variables_reach_programs(box: Sandbox) -> None:
    await box.bash("export SEEN=yes; HIDDEN=no", check=True)
    code = "import os; print(os.environ.get('SEEN'), os.environ.get('HIDDEN'))"
    assert await said(box, f'python3 -c "{code}"') == "yes None\n"
    assert await said(box, f'HIDDEN=once python3 -c "{code}"') == "yes once\n"


async def test_shell_options_stay(shell: Sandbox) -> None:
    await shell.bash("set -o pipefail", check=True)
    assert (await shell.bash("false | true")).exit_code == 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("true", 0),
        ("false", 1),
        ("exit 7", 7),
        ("(exit 9)", 9),
        ("no-such-command", 127),
        ("echo x > plain; ./plain", 126),
        ("/workspace", 126),
        ("if then", 2),
        ("false | true", 0),
        ("set -e; false; true", 1),
        ("python3 -c 'import sys; sys.exit(5)'", 5),
        ("python3 -c '1/0'", 1),
        ("python3 no-such-file.py", 2),
        ("kill -9 $$", 137),
        ("true && false || exit 4", 4),
        ("! true", 1),
    ],
)
async def test_exit_codes_are_those_of_bash(box: Sandbox, command: str, code: int) -> None:
    result = await box.bash(command)
    assert result.exit_code == code
    assert result.ok == (code == 0)
    assert result.error is None
    assert (await box.bash("echo alive")).stdout == "alive\n"


async def test_exit_leaves_a_shell_for_the_next_command(shell: Sandbox) -> None:
    await shell.bash("x=5; exit 3")
    assert await said(shell, "echo $?; echo $x") in ("0\n5\n", "3\n5\n")


async def test_messages_name_the_command_that_is_missing(shell: Sandbox) -> None:
    result = await shell.bash("frobnicate --now")
    assert "frobnicate: command not found" in result.stderr
    with pytest.raises(CodeError, match="frobnicate") as caught:
        await shell.bash("frobnicate", check=True)
    assert caught.value.result.exit_code == 127


async def test_both_streams_are_apart_and_in_order(shell: Sandbox) -> None:
    result = await shell.bash("echo a; echo b >&2; echo c; echo d >&2; echo e 1>&2; echo f", check=True)
    assert result.output == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
        ("stderr", "d\ne\n"),
        ("stdout", "f\n"),
    ]
    assert (result.stdout, result.stderr) == ("a\nc\nf\n", "b\nd\ne\n")


async def test_order_holds_across_programs_and_python(box: Sandbox) -> None:
    code = "import sys; print(2); print(3, file=sys.stderr); print(4)"
    result = await box.bash(f"echo 1; python3 -c '{code}'; echo 5 >&2; echo 6", check=True)
    assert "".join(text for _, text in result.output) == "1\n2\n3\n4\n5\n6\n"
    assert result.stderr == "3\n5\n"


async def test_streams_can_be_redirected(shell: Sandbox) -> None:
    result = await shell.bash("{ echo o; echo e >&2; } > out 2> err; cat out; cat err; { echo x >&2; } 2>&1 | cat")
    assert (result.stdout, result.stderr) == ("o\ne\nx\n", "")


async def test_python_runs_a_file_with_its_arguments(box: Sandbox) -> None:
    await box.write("tool.py", "import sys\nprint(sys.argv, __name__, __file__)\n")
    assert (
        await said(box, "python3 tool.py a 'b c' --flag")
        == "['tool.py', 'a', 'b c', '--flag'] __main__ /workspace/tool.py\n"
    )
    await box.write("sub/tool.py", "import helper, sys\nprint(helper.x, sys.path[0])\n")
    await box.write("sub/helper.py", "x = 'beside'\n")
    assert await said(box, "python3 sub/tool.py") == "beside /workspace/sub\n"


async def test_python_runs_code_from_the_command_line(box: Sandbox) -> None:
    assert await said(box, "python3 -c 'import sys; print(sys.argv)' x y") == "['-c', 'x', 'y']\n"
    assert await said(box, "python -c 'print(1)'") == "1\n"
    assert (await said(box, "python3 --version")).startswith(f"Python {languages()['python'].version}")


async def test_python_runs_modules(box: Sandbox) -> None:
    assert await said(box, "echo '{\"a\":1}' | python3 -m json.tool") == '{\n    "a": 1\n}\n'
    await box.write("pack/__init__.py", "")
    await box.write("pack/__main__.py", "import sys; print('packed', sys.argv[1:])")
    assert await said(box, "python3 -m pack q") == "packed ['q']\n"


async def test_python_reads_its_program_from_stdin(box: Sandbox) -> None:
    assert await said(box, "echo 'print(6*7)' | python3") == "42\n"
    assert await said(box, "echo 'print(6*7)' | python3 -") == "42\n"
    assert await said(box, "python3 - a b <<'END'\nimport sys\nprint(sys.argv)\nEND") == "['-', 'a', 'b']\n"


@pytest.mark.slow
async def test_pipes_run_between_bash_and_python_in_both_directions(box: Sandbox) -> None:
    upper = "import sys; sys.stdout.write(sys.stdin.read().upper())"
    assert await said(box, f"printf 'b\\na\\n' | python3 -c '{upper}' | sort") == "A\nB\n"
    assert (
        await said(
            box, "python3 -c 'for i in range(5): print(i)' | tail -n 2 | python3 -c 'print(sum(map(int, open(0))))'"
        )
        == "7\n"
    )
    assert await said(box, "x=$(python3 -c 'print(3)'); echo $((x + 1))") == "4\n"
    assert await said(box, "python3 -c 'import sys; print(1); print(2, file=sys.stderr)' 2>&1 >/dev/null") == "2\n"
    assert await said(box, "python3 -c 'print(5)' > five; cat five") == "5\n"
    assert await said(box, "python3 -c 'print(input())' < five") == "5\n"
    assert await said(box, "diff <(python3 -c 'print(1)') <(echo 1) && echo same") == "same\n"


async def test_bytes_go_through_pipes_unchanged(box: Sandbox) -> None:
    give = "import sys; sys.stdout.buffer.write(bytes(range(256)))"
    take = "import sys; print(sys.stdin.buffer.read() == bytes(range(256)))"
    assert await said(box, f"python3 -c '{give}' | cat | python3 -c '{take}'") == "True\n"
    assert (await said(box, f"python3 -c '{give}' > all; wc -c < all; python3 -c '{take}' < all")).split() == [
        "256",
        "True",
    ]


async def test_a_program_and_the_cells_do_not_share_variables(box: Sandbox) -> None:
    await box.run("x = 1\nimport sys, os\nargv, folder = list(sys.argv), os.getcwd()", check=True)
    await box.bash(
        "mkdir -p d; cd d; "
        'FOO=1 python3 -c \'import os, sys; x = 2; sys.argv = [1]; os.chdir("/"); os.environ["BAR"]="1"\''
    )
    code = "(x, sys.argv == argv, os.getcwd() == folder, 'FOO' in os.environ, 'BAR' in os.environ)"
    assert (await box.run(code, check=True)).value == "(1, True, True, False, False)"
    assert await said(box, "pwd") == "/workspace/d\n"


async def test_an_edited_module_is_seen_by_the_next_program(box: Sandbox) -> None:
    await box.write("main.py", "import part\nprint(part.x)\n")
    await box.write("part.py", "x = 1\n")
    assert await said(box, "python3 main.py") == "1\n"
    await box.write("part.py", "x = 2\n")
    assert await said(box, "python3 main.py") == "2\n"
    assert await said(box, "sed -i s/2/3/ part.py; python3 main.py") == "3\n"


async def test_a_program_that_fails_says_where(box: Sandbox) -> None:
    await box.write("bad.py", "def f():\n    return {}['x']\n\nf()\n")
    result = await box.bash("python3 bad.py")
    assert result.exit_code == 1
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "KeyError: 'x'"
    assert any("bad.py" in line and "line 4, in <module>" in line for line in lines)
    assert any("line 2, in f" in line for line in lines)
    assert "cloche_guest" not in result.stderr


async def test_standard_input_reaches_commands_and_python(box: Sandbox) -> None:
    assert await said(box, "cat", stdin="one\ntwo") == "one\ntwo"
    assert await said(box, "python3 -c 'print(input())'", stdin="from outside\n") == "from outside\n"
    assert await said(box, "read first; echo got $first; cat", stdin="a\nb\n") == "got a\nb\n"
    assert (
        await said(box, "cat > f.csv; python3 -c 'print(open(\"f.csv\").read())' | tr a-z A-Z", stdin="a,b\n")
        == "A,B\n\n"
    )


async def test_background_jobs_run_and_can_be_waited_for(shell: Sandbox) -> None:
    result = await shell.bash(
        "(sleep 0.05; echo late; exit 3) & pid=$!; echo early; wait $pid; echo $?; [ $pid -gt 0 ] && echo number"
    )
    assert result.stdout == "early\nlate\n3\nnumber\n"
    assert await said(shell, "for i in 1 2 3; do echo $i > out$i & done; wait; cat out1 out2 out3") == "1\n2\n3\n"


async def test_a_job_in_the_background_outlives_its_command(shell: Sandbox) -> None:
    await shell.bash("(sleep 0.05; echo done > flag) & echo $! > /dev/null", check=True, timeout=5)
    assert await said(shell, "wait; cat flag") == "done\n"


async def test_job_control_lists_and_kills(shell: Sandbox) -> None:
    result = await shell.bash("sleep 30 & jobs; kill $!; wait $!; echo $?", timeout=5)
    assert not result.timed_out
    assert "sleep 30" in result.stdout
    assert result.stdout.splitlines()[-1] == "143"


async def test_traps_run_at_the_end(shell: Sandbox) -> None:
    assert await said(shell, "(trap 'echo bye' EXIT; echo hello)") == "hello\nbye\n"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("printf 'a\\n' > x; printf 'b\\n' > y; diff -u x y > p; patch x < p >/dev/null; cat x", "b\n"),
        ("echo in > f; zip -q a.zip f; rm f; unzip -q a.zip; cat f", "in\n"),
        ("printf AB | xxd -p", "4142\n"),
        ("printf 4142 | xxd -r -p", "AB"),
        ("echo a > x; echo a > y; cmp x y && echo same", "same\n"),
        ("yes | head -n 2", "y\ny\n"),
        ("uname -s", "Linux\n"),
        ("id -un", "user\n"),
        ("whoami", "user\n"),
        ("echo '2^10 + 1' | bc", "1025\n"),
        ("echo 'scale=2; 10/3' | bc", "3.33\n"),
        ("printf '1\\n2\\n3\\n' | paste -s -d +", "1+2+3\n"),
        ("printf '1\\n2\\n3\\n' | paste -sd+ | bc", "6\n"),
        ("seq 3 | xargs -n1 echo n", "n 1\nn 2\nn 3\n"),
        ("echo '{\"a\":[1,2]}' | jq -c .a", "[1,2]\n"),
        ("echo hello | sed 's/l*o/p/' | awk '{print $1 \"!\"}'", "hep!\n"),
        ("echo x | gzip | gunzip", "x\n"),
        ("mkdir t; echo 1 > t/f; tar cf t.tar t; rm -r t; tar xf t.tar; cat t/f", "1\n"),
        ("[[ abc123 =~ [0-9]+ ]] && echo ${BASH_REMATCH[0]}", "123\n"),
        ("a=(x y z); echo ${#a[@]} ${a[-1]}", "3 z\n"),
        ("cat <<< here", "here\n"),
        ("timeout 0.1 sleep 5; echo $?", "124\n"),
        ("ps >/dev/null && df . >/dev/null && free >/dev/null && echo fine", "fine\n"),
        ("nohup echo on 2>/dev/null", "on\n"),
        ("mktemp | grep -c ^/tmp/", "1\n"),
        ("date +%Y | grep -cE '^20[0-9]{2}$'", "1\n"),
    ],
)
async def test_programs_that_people_expect_are_there(shell: Sandbox, command: str, output: str) -> None:
    result = await shell.bash(command, timeout=10)
    assert (result.stdout, result.stderr) == (output, "")


async def test_df_and_free_report_the_limits_of_the_sandbox_and_what_it_uses(open_box: OpenBox) -> None:
    box = await open_box(memory_mb=192)

    async def row(command: str) -> list[str]:
        return (await box.bash(command, check=True)).stdout.splitlines()[1].split()

    total = FILES_LIMIT // MB
    assert await row("df -m") == ["sandbox", str(total), "0", str(total), "0%", "/workspace"]
    await box.bash("mkdir /tmp/d; head -c 20000000 /dev/zero > /tmp/d/f", check=True)
    assert await row("df -m /tmp/d/f") == ["sandbox", str(total), "20", str(total - 19), "2%", "/tmp"]
    assert await row("df -i") == ["sandbox", str(FILE_NAMES), "2", str(FILE_NAMES - 2), "1%", "/workspace"]
    assert (await row("df -h /"))[1:3] == ["1G", "20M"]
    assert (await box.bash("df nope")).stderr == "df: nope: No such file or directory\n"
    _, total_memory, used, left, *_ = await row("free -m")
    assert total_memory == "192"
    assert 10 < int(used) < 192 - int(left) + 2
    await box.run("kept = bytearray(100_000_000)", check=True)
    assert int((await row("free -m"))[2]) >= int(used) + 50


async def test_bash_and_python_see_the_same_files(box: Sandbox) -> None:
    await box.run("open('made.txt', 'w').write('by python')", check=True)
    assert await said(box, "cat made.txt; echo by bash > made.txt; chmod 600 made.txt") == "by python"
    assert (
        await box.run("open('made.txt').read(), oct(__import__('os').stat('made.txt').st_mode)[-3:]")
    ).value == "('by bash\\n', '600')"
    await box.bash("cd /tmp && echo t > t; cd ~ && echo h > h", check=True)
    assert (await box.run("open('/tmp/t').read() + open('/home/user/h').read()", check=True)).value == "'t\\nh\\n'"


async def test_bash_has_no_input_to_wait_for(shell: Sandbox) -> None:
    result = await shell.bash("read x; echo [$x] $?", timeout=5)
    assert (result.stdout, result.timed_out) == ("[] 1\n", False)


async def test_the_shell_can_be_replaced_by_a_fresh_one(box: Sandbox) -> None:
    await box.bash("x=1; cd /tmp; echo kept > /workspace/f", check=True)
    await box.run("y = 1", check=True)
    await box.reset("bash")
    assert await said(box, "echo [$x]; pwd; cat f") == "[]\n/workspace\nkept\n"
    assert (await box.run("y", check=True)).value == "1"


async def test_a_program_started_from_bash_asks_the_caller(box: Sandbox) -> None:
    command = "python3 -c 'print(input(\"name? \").upper())'"
    result = await box.bash(command, on_input=lambda prompt: f"{prompt}ada")
    assert (result.stdout, result.exit_code) == ("NAME? ADA\n", 0)
    result = await box.bash(command)
    assert result.exit_code == 1
    assert result.stderr.endswith("EOFError: EOF when reading a line\n")
    assert (await box.bash(f"echo eve | {command}")).stdout == "name? EVE\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("cat nosuch", "cat: nosuch: No such file or directory"),
        ("nl nosuch", "nl: nosuch: No such file or directory"),
        ("cat /mnt/fixed/locked/x", "cat: /mnt/fixed/locked/x: No such file or directory"),
        ("touch /mnt/fixed/new", "touch: cannot touch '/mnt/fixed/new': Read-only file system"),
        ("cp plain /mnt/fixed/new", "Read-only file system"),
        ("mv plain /mnt/fixed/new", "unable to remove target: Read-only file system"),
        ("rm -f /mnt/fixed/kept", "rm: cannot remove '/mnt/fixed/kept': Read-only file system"),
        ("sed -i s/a/b/ /mnt/fixed/kept", "Read-only file system"),
        ("echo x | tee /mnt/fixed/kept", "Read-only file system"),
        ("echo x > /mnt/fixed/kept", "bash: /mnt/fixed/kept: Read-only file system"),
        ("mkdir /etc/new", "mkdir: cannot create directory '/etc/new': Permission denied"),
        ("echo x > /etc/new", "bash: /etc/new: Permission denied"),
        ("cat plain/x", "Not a directory"),
        ("mkdir folder", "mkdir: cannot create directory 'folder': File exists"),
        ("cat folder", "cat: folder: Is a directory"),
        ("rmdir folder", "Directory not empty"),
        ("wc loop", "wc: loop: Too many levels of symbolic links"),
        ("cat loop", "Too many levels of symbolic links"),
        ("echo x > /dev/full", "No space left on device"),
        ("touch $(printf 'n%.0s' {1..300})", "File name too long"),
    ],
)
async def test_errors_of_files_read_as_on_a_real_machine(fixed: Sandbox, command: str, message: str) -> None:
    result = await fixed.bash(command)
    assert message in result.stderr
    assert not re.search(r"\bE[A-Z]{3,}:|os error", result.stderr)
    assert result.exit_code != 0


@pytest.fixture(scope="module")
async def fixed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sandbox]:
    """A sandbox with a read-only mount, a full folder and a loop of links; the commands change nothing."""
    folder = tmp_path_factory.mktemp("fixed")
    (folder / "kept").write_text("a\n")
    async with Sandbox(mounts=[Mount(folder, target="/mnt/fixed", read_only=True)]) as box:
        await box.bash("echo a > plain; mkdir folder; touch folder/x; ln -s loop pool; ln -s pool loop", check=True)
        yield box


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("ln -s gone x; rm x; ls", ""),
        ("ln -s gone x; rm -f x; ls", ""),
        ("ln -s gone x; mv x y; readlink y; ls", "gone\ny\n"),
        ("mkdir d; ln -s gone x; mv x d; readlink d/x", "gone\n"),
        ("mkdir d; touch d/f; ln -s d l; rm -r l; ls d", "f\n"),
        ("ln -s a b; ln -s b a; rm a b; ls", ""),
        ("rm -f none; echo $?; rm -rf none; echo $?; rm none 2>/dev/null; echo $?", "0\n0\n1\n"),
        ("mkdir d; rm d 2>&1; rm -d d; ls", "rm: cannot remove 'd': Is a directory\n"),
        ("touch a b; mkdir d; mv -t d a b; ls d", "a\nb\n"),
        ("echo 1 > a; echo 2 > b; mv -n a b; cat b; mv -v a b; cat b", "2\nrenamed 'a' -> 'b'\n1\n"),
        ("mkdir d; mv d d/e 2>&1; ls", "mv: cannot move 'd' to a subdirectory of itself, 'd/e'\nd\n"),
        ("touch a; mv a none/ 2>&1; ls", "mv: cannot move 'a' to 'none/': Not a directory\na\n"),
        ("touch a b c; yes | rm -i a b 2>/dev/null; ls", "c\n"),
        ("rm -r . 2>&1; echo $?", "rm: refusing to remove '.' or '..' directory: skipping '.'\n1\n"),
    ],
)
async def test_rm_and_mv_take_links_as_they_are(shell: Sandbox, command: str, printed: str) -> None:
    result = await shell.bash(f"cd $(mktemp -d); {command}")
    assert (result.stdout, result.stderr) == (printed, "")


@pytest.mark.slow
async def test_a_result_is_never_cut_without_a_word(shell: Sandbox) -> None:
    assert await said(shell, "n=0; for i in {1..20000}; do n=$((n+1)); done; echo $n") == "20000\n"
    assert await said(shell, "yes | head -n 2000000 | wc -l; echo ${PIPESTATUS[@]}") == "2000000\n141 0 0\n"
    result = await shell.bash("echo {1..6000000}")
    assert result.exit_code == 1
    assert result.stderr == "bash: brace expansion: more than 5000000 words\n"


LINE = "x" * 9000
ALL = {
    "node": "console.log(require('fs').readFileSync(0).length)",
    "node --input-type=commonjs": "let n = 0; process.stdin.on('data', () => n++).on('end', () => console.log(n))",
    "ruby": "puts STDIN.read.size",
    "php": "echo strlen(stream_get_contents(STDIN));",
    "perl": "$n++ while <STDIN>; print $n",
    "lua": "print(#io.read('a'))",
    "Rscript": "cat(length(readLines(file('stdin'))))",
    "scheme": "(let loop ((n 0)) (if (eof-object? (read-char)) (display n) (loop (+ n 1))))",
}
"""Programs that read all of their input, which they get as a whole."""

FIRST = {
    "python3": "print(input()[:1])",
    "node": "process.stdin.once('data', (d) => { console.log(String(d)[0]); process.exit(0) })",
    "ruby": "puts gets[0]",
    "php": "echo fgets(STDIN)[0], PHP_EOL;",
    "perl": "print substr(<STDIN>, 0, 1), qq(\\n)",
    "lua": "print(io.read(1))",
    "Rscript": "cat(substr(readLines(file('stdin'), 1), 1, 1), sep='\\n')",
    "scheme": "(display (read-char)) (newline)",
}
"""Programs that stop after the first line."""

CODE = {"python3": "-c", "php": "-r"}


@pytest.mark.parametrize("program", ALL)
async def test_a_program_that_reads_all_of_an_endless_source_fails(box: Sandbox, program: str) -> None:
    code = ALL[program].replace("'", "'\\''")
    result = await box.bash(f"yes {LINE} | {program} {CODE.get(program.split()[0], '-e')} '{code}'")
    assert result.exit_code != 0
    name = program.split()[0]
    assert f"{name}: yes has no end, and {name} takes all of its input at once" in result.stderr


@pytest.mark.parametrize("program", FIRST)
async def test_a_program_that_reads_a_little_of_an_endless_source_is_right(box: Sandbox, program: str) -> None:
    code = FIRST[program].replace("'", "'\\''")
    result = await box.bash(f"yes {LINE} | {program} {CODE.get(program, '-e')} '{code}'")
    assert (result.stdout, result.stderr, result.exit_code) == ("x\n", "", 0)


@pytest.mark.parametrize(
    "script",
    [
        "yes | while read -r x; do :; done",
        "yes | { while read -r x; do :; done; echo done; }",
        "yes | cat > /dev/null",
        "echo 'while read -r x; do :; done; echo done' > s; yes | sh s",
    ],
)
async def test_what_reads_an_endless_source_reads_on_until_it_is_stopped(shell: Sandbox, script: str) -> None:
    result = await shell.bash(script, timeout=0.5)
    assert (result.timed_out, result.stdout, result.state) == (True, "", "kept")
    assert (await shell.bash("echo alive")).stdout == "alive\n"


async def test_python_reads_an_endless_source_as_it_comes(box: Sandbox) -> None:
    code = "import sys; print(sum(len(next(sys.stdin)) for _ in range(500_000)))"
    result = await box.bash(f"yes | python3 -c '{code}'; echo ${{PIPESTATUS[0]}}", timeout=60)
    assert result.stdout == "1000000\n141\n"


@pytest.mark.slow
async def test_stages_of_a_pipeline_run_at_the_same_time(box: Sandbox) -> None:
    code = "import sys\\nfor line in sys.stdin: print(line.upper(), end=str(), flush=True)"
    script = f"(echo a; sleep 1; echo b) | python3 -c $'{code}' | while read x; do echo $x $EPOCHREALTIME; done"
    result = await box.bash(f"python3 -c 1; {script}", timeout=60)
    (first, began), (second, ended) = (line.split() for line in result.stdout.splitlines())
    assert (first, second) == ("A", "B")
    # The first line does not wait for the second.
    assert float(ended) - float(began) > 0.5
