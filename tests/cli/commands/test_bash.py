"""`cloche bash` without a terminal."""

import json

import pytest

from tests.cli.conftest import Cloche


@pytest.fixture(autouse=True)
def _ready(prepared: None) -> None:
    """Every test here starts a sandbox."""


@pytest.mark.slow
def test_the_exit_code_is_the_commands(cloche: Cloche) -> None:
    assert cloche("bash", "-c", "exit 7").returncode == 7
    assert cloche("bash", "-c", "no-such-command").returncode == 127
    assert cloche("bash", "-c", "true").returncode == 0


def test_what_is_piped_in_is_the_commands_input(cloche: Cloche) -> None:
    command = 'cat > f.csv; python3 -c "print(open(\\"f.csv\\").read())" | tr a-z A-Z'
    assert cloche("bash", "-c", command, stdin="a,b\n").stdout == "A,B\n\n"


def test_too_much_input_is_refused_with_a_way_out(cloche: Cloche) -> None:
    done = cloche("bash", "-c", "wc -c", stdin=b"x" * (9 << 20))
    assert done.returncode == 2
    assert "--mount" in done.stderr


def test_arguments_are_numbered(cloche: Cloche) -> None:
    assert cloche("bash", "-c", 'echo "$1-$2-$#"', "a b", "c").stdout == "a b-c-2\n"


def test_a_script_may_come_from_stdin(cloche: Cloche) -> None:
    assert cloche("bash", stdin="x=1\necho $x\n").stdout == "1\n"


def test_json_is_printed_for_commands_too(cloche: Cloche) -> None:
    result = json.loads(cloche("bash", "--json", "-c", "echo out; echo err >&2; exit 3").stdout)
    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("out\n", "err\n", 3)
    assert (result["ok"], result["language"], result["value"]) == (False, "bash", None)


def test_a_timeout_is_124(cloche: Cloche) -> None:
    done = cloche("bash", "-t", "0.5", "-c", "echo on; while true; do :; done")
    assert (done.returncode, done.stdout) == (124, "on\n")


def test_words_without_a_command_are_refused(cloche: Cloche) -> None:
    done = cloche("bash", "script.sh")
    assert (done.returncode, "cloche run FILE" in done.stderr) == (2, True)
