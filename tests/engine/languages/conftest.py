"""One sandbox for all tests of a language: loading some takes a second."""

from collections.abc import AsyncIterator

import pytest
from blockbuster import BlockBuster

from cloche import Sandbox


@pytest.fixture(autouse=True)
def _quick_start(_unblocked_loop: BlockBuster) -> None:
    # For tools such as Deno's: asyncio itself waits on the loop's thread until their process has begun.
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Runs every test of a module on one event loop."""
    return "asyncio"


@pytest.fixture(scope="module")
async def box() -> AsyncIterator[Sandbox]:
    """A sandbox that the tests of a module share, one after the other."""
    async with Sandbox() as sandbox:
        yield sandbox
