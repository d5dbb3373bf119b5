"""One sandbox for all tests of a language: loading some takes a second."""

from collections.abc import AsyncIterator

import pytest

from cloche import Sandbox


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Runs every test of a module on one event loop."""
    return "asyncio"


@pytest.fixture(scope="module")
async def box() -> AsyncIterator[Sandbox]:
    """A sandbox that the tests of a module share, one after the other."""
    async with Sandbox() as sandbox:
        yield sandbox
