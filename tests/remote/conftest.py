"""A server in the loop of the test, with sandboxes for clients."""

from collections.abc import AsyncGenerator
from typing import Any, Protocol

import pytest

import cloche
from tests.sandbox.conftest import _quick_start, prepared  # pyright: ignore[reportPrivateUsage] - a fixture by name
from tests.server.conftest import OWNER, RunningServer, open_server, plain_config

__all__ = ["_quick_start", "prepared"]


class Connect(Protocol):
    """Makes a sandbox at the server."""

    def __call__(self, token: str | None = OWNER, **options: Any) -> cloche.RemoteSandbox: ...


@pytest.fixture(scope="module")
async def server(prepared: object, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningServer]:
    """A server for all tests of a module."""
    config = plain_config(tmp_path_factory.mktemp("server"), max_running=40, upload_mb=8, pool_size=1)
    async with open_server(config) as running:
        yield running


@pytest.fixture
def connect(server: RunningServer) -> Connect:
    """Connects with the owner's token."""

    def make(token: str | None = OWNER, **options: Any) -> cloche.RemoteSandbox:
        return cloche.connect(server.url, token, **options)

    return make


@pytest.fixture
async def box(connect: Connect) -> AsyncGenerator[cloche.RemoteSandbox]:
    """A sandbox at the server."""
    async with connect() as box:
        yield box
