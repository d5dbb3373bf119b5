"""`cloche run`."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Cloche

KEYS = ["ok", "language", "value", "stdout", "stderr", "displays", "error", "timed_out", "state", "duration_ms"]


@pytest.fixture(autouse=True)
def _ready(prepared: None) -> None:
    """Every test here starts a sandbox."""


@pytest.mark.slow
def test_the_life_of_a_sandbox_is_logged_when_asked_for(cloche: Cloche, prepared: None) -> None:
    done = cloche("run", "-v", "-c", "print(1)")
    assert (done.returncode, done.stdout) == (0, "1\n")
    lines = done.stderr.splitlines()
    assert [line for line in lines if not re.match(r"cloche: +\d+ ms  cloche\.[\w.]+: \S", line)] == []
    told = [
        line.partition("cloche.cli.running.run_code: ")[2] for line in lines if "cloche.cli.running.run_code: " in line
    ]
    assert [" ".join(line.split()[:3]) for line in told] == [
        "opening a sandbox",
        "the sandbox is",
        "closing the sandbox",
        "the sandbox is",
    ]
    assert cloche("-v", "bash", "-c", "exit 3").returncode == 3
    assert cloche("run", "-c", "print(1)").stderr == ""


def test_what_is_printed_goes_where_it_was_printed(cloche: Cloche) -> None:
    done = cloche("run", "-c", "import sys; print(6*7); print('talk', file=sys.stderr)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "talk\n")


@pytest.mark.slow
def test_the_last_value_is_shown_after_c_but_not_for_a_file(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "six.py").write_text("print('said')\n6 * 7\n")
    assert cloche("run", "-c", "6 * 7").stdout == "42\n"
    assert cloche("run", "-", stdin="6 * 7").stdout == "42\n"
    assert cloche("run", "six.py", cwd=tmp_path).stdout == "said\n"


def test_displays_are_shown_as_text(cloche: Cloche) -> None:
    assert cloche("run", "-c", "display({'a': 1}); None").stdout == "{'a': 1}\n"


def test_json_has_exactly_these_keys(cloche: Cloche) -> None:
    done = cloche("run", "--json", "-c", "1/0")
    result = json.loads(done.stdout)
    assert list(result)[: len(KEYS)] == KEYS
    assert list(result)[len(KEYS) :] == ["exit_code", "truncated", "profile"]
    assert list(result["error"]) == ["type", "message", "line", "column", "traceback"]
    assert (done.returncode, result["ok"], result["error"]["line"], done.stderr) == (1, False, 1, "")


def test_json_of_code_that_works(cloche: Cloche) -> None:
    result = json.loads(cloche("run", "--json", "-c", "print('a'); display('b'); 5").stdout)
    assert (result["ok"], result["value"], result["stdout"], result["error"]) == (True, "5", "a\n", None)
    assert result["displays"][0]["data"]["text/plain"] == "'b'"
    assert result["duration_ms"] > 0


@pytest.mark.slow
def test_a_traceback_goes_to_stderr(cloche: Cloche) -> None:
    done = cloche("run", "-c", "print('before')\n1/0")
    assert (done.returncode, done.stdout) == (1, "before\n")
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "status"),
    [("raise SystemExit(3)", 3), ("import sys; sys.exit('no')", 1), ("raise KeyboardInterrupt", 130), ("1", 0)],
)
def test_the_exit_code_says_how_it_ended(cloche: Cloche, code: str, status: int) -> None:
    assert cloche("run", "-c", code).returncode == status


def test_out_of_memory_is_137(cloche: Cloche) -> None:
    done = cloche("run", "--memory", "128", "-c", "b'x' * 10**9")
    assert done.returncode == 137
    assert done.stderr.endswith("MemoryError\n")


@pytest.mark.slow
def test_a_timeout_is_124_and_comes_in_time(cloche: Cloche) -> None:
    began = time.monotonic()
    done = cloche("run", "--timeout", "1", "-c", "print('on'); import time; time.sleep(0.1)\nwhile True: pass")
    assert time.monotonic() - began < 10
    assert (done.returncode, done.stdout) == (124, "on\n")
    assert done.stderr.endswith("cloche: stopped after 1 s (--timeout)\n")


@pytest.mark.slow
def test_timeout_0_is_none(cloche: Cloche) -> None:
    assert cloche("run", "--timeout", "0", "-c", "1").stdout == "1\n"


@pytest.mark.slow
def test_a_file_has_its_name_and_arguments(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("import sys\nprint(sys.argv, __file__)\ndef f():\n    1/0\nf()\n")
    done = cloche("run", "tool.py", "a", "--", "-b", cwd=tmp_path)
    assert done.stdout == "['/workspace/tool.py', 'a', '-b'] /workspace/tool.py\n"
    assert '  File "tool.py", line 4, in f\n' in done.stderr
    assert cloche("run", "-c", "import sys; sys.argv", "x").stdout == "['-c', 'x']\n"


@pytest.mark.slow
def test_the_workspace_is_a_folder_of_the_host(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def help(): return 'helped'")
    (tmp_path / "tool.py").write_text("import helper\nopen('out', 'w').write(helper.help())")
    assert cloche("run", "-w", ".", "tool.py", cwd=tmp_path).returncode == 0
    assert (tmp_path / "out").read_text() == "helped"


@pytest.mark.slow
def test_a_shell_script_is_run_by_bash(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text('echo "$1 $#"; exit 4\n')
    (tmp_path / "b").write_text("#!/usr/bin/env bash\necho b\n")
    done = cloche("run", "a.sh", "x y", "z", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "x y 2\n")
    assert cloche("run", "b", cwd=tmp_path).stdout == "b\n"


def test_mounts_and_variables_are_seen(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("given")
    code = "import os\nprint(open('/mnt/d/f').read(), os.environ['A'], os.environ['B'])\nopen('/mnt/d/g', 'w')"
    done = cloche("run", "-m", f"{tmp_path}:/mnt/d:ro", "-e", "A=1", "-e", "B", "-c", code, B="2")
    assert (done.returncode, done.stdout) == (1, "given 1 2\n")
    assert "Read-only" in done.stderr


@pytest.mark.slow
def test_os_system_goes_to_our_bash(cloche: Cloche) -> None:
    assert cloche("run", "-c", 'import os; os.system("echo glass");').stdout == "glass\n"


def test_a_profile_is_shown_on_stderr(cloche: Cloche) -> None:
    done = cloche("run", "--profile", "-c", "x = 0\nfor i in range(100):\n    x += i\nprint(x)")
    assert done.stdout == "4950\n"
    assert done.stderr.startswith("Profile: ")
    assert "     3       100 " in done.stderr
    assert "    x += i\n" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["."], "is a folder"),
        (["nope.py"], "Cannot read nope.py: No such file"),
        (["-l", "pyton", "-c", "1"], "Did you mean 'python'?"),
        (["-m", "/nope", "-c", "1"], "cannot mount /nope"),
        (["-m", ":", "-c", "1"], "is no mount"),
        (["--timeout", "-1", "-c", "1"], "-1 is below 0"),
        (["--timeout", "nan", "-c", "1"], "is below 0"),
        (["--timeout", "soon", "-c", "1"], "not a valid float"),
        (["--memory", "1", "-c", "1"], "64<=x<=4096"),
        (["-e", "1=2", "-c", "1"], "is not NAME=VALUE"),
        (["-e", "NOT_SET_HERE", "-c", "1"], "is not set here"),
        (["-w", "nope", "-c", "1"], "does not exist"),
        (["--confinement", "some", "-c", "1"], "is not one of"),
    ],
)
def test_wrong_usage_is_2_and_says_what_is_wrong(cloche: Cloche, tmp_path: Path, args: list[str], message: str) -> None:
    done = cloche("run", *args, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_text_is_refused(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"print(1)\n\xff")
    done = cloche("run", "a.py", cwd=tmp_path)
    assert (done.returncode, "byte 10 is not UTF-8" in done.stderr) == (2, True)


def test_an_unavailable_sandbox_is_69(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cloche("run", "-c", "1", CLOCHE_CACHE=str(tmp_path / "file" / "cache"))
    assert (done.returncode, done.stdout) == (69, "")
    assert "CLOCHE_CACHE" in done.stderr


@pytest.mark.slow
def test_odd_text_comes_through(cloche: Cloche) -> None:
    assert cloche("run", "-c", r"print('\0\x1b\u2713\U0001f33f')").stdout == "\0\x1b✓🌿\n"
    assert cloche("run", "-c", r"import sys; sys.stdout.buffer.write(b'\xff\n');").stdout == "�\n"
    assert cloche("run", "-c", "print('✓')", PYTHONIOENCODING="ascii").stdout == "?\n"


def test_a_reader_who_leaves_ends_it_quietly(program: list[str]) -> None:
    read, write = os.pipe()
    code = "for i in range(10**9): print(i)"
    with subprocess.Popen([*program, "run", "-t", "0", "-c", code], stdout=write, stderr=subprocess.PIPE) as child:
        os.close(write)
        try:
            assert os.read(read, 2) == b"0\n"
            os.close(read)
            _, err = child.communicate(timeout=10)
        finally:
            child.kill()
    assert (child.returncode, err) == (141, b"")


@pytest.mark.slow
def test_a_sandbox_that_nothing_confines_says_so(program: list[str]) -> None:
    blind = "import cloche.sandbox.confinement.probe as p, cloche.sandbox.sandbox as s\n"
    blind += "async def none(confinement): return p.Layer('none', False, 'nothing here')\n"
    blind += "s.choose_layer = none\nfrom cloche.cli import main; main()"
    argv = [program[0], "-c", blind, "run", "-c", "1"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=15, check=False)
    assert done.stdout == "1\n"
    assert done.stderr.startswith("cloche: this sandbox runs without confinement")
