"""`cloche fetch`."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cloche


def test_what_is_there_is_not_fetched_again(cloche: Cloche, prepared: None) -> None:
    done = cloche("fetch", "python", "bash")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Ready: ")


def test_an_unknown_language_is_usage(cloche: Cloche) -> None:
    done = cloche("fetch", "pyhton")
    assert (done.returncode, "Did you mean 'python'?" in done.stderr) == (2, True)


def test_a_cache_that_cannot_be_written_is_69(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cloche("fetch", CLOCHE_CACHE=str(tmp_path / "file"))
    assert (done.returncode, done.stdout) == (69, "")
    assert "CLOCHE_CACHE" in done.stderr


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(180)
def test_the_first_run_says_what_it_does(program: list[str], tmp_path: Path) -> None:
    env = {**os.environ, "CLOCHE_CACHE": str(tmp_path)}
    argv = [*program, "run", "-c", "print(1)"]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=170, check=False)
    assert done.stdout == "1\n"
    assert done.stderr.splitlines() == [
        "cloche: fetching npm packages ...",
        "cloche: compiling the standard library ...",
        "cloche: fetching Python packages ...",
        "cloche: building the Python snapshot ...",
    ]
