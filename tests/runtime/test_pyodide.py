"""The default runtime keeps the contract, here and at a remote server."""

from collections.abc import AsyncGenerator, Generator
from uuid import uuid4

import pytest

from cloche.config import AppConfig, MCPConfig, NamedServer, SandboxConfig, Secret
from cloche.errors import ConfigError, RuntimeUnavailable
from cloche.events import CmdRunAction, ErrorObservation, FileReadObservation
from cloche.runtime import Runtime, RuntimeStatus
from cloche.runtime.contract import RuntimeContract, a
from cloche.runtime.pyodide import PyodideRuntime
from tests.mcp.peers import Peer, http_server


class TestEmbedded(RuntimeContract):
    """A sandbox in this process."""

    @pytest.fixture
    async def runtime(self, prepared: object) -> AsyncGenerator[Runtime]:
        async with PyodideRuntime() as runtime:
            yield runtime


@pytest.fixture(scope="module")
def remote(prepared: object) -> Generator[Peer]:
    """A server that executes actions."""
    with http_server() as peer:
        yield peer


def at(peer: Peer, **changes: str) -> AppConfig:
    """The configuration of a runtime at this server."""
    server = {"url": peer.url, "api_key": peer.token} | changes
    named = NamedServer(url=server["url"], api_key=Secret(server["api_key"]))
    return AppConfig(mcp=MCPConfig(servers={"pyodide": named}))


class TestRemote(RuntimeContract):
    """A sandbox behind `cloche mcp --http`."""

    @pytest.fixture
    async def runtime(self, remote: Peer) -> AsyncGenerator[Runtime]:
        async with PyodideRuntime(at(remote), sid=uuid4().hex, user_id="ada") as runtime:
            yield runtime


async def test_two_sessions_have_two_remote_sandboxes(remote: Peer) -> None:
    async with PyodideRuntime(at(remote), sid="one") as one, PyodideRuntime(at(remote), sid="two") as two:
        await one.run("echo 1 > only-here")
        assert await two.list_files() == []
        assert await one.list_files() == ["only-here"]


async def test_a_session_that_is_closed_leaves_no_sandbox_behind(remote: Peer) -> None:
    async with PyodideRuntime(at(remote), sid="closed") as first:
        await first.run("echo 1 > gone")
    async with PyodideRuntime(at(remote), sid="closed") as second:
        assert await second.list_files() == []


async def test_a_sandbox_that_is_gone_is_told_and_the_next_action_has_a_fresh_one(remote: Peer) -> None:
    heard: list[RuntimeStatus] = []
    async with PyodideRuntime(
        at(remote), sid="gone", status_callback=lambda _, status, __: heard.append(status)
    ) as one:
        await one.run("echo 1 > here")
        # As after a restart of the server, or when nobody used it for long.
        async with PyodideRuntime(at(remote), sid="gone"):
            pass
        told = a(ErrorObservation, await one.run("ls"))
        assert "NOT executed" in told.content
        assert RuntimeStatus.ERROR_RUNTIME_DISCONNECTED in heard
        assert await one.list_files() == []


async def test_an_action_that_is_sent_again_after_a_drop_is_done_once(remote: Peer) -> None:
    action = CmdRunAction("echo line >> once.txt")
    async with PyodideRuntime(at(remote), sid="dropped") as first:
        await first.perform(action, timeout=10, key="k")
        # As after a drop: another connection, the same session and key.
        second = PyodideRuntime(at(remote), sid="dropped")
        await second.connect()
        await second.perform(action, timeout=10, key="k")
        assert a(FileReadObservation, await first.read("once.txt")).content == "line\n"
        await second.close()


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"api_key": "wrong"}, "api_key_env, of [mcp.pyodide]"), ({"url": "/nowhere"}, "url of [mcp.pyodide]")],
)
async def test_a_server_that_refuses_is_an_error_that_names_the_key(
    remote: Peer, changes: dict[str, str], said: str
) -> None:
    url = {"url": remote.url.removesuffix("/mcp") + changes["url"]} if "url" in changes else changes
    with pytest.raises(RuntimeUnavailable) as raised:
        await PyodideRuntime(at(remote, **url)).connect()
    assert said in str(raised.value)
    assert "wrong" not in str(raised.value)


async def test_a_way_of_speaking_that_is_not_offered_is_an_error_that_says_what_to_write() -> None:
    config = AppConfig(mcp=MCPConfig(servers={"pyodide": NamedServer(url="http://127.0.0.1:1/mcp", mode="sse")}))
    with pytest.raises(ConfigError, match='mode = "shttp"'):
        await PyodideRuntime(config).connect()


async def test_a_server_that_is_not_there_is_tried_again_then_told() -> None:
    servers = {"pyodide": NamedServer(url="http://127.0.0.1:9/mcp")}
    config = AppConfig(mcp=MCPConfig(servers=servers), sandbox=SandboxConfig(connect_timeout=0.5))
    with pytest.raises(RuntimeUnavailable, match="could not be reached"):
        await PyodideRuntime(config).connect()
