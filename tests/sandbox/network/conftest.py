"""Guests whose connections are closed after the test, and a certificate authority."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest
import trustme

from cloche import Sandbox
from cloche.sandbox.cache import snapshots
from tests.sandbox.conftest import clean
from tests.sandbox.network.fake_guest import Guest
from tests.sandbox.network.pages import Pages
from tests.sandbox.network.servers import Server, serve
from tests.sandbox.network.web import Scene, Site


class OpenGuest(Protocol):
    """Makes a guest that may reach what is listed."""

    def __call__(self, *allow_net: str, **options: Any) -> Guest: ...


@pytest.fixture
async def open_guest() -> AsyncGenerator[OpenGuest]:
    async with AsyncExitStack() as stack:

        def make(*allow_net: str, **options: Any) -> Guest:
            guest = Guest(list(allow_net), **options)
            stack.push_async_callback(guest.broker.close)
            return guest

        yield make


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def tls(authority: trustme.CA) -> ssl.SSLContext:
    """For servers called localhost, 127.0.0.1 and api.test."""
    return certified(authority, "localhost", "127.0.0.1", "api.test")


def certified(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    """What a server with a certificate for these names needs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with authority.issue_cert(*names).private_key_and_cert_chain_pem.tempfile() as path:
        context.load_cert_chain(path)
    return context


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the host trust that authority, as a user would."""
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))


@pytest.fixture(scope="session")
async def shared_scene(prepared: snapshots.PreparedStart) -> AsyncGenerator[Scene]:
    site = Site()
    async with serve(site) as server, Sandbox(allow_net=[server.place]) as box:
        yield Scene(box, server, site)


@pytest.fixture
async def scene(shared_scene: Scene) -> AsyncGenerator[Scene]:
    """A sandbox and a site that it may reach."""
    yield shared_scene
    await clean(shared_scene.box, "bash")


@pytest.fixture(scope="session")
async def site() -> AsyncGenerator[Server]:
    """A server with pages for guests."""
    async with serve(Pages()) as server:
        yield server


@pytest.fixture(scope="session")
async def surfer(site: Server, prepared: snapshots.PreparedStart) -> AsyncGenerator[Sandbox]:
    """A sandbox that may reach that server, whose address it has as `site`."""
    async with Sandbox(allow_net=[site.place, "127.0.0.1:1", "nowhere.invalid:80"]) as box:
        await box.run(f"site = {site.url('')!r}; port = {site.port}", check=True)
        yield box
