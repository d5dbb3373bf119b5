"""What the tests of a language begin with: calls that end in time, and a sandbox that is clean after each test."""

from collections.abc import AsyncGenerator
from typing import Protocol

import anyio
import pytest

from cloche import Result, Sandbox
from tests.sandbox.conftest import clean

BOUND = 30.0
"""Seconds that a call may take on a busy machine."""


class Run(Protocol):
    """Runs a cell."""

    async def __call__(self, box: Sandbox, code: str, stdin: str | None = None) -> Result: ...


def runs(language: str) -> Run:
    """Cells of this language."""

    async def run(box: Sandbox, code: str, stdin: str | None = None) -> Result:
        with anyio.fail_after(BOUND):
            return await box.run(code, language=language, stdin=stdin)

    return run


async def bash(box: Sandbox, script: str) -> Result:
    """Run a command."""
    with anyio.fail_after(BOUND):
        return await box.bash(script)


def cleans(*languages: str) -> object:
    """Makes the fixture that puts these languages back after each test."""

    @pytest.fixture(autouse=True)
    async def cleaned(box: Sandbox) -> AsyncGenerator[None]:
        yield
        await clean(box, *languages)

    return cleaned
