"""Actions that are executed elsewhere: whatever the other side does, one observation in time."""

import os
import signal
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream

from cloche.config import AppConfig, MCPConfig, NamedServer
from cloche.errors import RuntimeUnavailable
from cloche.events import Action, CmdOutputObservation, CmdRunAction, ErrorObservation, FileReadAction, Observation
from cloche.runtime.pyodide import PyodideRuntime
from cloche.runtime.remote.forwarder import Forwarder, Transport
from cloche.runtime.remote.mcp_transport import MCPTransport
from tests.mcp.peers import Peer, http_server, until_there

PATIENCE = 60
pytestmark = pytest.mark.timeout(120)
DONE = {"observation": "run", "content": "hi\n", "extras": {"command": "echo hi"}, "cloche": {"runtime": "r1"}}


class Scripted(Transport):
    """Follows a script, one step for each call, then does nothing any more."""

    def __init__(self, *steps: object) -> None:
        self.steps = list(steps)
        self.sent: list[dict[str, Any]] = []
        self.interrupts = 0

    async def open(self) -> None:
        pass

    async def call(self, event: dict[str, Any], on_output: object = None) -> dict[str, Any]:
        self.sent.append(event)
        if not self.steps:
            await anyio.sleep_forever()
        step: Any = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    async def interrupt(self) -> bool:
        self.interrupts += 1
        return True

    async def close(self) -> None:
        pass


async def perform(forwarder: Forwarder, command: str = "echo hi", seconds: float = 0.2) -> Observation:
    with anyio.fail_after(PATIENCE):
        return await forwarder.perform(CmdRunAction(command), timeout=seconds, key="k")


async def test_an_action_is_sent_again_with_the_same_key_after_a_drop() -> None:
    there = Scripted(ConnectionError("cut"), ConnectionError("cut"), DONE)
    answer = await perform(Forwarder(there, "there"))
    assert isinstance(answer, CmdOutputObservation)
    assert [event["cloche"]["key"] for event in there.sent] == ["k", "k", "k"]


async def test_silence_is_an_error_in_time() -> None:
    answer = await perform(Forwarder(Scripted(), "there", grace=0.2))
    assert isinstance(answer, ErrorObservation)
    assert "no answer in 0.4 s" in answer.content


@pytest.mark.parametrize(
    "garbage",
    [
        {},
        {"foo": 1},
        {"observation": 7},
        {"action": "run", "args": {"command": "x"}},
        {"observation": "run", "content": "x"},
        {"observation": "run", "content": "x", "extras": {"metadata": {"exit_code": 0}}},
    ],
)
async def test_garbage_is_an_error_at_once(garbage: dict[str, Any]) -> None:
    forwarder = Forwarder(Scripted(garbage, DONE), "there")
    answer = await perform(forwarder)
    assert isinstance(answer, ErrorObservation)
    assert "could not be read" in answer.content
    assert isinstance(await perform(forwarder), CmdOutputObservation)


async def test_a_side_that_is_lost_for_good_is_an_error_in_time() -> None:
    answer = await perform(Forwarder(Scripted(*[ConnectionError("refused")] * 99), "there", reconnect=0.3), seconds=30)
    assert isinstance(answer, ErrorObservation)
    assert "refused" in answer.content


@pytest.mark.parametrize(("action", "interrupts"), [(CmdRunAction("sleep 9"), 1), (FileReadAction("a"), 0)])
async def test_code_that_is_cancelled_here_is_stopped_there_and_nothing_else_is(
    action: Action, interrupts: int
) -> None:
    there = Scripted()
    with anyio.move_on_after(0.1):
        await Forwarder(there, "there").perform(action, timeout=60, key="k")
    assert there.interrupts == interrupts


async def test_the_sandbox_that_was_given_is_asked_for_again() -> None:
    there = Scripted(DONE, DONE)
    forwarder = Forwarder(there, "there")
    await perform(forwarder)
    await perform(forwarder)
    assert [event["cloche"].get("runtime") for event in there.sent] == [None, "r1"]


@asynccontextmanager
async def proxy(peer: Peer) -> AsyncGenerator[tuple[str, Callable[[], None]]]:
    """An address in front of the server, and a way to cut every connection that goes through it."""
    port = int(peer.url.split(":")[2].split("/")[0])
    scopes: set[anyio.CancelScope] = set()

    async def pump(source: SocketStream, sink: SocketStream, scope: anyio.CancelScope) -> None:
        try:
            async for data in source:
                await sink.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        scope.cancel()

    async def handle(near: SocketStream) -> None:
        async with near, await anyio.connect_tcp("127.0.0.1", port) as far, anyio.create_task_group() as tasks:
            scopes.add(tasks.cancel_scope)
            tasks.start_soon(pump, near, far, tasks.cancel_scope)
            tasks.start_soon(pump, far, near, tasks.cancel_scope)

    def cut() -> None:
        for scope in scopes:
            scope.cancel()
        scopes.clear()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        yield f"http://127.0.0.1:{listener.extra(anyio.abc.SocketAttribute.local_port)}/mcp", cut
        tasks.cancel_scope.cancel()


@pytest.fixture(scope="module")
def server(prepared: object):
    with http_server() as peer:
        yield peer


@asynccontextmanager
async def reached(url: str, peer: Peer, sid: str, **options: float) -> AsyncGenerator[Forwarder]:
    transport = MCPTransport(url, {"session_id": sid, "user_id": ""}, peer.token)
    forwarder = Forwarder(transport, url, **options)
    with anyio.fail_after(PATIENCE):
        await forwarder.start()
    try:
        yield forwarder
    finally:
        await forwarder.close()


@pytest.mark.slow
async def test_a_connection_that_is_cut_mid_action_is_made_again_and_nothing_is_done_twice(server: Peer) -> None:
    async with proxy(server) as (url, cut), reached(url, server, "cut") as forwarder:
        answers: list[Observation] = []

        async def run() -> None:
            answers.append(await perform(forwarder, "echo line >> n.txt; sleep 1; cat n.txt", 30))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                await until_there(server, "cut", "n.txt")
                cut()
        assert answers[0].content == "line\n"


@pytest.mark.slow
async def test_a_server_that_hangs_is_an_error_in_time_and_goes_on_later(server: Peer) -> None:
    async with reached(server.url, server, "hangs", grace=1) as forwarder:
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            answer = await perform(forwarder, seconds=0.5)
        finally:
            os.kill(server.process.pid, signal.SIGCONT)
        assert isinstance(answer, ErrorObservation)
        assert "no answer" in answer.content
        with anyio.fail_after(PATIENCE):
            later = await forwarder.perform(CmdRunAction("echo hi"), timeout=20, key="later")
        assert later.content == "hi\n"


@pytest.mark.slow
async def test_a_server_that_dies_mid_action_is_an_error_in_time(prepared: object) -> None:
    with http_server() as peer:
        async with reached(peer.url, peer, "dies", reconnect=1) as forwarder:
            answers: list[Observation] = []

            async def run() -> None:
                answers.append(await perform(forwarder, "touch begun; sleep 30", 60))

            begun = time.monotonic()
            with anyio.fail_after(PATIENCE):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(run)
                    await until_there(peer, "dies", "begun")
                    peer.process.kill()
            assert isinstance(answers[0], ErrorObservation)
            assert "connection was lost" in answers[0].content
            assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{garbage!",
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p>\n",
        b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"foo": 123}',
    ],
)
async def test_a_place_that_is_no_mcp_server_is_reported(answer: bytes) -> None:
    async def handle(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(answer)
            await stream.send_eof()

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        url = f"http://127.0.0.1:{listener.extra(anyio.abc.SocketAttribute.local_port)}/mcp"
        config = AppConfig(mcp=MCPConfig(servers={"pyodide": NamedServer(url=url)}))
        with anyio.fail_after(PATIENCE), pytest.raises(RuntimeUnavailable, match=r"\[mcp.pyodide\] url"):
            await PyodideRuntime(config).connect()
        tasks.cancel_scope.cancel()
