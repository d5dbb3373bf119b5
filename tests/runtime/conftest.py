"""Runtimes over real sandboxes."""

from collections.abc import AsyncGenerator

import pytest

from cloche.runtime import Runtime
from cloche.runtime.pyodide import PyodideRuntime
from tests.sandbox.conftest import _quick_start, prepared  # pyright: ignore[reportPrivateUsage] - a fixture by name

__all__ = ["_quick_start", "prepared"]


@pytest.fixture(scope="module")
async def runtime(prepared: object) -> AsyncGenerator[Runtime]:
    """One for all tests of a module."""
    async with PyodideRuntime() as runtime:
        yield runtime
