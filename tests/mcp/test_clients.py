"""Clients that went without a word, and places that are wanted by others."""

import logging
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import httpx2
import pytest
import uvicorn
from anyio import to_thread
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from cloche.config import AppConfig, SandboxConfig
from cloche.errors import SandboxUnavailable
from cloche.events import CmdRunAction, Event, new_event
from cloche.limits import MCP_CONNECTIONS
from cloche.logs import RecordFilter
from cloche.mcp.app import create_app
from cloche.mcp.client_session import GAVE_WAY, GONE, ClientSession
from cloche.mcp.client_sessions import ClientSessions
from cloche.mcp.clients import HttpClient
from cloche.mcp.serving import ListenAddress, open_socket
from cloche.mcp.session_key import SessionKey
from cloche.sandbox.results.result import Result

pytestmark = pytest.mark.timeout(120)
PATIENCE = 60
KILLED_CLIENT = str(Path(__file__).with_name("killed_client.py"))
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def serving(sessions: ClientSessions) -> AsyncGenerator[str]:
    """A server over these sessions; gives its address."""
    app = create_app(find_user=None, sessions=sessions)
    with open_socket(ListenAddress("127.0.0.1", 0)) as listening:
        web = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(web.serve, [listening])
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            finally:
                web.should_exit = True


async def until(reached: Callable[[], bool]) -> None:
    """Wait for something that has no event."""
    with anyio.fail_after(PATIENCE):
        while not reached():  # noqa: ASYNC110 - no event
            await anyio.sleep(0.05)


class Hand:
    """A client that makes its requests one by one, and keeps nothing open by default."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self.http = http
        self.url = url
        self.headers: dict[str, str] = {}

    async def ask(self, method: str, **params: object) -> httpx2.Response:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self.http.post(self.url, headers={**ACCEPT, **self.headers}, json=message)

    async def open(self) -> httpx2.Response:
        answer = await self.ask("initialize", **HELLO)
        self.headers = {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        return answer

    async def run(self, code: str, **more: str) -> str:
        return (await self.ask("tools/call", name="run_python", arguments={"code": code, **more})).text


def vanish(url: str, session: str, code: str = "print('begun')") -> list[str]:
    return [sys.executable, KILLED_CLIENT, url, code, session]


async def begun(victim: subprocess.Popen[str]) -> None:
    assert victim.stdout is not None
    assert await to_thread.run_sync(victim.stdout.readline) == "begun\n"


@asynccontextmanager
async def hand(url: str) -> AsyncGenerator[Hand]:
    async with httpx2.AsyncClient(timeout=PATIENCE) as http:
        client = Hand(http, url)
        await client.open()
        yield client


@pytest.mark.parametrize("code", ["print('begun')", "print('begun')\nwhile True: pass"])
@pytest.mark.slow
async def test_the_place_of_a_client_that_is_killed_comes_back(prepared: object, code: str) -> None:
    sessions = ClientSessions(AppConfig(), gone_after=0.5)
    async with serving(sessions) as url, hand(url) as alive:
        with anyio.fail_after(PATIENCE):
            assert "42" in await alive.run("x = 6; 7 * x")
            async with alive.http.stream("GET", url, headers={**ACCEPT, **alive.headers}):
                argv = [sys.executable, KILLED_CLIENT, url, code]
                with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as victim:
                    assert victim.stdout is not None
                    assert await to_thread.run_sync(victim.stdout.readline) == "begun\n"
                    assert sessions.count == 2
                    victim.kill()
                await until(lambda: sessions.count == 1)
                # Who is there, and merely thinks, keeps what it has.
                assert "42" in await alive.run("7 * x")


@pytest.mark.parametrize("code", ["print('begun')", "print('begun')\nwhile True: pass"])
@pytest.mark.slow
async def test_a_named_sandbox_is_closed_when_all_its_clients_were_killed(prepared: object, code: str) -> None:
    sessions = ClientSessions(AppConfig(), gone_after=0.5)
    async with serving(sessions) as url, hand(url) as other:
        with anyio.fail_after(PATIENCE):
            assert "42" in await other.run("x = 6; 7 * x", session="kept")
            with subprocess.Popen(vanish(url, "kept"), stdout=subprocess.PIPE, text=True) as second:
                await begun(second)
                with subprocess.Popen(vanish(url, "lost", code), stdout=subprocess.PIPE, text=True) as victim:
                    await begun(victim)
                    assert sessions.count == 2
                    victim.kill()
                second.kill()
            await until(lambda: sessions.count == 1)
            # One of its two clients is there.
            assert "42" in await other.run("7 * x", session="kept")
            assert GONE in await other.run("1", session="lost")


async def share_and_go(client: Hand, sessions: ClientSessions) -> None:
    """Use the shared sandbox and one of its own, and go without a word; waits until that was noticed."""
    assert "42" in await client.run("7 * x", session="shared")
    await client.run("1")
    assert sessions.count == 2
    async with client.http.stream("GET", client.url, headers={**ACCEPT, **client.headers}):
        pass
    await until(lambda: sessions.count < 2)
    # A few more looks around.
    await anyio.sleep(0.4)


@pytest.mark.slow
async def test_a_named_sandbox_stays_if_one_of_its_clients_has_left_properly(prepared: object) -> None:
    sessions = ClientSessions(AppConfig(), gone_after=0.2)
    async with serving(sessions) as url, hand(url) as first, hand(url) as second, hand(url) as later:
        with anyio.fail_after(PATIENCE):
            await first.run("x = 6", session="shared")
            assert (await first.http.delete(url, headers={**ACCEPT, **first.headers})).status_code == 200
            await share_and_go(second, sessions)
            assert "42" in await later.run("7 * x", session="shared")


@pytest.mark.slow
async def test_a_named_sandbox_stays_if_somebody_without_a_connection_has_used_it(prepared: object) -> None:
    sessions = ClientSessions(AppConfig(), gone_after=0.2)
    async with serving(sessions) as url, hand(url) as second, hand(url) as later:
        with anyio.fail_after(PATIENCE):
            async with Client(streamable_http_client(url), mode="2026-07-28") as first:
                await first.call_tool("run_python", {"code": "x = 6", "session": "shared"})
            await share_and_go(second, sessions)
            assert "42" in await later.run("7 * x", session="shared")


async def test_a_client_is_known_to_use_only_what_it_was_given_and_is_open(prepared: object) -> None:
    one, two = (SessionKey("named", "", name) for name in ("one", "two"))
    sessions = ClientSessions(AppConfig(), places=1, recent=PATIENCE)
    async with serving(sessions) as url, hand(url) as client:
        with anyio.fail_after(PATIENCE):
            await client.run("1", session="one")
            assert "open already" in await client.run("1", session="two")
            assert [sessions.clients.is_used(owner) for owner in (one, two)] == [True, False]
            await sessions.end(one)
            assert not sessions.clients.is_used(one)


@pytest.mark.slow
async def test_an_owner_who_comes_back_after_all_gets_a_notice(prepared: object) -> None:
    sessions = ClientSessions(AppConfig(), gone_after=0.3)
    async with serving(sessions) as url, hand(url) as client:
        with anyio.fail_after(PATIENCE):
            await client.run("x = 1")
            async with client.http.stream("GET", url, headers={**ACCEPT, **client.headers}):
                assert sessions.count == 1
            await until(lambda: sessions.count == 0)
            assert GONE in await client.run("1")
            # It works without a stream, and nothing of it is broken.
            assert GONE not in await client.run("1")


@pytest.mark.slow
async def test_a_client_without_a_stream_is_not_taken_for_gone(prepared: object) -> None:
    sessions = ClientSessions(AppConfig(), gone_after=0.1)
    async with serving(sessions) as url, hand(url) as quiet, hand(url) as gone:
        with anyio.fail_after(PATIENCE):
            await quiet.run("x = 1")
            await gone.run("x = 2")
            async with gone.http.stream("GET", url, headers={**ACCEPT, **gone.headers}):
                pass
            await until(lambda: sessions.count == 1)
            assert "42" in await quiet.run("41 + x")


async def test_connections_that_nobody_uses_give_way_to_new_ones() -> None:
    async with serving(ClientSessions(AppConfig())) as url, hand(url) as first, hand(url) as open_one:
        with anyio.fail_after(PATIENCE):
            stream = open_one.http.stream("GET", url, headers={**ACCEPT, **open_one.headers})
            async with stream, httpx2.AsyncClient(timeout=PATIENCE) as http:
                for _ in range(MCP_CONNECTIONS):
                    assert (await Hand(http, url).open()).status_code == 200
                assert (await first.ask("tools/list")).status_code == 404
                assert (await open_one.ask("tools/list")).status_code == 200


async def use(sessions: ClientSessions, owner: SessionKey) -> str:
    """Run something in the sandbox of an owner; returns the notice they get."""
    session = await sessions.find(owner)
    async with session.box() as box:
        await box.run("1")
    return session.take_notice()


@pytest.mark.slow
async def test_the_longest_unused_sandbox_gives_way_before_anybody_is_refused(prepared: object) -> None:
    ann, bob, cid = (SessionKey("named", "", name) for name in ("ann", "bob", "cid"))
    with anyio.fail_after(PATIENCE):
        async with ClientSessions(AppConfig(), places=2, recent=0) as sessions:
            await use(sessions, ann)
            await use(sessions, bob)
            await use(sessions, ann)
            assert await use(sessions, cid) == ""
            assert await use(sessions, ann) == ""
            assert await use(sessions, bob) == GAVE_WAY
            assert sessions.count == 2


@pytest.mark.slow
async def test_who_is_used_does_not_give_way(prepared: object) -> None:
    ann, bob, cid = (SessionKey("named", "", name) for name in ("ann", "bob", "cid"))
    with anyio.fail_after(PATIENCE):
        async with ClientSessions(AppConfig(), places=2, recent=0) as sessions:
            async with (await sessions.find(ann)).box(), (await sessions.find(bob)).box():
                with pytest.raises(SandboxUnavailable, match="2 sandboxes are open already"):
                    await sessions.find(cid)
            assert await use(sessions, cid) == ""


async def test_an_action_that_nobody_asks_for_any_more_is_stopped(prepared: object) -> None:
    event = new_event(CmdRunAction("touch begun; sleep 60", blocking=True), "agent", timeout=60)
    with anyio.fail_after(30):
        async with ClientSessions(AppConfig(), gone_after=0.3) as sessions:
            session = await sessions.find(SessionKey("named", "", "ann"))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(session.execute, event)
                async with session.box() as box:
                    while not await box.files():  # noqa: ASYNC110 - no event
                        await anyio.sleep(0.05)
                tasks.cancel_scope.cancel()
            await until(lambda: session.idle > 0)


@pytest.mark.slow
async def test_an_action_that_nobody_asks_for_any_more_leaves_the_code_of_others_alone(prepared: object) -> None:
    event = new_event(CmdRunAction("echo late"), "agent", timeout=60)
    results: list[Result] = []

    async def run(session: ClientSession) -> None:
        code = "import time\nfor _ in range(40): time.sleep(0.1)"
        results.append(await session.run("python", code, stdin=None, seconds=60, on_text=ignore))

    async def ignore(_: str, __: str) -> None: ...

    with anyio.fail_after(PATIENCE):
        async with ClientSessions(AppConfig(), gone_after=0.3) as sessions, anyio.create_task_group() as others:
            session = await sessions.find(SessionKey("named", "", "ann"))
            await use(sessions, SessionKey("named", "", "ann"))
            others.start_soon(run, session)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(session.execute, event)
                await anyio.wait_all_tasks_blocked()
                tasks.cancel_scope.cancel()
    assert [(result.ok, result.error) for result in results] == [(True, None)]


async def test_an_action_that_has_just_come_does_not_give_way(prepared: object) -> None:
    ann, bob = (SessionKey("named", "", name) for name in ("ann", "bob"))
    event = new_event(CmdRunAction("echo hi"), "agent", timeout=60)
    answers: list[Event] = []
    with anyio.fail_after(PATIENCE):
        async with ClientSessions(AppConfig(), places=1, recent=0) as sessions:
            session = await sessions.find(ann)

            async def execute() -> None:
                answers.append(await session.execute(event))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(execute)
                # It has taken the event, and not begun with it.
                await anyio.lowlevel.checkpoint()
                with pytest.raises(SandboxUnavailable, match="open already"):
                    await sessions.find(bob)
    assert "hi" in str(answers[0].body)


@pytest.mark.slow
async def test_a_user_who_has_many_gives_way_before_one_who_has_few(prepared: object) -> None:
    few, *many = (
        SessionKey("named", user, name) for user, name in (("ann", "a"), ("bob", "b"), ("bob", "c"), ("bob", "d"))
    )
    with anyio.fail_after(PATIENCE):
        async with ClientSessions(AppConfig(), places=3, recent=0) as sessions:
            for owner in (few, *many):
                await use(sessions, owner)
            assert await use(sessions, few) == ""


class Hearing(logging.Handler):
    """Does something while the sandbox of an owner is being closed."""

    def __init__(self, owner: SessionKey, act: Callable[[], object]) -> None:
        super().__init__(logging.INFO)
        self.addFilter(RecordFilter())
        self._owner = owner
        self._act = act

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "session", None) == self._owner.name:
            self._act()


@contextmanager
def while_closing(owner: SessionKey, act: Callable[[], object]) -> Generator[None]:
    log = logging.getLogger("cloche.mcp.client_sessions")
    level, handler = log.level, Hearing(owner, act)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def break_off(client: HttpClient) -> None:
    with client.request() as answering:
        answering.received({"type": "http.disconnect"})


@pytest.mark.slow
async def test_who_comes_back_while_another_is_closed_keeps_what_it_had(prepared: object) -> None:
    ann, bob = (SessionKey("connection", "", name) for name in ("ann", "bob"))
    with anyio.fail_after(PATIENCE), ExitStack() as requests:
        async with ClientSessions(AppConfig(), gone_after=0.3) as sessions:
            for owner in (ann, bob):
                sessions.clients.add(owner, {})
                await use(sessions, owner)
            found = [client for client in map(sessions.clients.find, (ann, bob)) if client is not None]
            with while_closing(ann, lambda: requests.enter_context(found[1].request())):
                for client in found:
                    break_off(client)
                await until(lambda: sessions.count == 1 and found[1].is_connected)
                # Two more looks around.
                await anyio.sleep(0.4)
                assert await use(sessions, bob) == ""


async def test_a_session_that_is_begun_while_another_is_closed_is_not_closed_for_the_one_before(
    prepared: object,
) -> None:
    ann, bob, cid = (SessionKey("named", "", name) for name in ("ann", "bob", "cid"))
    config = AppConfig(sandbox=SandboxConfig(close_delay=0.5))
    begun: list[ClientSession] = []
    closed = anyio.Event()
    with anyio.fail_after(PATIENCE):
        async with ClientSessions(config) as sessions, anyio.create_task_group() as tasks:

            async def begin_anew() -> None:
                await sessions.end(bob)
                begun.append(await sessions.find(bob))

            with while_closing(ann, lambda: tasks.start_soon(begin_anew)), while_closing(cid, closed.set):
                await use(sessions, ann)
                await sessions.find(bob)
                await sessions.find(cid)
                await closed.wait()
                assert [await sessions.find(bob)] == begun
