"""Processes with remote agents for the tests."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

EXAMPLE = (sys.executable, str(Path(__file__).parent / "example_server.py"))
PATIENCE = 30
"""Seconds for what should take an instant."""


@contextmanager
def example_server(*options: str) -> Generator[str]:
    """An agent made with the official library, until the block ends; gives its address."""
    with started([*EXAMPLE, *options]) as (_, url):
        yield url


@contextmanager
def started(argv: list[str], folder: Path | None = None) -> Generator[tuple["subprocess.Popen[str]", str]]:
    """A program that prints the port it serves on, and its address."""
    process = subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()
