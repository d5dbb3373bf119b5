"""Output that cannot be written: one line, and an exit code that says so."""

import subprocess
from pathlib import Path

import pytest

FULL = Path("/dev/full")
ACTION = '{"action": "run", "args": {"command": "seq 10"}}'

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["run", "-c", "print(1)"],
        ["run", "-c", "1"],
        ["run", "--json", "-c", "1"],
        ["run", "-c", "print('x' * 10**6)"],
        ["bash", "-c", "seq 100000"],
        ["exec", "-"],
        ["languages"],
        ["languages", "--json"],
        ["config"],
        ["cache"],
        ["completion", "bash"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("prepared")
def test_a_full_disk_is_reported_in_one_line(program: list[str], args: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [*program, *args], stdout=full, stderr=subprocess.PIPE, input=ACTION, text=True, timeout=60, check=False
        )
    assert done.stderr == "cloche: the output could not be written: No space left on device\n"
    assert done.returncode == 74


def test_nothing_is_said_where_nothing_can_be_written(program: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run([*program, "--version"], stdout=full, stderr=full, timeout=60, check=False)
    assert done.returncode == 74
