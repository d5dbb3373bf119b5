"""The server over HTTP: who may use it, and which sandbox they get."""

import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
import uvicorn
from anyio import to_thread
from mcp import Client
from starlette.applications import Starlette
from starlette.routing import Mount

from cloche.config import AppConfig, SandboxConfig
from cloche.limits import MCP_MESSAGE_LIMIT, MCP_SESSIONS
from cloche.mcp.app import create_app, tokens
from cloche.mcp.serving import ListenAddress, open_socket
from tests.mcp.peers import MODES, PROGRAM, Peer, environment, http_client, http_server

pytestmark = pytest.mark.timeout(120)
PATIENCE = 60
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux are processes listed in /proc")


async def value(client: Client, code: str, **more: str) -> str | None:
    """What a cell gives."""
    with anyio.fail_after(PATIENCE):
        result = await client.call_tool("run_python", {"code": code, **more})
    assert result.structured_content is not None
    return result.structured_content.get("value")


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic YTpi"}])
async def test_without_the_token_nothing_is_served(server: Peer, headers: dict[str, str]) -> None:
    async with httpx2.AsyncClient(headers=headers) as http:
        refused = await http.post(server.url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1"}, 200),
        ({"Host": "localhost:80"}, 200),
        ({"Origin": "http://127.0.0.1:5000"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
async def test_a_page_of_another_name_is_refused(server: Peer, headers: dict[str, str], status: int) -> None:
    sent = {"Authorization": f"Bearer {server.token}", "Accept": "application/json, text/event-stream", **headers}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    async with httpx2.AsyncClient(headers=sent) as http:
        answer = await http.post(server.url, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    assert answer.status_code == status


@pytest.mark.slow
async def test_a_message_that_is_too_large_is_refused(server: Peer) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {server.token}"}, timeout=30) as http:
        refused = await http.post(server.url, content=b" " * (MCP_MESSAGE_LIMIT + 1))
    assert refused.status_code == 413


def test_a_token_is_made_when_none_is_given_on_this_machine() -> None:
    with http_server(token=None) as peer:
        assert len(peer.token) >= 32


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--http", "0.0.0.0:0"], "--token"),
        (["--http", "8000"], "HOST:PORT"),
        (["--http", "127.0.0.1:0", "--token", " "], "--token"),
        (["--http", "192.0.2.1:80", "--token", "t"], "cannot be listened on"),
        (["--mount", "here:there"], "is no mount"),
    ],
)
def test_wrong_options_are_usage_errors_that_say_what_to_give(options: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "mcp", *options],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
async def test_two_connections_have_two_sandboxes(server: Peer) -> None:
    async with http_client(server, mode="legacy") as one, http_client(server, mode="legacy") as two:
        assert await value(one, "x = 1; x") == "1"
        assert await value(two, "'x' in globals()") == "False"
        assert await value(one, "x") == "1"


@pytest.mark.slow
async def test_without_connections_the_session_that_is_named_is_used(server: Peer) -> None:
    async with http_client(server, mode=MODES[0]) as client:
        assert await value(client, "x = 1; x", session="one") == "1"
        assert await value(client, "'x' in globals()", session="two") == "False"
    async with http_client(server, mode=MODES[0]) as later:
        assert await value(later, "x", session="one") == "1"
        await later.call_tool("reset", {"session": "one"})
        await later.call_tool("reset", {"session": "two"})


@pytest.mark.slow
async def test_users_named_by_a_client_are_kept_apart(server: Peer) -> None:
    async with http_client(server, mode=MODES[0], user_id="ada", session_id="s") as ada:
        await value(ada, "x = 1")
        async with http_client(server, mode=MODES[0], user_id="bob", session_id="s") as bob:
            assert await value(bob, "'x' in globals()") == "False"
            await bob.call_tool("reset", {})
        await ada.call_tool("reset", {})


@pytest.mark.slow
async def test_the_name_of_anothers_connection_opens_nothing(server: Peer) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {server.token}"}, timeout=30) as http:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        accept = {"Accept": "application/json, text/event-stream"}
        opened = await http.post(
            server.url, headers=accept, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        )
        connection = {"mcp-session-id": opened.headers["mcp-session-id"]}
        call = {"name": "run_python", "arguments": {"code": "mine = 1"}}
        await http.post(
            server.url,
            headers={**accept, **connection},
            json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        )
        async with http_client(server, mode=MODES[0], **connection, user_id="mallory") as other:
            assert await value(other, "'mine' in globals()") == "False"
            await other.call_tool("reset", {})
        await http.delete(server.url, headers=connection)


@ON_LINUX
@pytest.mark.slow
async def test_a_client_that_leaves_leaves_no_sandbox_behind(prepared: object) -> None:
    with http_server() as peer:
        async with http_client(peer, mode="legacy") as client:
            await value(client, "1")
            assert sandboxes(peer.process.pid)
        await no_sandboxes(peer)


@pytest.mark.slow
async def test_a_server_that_is_stopped_answers_what_runs(prepared: object) -> None:
    begun = anyio.Event()
    said: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    with http_server() as peer:
        async with http_client(peer, mode=MODES[0]) as client, anyio.create_task_group() as tasks:

            async def run() -> None:
                code = {"code": "print('begun')\nwhile True: pass", "timeout": 100}
                said.append(str((await client.call_tool("run_python", code, progress_callback=hear)).content))

            with anyio.fail_after(PATIENCE):
                tasks.start_soon(run)
                await begun.wait()
                peer.process.terminate()
                await to_thread.run_sync(peer.process.wait, 20)
        assert peer.process.returncode == -signal.SIGTERM
        assert peer.process.stderr is not None
        assert "Traceback" not in peer.process.stderr.read()
    assert "The session was ended" in said[0]


async def no_sandboxes(peer: Peer) -> None:
    """Wait until the server has closed all."""
    with anyio.fail_after(PATIENCE):
        while sandboxes(peer.process.pid):  # noqa: ASYNC110 - there is no event
            await anyio.sleep(0.1)


def sandboxes(pid: int) -> list[str]:
    """The sandboxes of a process that still run; what cleans up after it stays as long as it does."""
    started = [child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    commands = {child: Path(f"/proc/{child}/cmdline") for child in started}
    return [child for child, command in commands.items() if command.exists() and b"deno" in command.read_bytes()]


@ON_LINUX
@pytest.mark.slow
async def test_a_sandbox_that_nobody_uses_is_closed(prepared: object) -> None:
    with http_server(CLOCHE_SANDBOX__CLOSE_DELAY="2") as peer:
        async with http_client(peer, mode=MODES[0]) as client:
            await value(client, "x = 1")
            with anyio.fail_after(PATIENCE):
                event: dict[str, object] = {"action": "null"}
                first = await client.call_tool("execute_action", {"event": event})
                await no_sandboxes(peer)
                second = await client.call_tool("execute_action", {"event": event})
            assert first.structured_content is not None
            assert second.structured_content is not None
            assert first.structured_content["cloche"] != second.structured_content["cloche"]
            told = await client.call_tool("run_python", {"code": "'x' in globals()"})
            assert told.structured_content is not None
            assert (told.structured_content["value"], told.structured_content["state"]) == ("False", "lost")
            assert "this is a new, empty one" in str(told.content)
            assert told.structured_content["notice"] in str(told.content)
            again = await client.call_tool("run_python", {"code": "1"})
            assert again.structured_content is not None
            assert again.structured_content["state"] == "kept"


async def test_names_without_a_sandbox_take_nobodys_place(server: Peer) -> None:
    async with http_client(server, mode=MODES[0]) as client:
        with anyio.fail_after(PATIENCE):
            for number in range(MCP_SESSIONS + 1):
                asked = await client.call_tool("interrupt", {"session": f"empty-{number}"})
                assert not asked.is_error, asked.content


async def test_a_model_learns_what_it_may_do(server: Peer) -> None:
    async with http_client(server, mode="legacy") as client:
        assert "Network: none" in str(client.instructions)
        assert "120 seconds" in str(client.instructions)


@asynccontextmanager
async def mounted(users: dict[str, str]) -> AsyncGenerator[str]:
    """The application inside another one; gives its address."""
    inner = create_app(
        AppConfig(sandbox=SandboxConfig(confinement="auto")), find_user=tokens(users), with_aliases=False
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with inner.router.lifespan_context(inner):
            yield

    outer = Starlette(routes=[Mount("/tools", inner)], lifespan=lifespan)
    with open_socket(ListenAddress("127.0.0.1", 0)) as listening:
        web = uvicorn.Server(uvicorn.Config(outer, log_level="warning"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(web.serve, [listening])
            # It listens already: a request waits until it serves.
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/tools/mcp"
            web.should_exit = True


@pytest.mark.slow
async def test_it_can_be_mounted_and_users_have_their_own_sandboxes(prepared: object, server: Peer) -> None:
    async with mounted({"t-ada": "ada", "t-bob": "bob"}) as url:
        ada, bob = (Peer(url, token, server.process) for token in ("t-ada", "t-bob"))
        async with http_client(ada, mode=MODES[0]) as hers, http_client(bob, mode=MODES[0]) as his:
            assert await value(hers, "x = 1; x") == "1"
            assert await value(his, "'x' in globals()") == "False"
