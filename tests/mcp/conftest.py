"""Servers over real sandboxes."""

from collections.abc import Generator

import pytest

from tests.mcp.peers import Peer, http_server
from tests.sandbox.conftest import _quick_start, own_cache, prepared  # pyright: ignore[reportPrivateUsage] - a fixture by name

__all__ = ["_quick_start", "own_cache", "prepared", "server"]


@pytest.fixture(scope="module")
def server(prepared: object) -> Generator[Peer]:
    """A server over HTTP that the tests of a module share; each has connections of its own."""
    with http_server("--aliases") as peer:
        yield peer
