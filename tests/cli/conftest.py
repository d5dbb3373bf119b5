"""The program `cloche` as a user starts it."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Protocol

import anyio
import pytest

from cloche.sandbox.cache import snapshots
from cloche.sandbox.process.warm_up import warm_up
from tests.cli.fake_terminal import Open, Terminal

BUILD_TIMEOUT = 180
"""Seconds for a test that may have to build the snapshot first."""

PROGRAM = [sys.executable, "-c", "from cloche.cli import main; main()"]


class Cloche(Protocol):
    """Runs the program with these arguments to its end."""

    def __call__(
        self, *args: str, stdin: str | bytes | None = None, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives the tests that need a snapshot the time to build it."""
    if snapshots.find_prepared() is None:
        for item in items:
            if "prepared" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.timeout(BUILD_TIMEOUT))


@pytest.fixture(scope="session")
def prepared(assets: Path) -> None:
    """Everything fetched and built."""
    anyio.run(snapshots.build_prepared, warm_up)


@pytest.fixture
def program() -> list[str]:
    """The first words of a command line."""
    return PROGRAM


@pytest.fixture
def cloche() -> Cloche:
    """Runs the program."""

    def run(
        *args: str, stdin: str | bytes | None = None, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [*PROGRAM, *args],
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            cwd=cwd,
            env={**os.environ, **env},
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def open_terminal(program: list[str], prepared: None, tmp_path: Path) -> Generator[Open]:
    """Starts the program in a folder of its own; its history is the test's."""
    opened: list[Terminal] = []

    def start(*args: str, prompt: str = "In [1]:", columns: int = 100, **env: str) -> Terminal:
        folder = tmp_path / "here"
        folder.mkdir(exist_ok=True)
        env = {"XDG_STATE_HOME": str(tmp_path / "state"), **env}
        opened.append(Terminal([*program, *args], cwd=folder, columns=columns, env=env))
        opened[-1].wait(lambda: opened[-1].lines[-1:] == [prompt])
        return opened[-1]

    yield start
    for each in opened:
        each.close()
