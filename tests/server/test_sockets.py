"""Socket.IO with the official client for Python."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
import socketio
from anyio.streams.memory import MemoryObjectReceiveStream
from socketio.exceptions import ConnectionError as Refused

from tests.server.conftest import OWNER, RunningServer, StartServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

Events = MemoryObjectReceiveStream[dict[str, Any]]


class Listener:
    """A client, and what it was sent."""

    def __init__(self, client: socketio.AsyncClient, events: Events, output: Events) -> None:
        self.client = client
        self.events = events
        self.output = output

    async def say(self, data: object) -> Any:
        """Send a message; returns the acknowledgement."""
        return await self.client.call("oh_user_action", data, timeout=20)

    async def wait_for(self, **wanted: object) -> dict[str, Any]:
        """The next event that has these values."""
        with anyio.fail_after(20):
            async for event in self.events:
                if wanted.items() <= event.items():
                    return event
        raise AssertionError("the events ended")


@asynccontextmanager
async def connected(
    server: RunningServer, sid: str | None = None, *, token: str | None = OWNER, stock: bool = False, **query: object
) -> AsyncGenerator[Listener]:
    client = socketio.AsyncClient(reconnection=False)
    sending, events = anyio.create_memory_object_stream[dict[str, Any]](100_000)
    speaking, output = anyio.create_memory_object_stream[dict[str, Any]](100_000)
    client.on("oh_event", sending.send_nowait)
    client.on("cloche_output", speaking.send_nowait)
    given = {"conversation_id": sid, **query}
    words = "&".join(f"{name}={value}" for name, value in given.items() if value is not None)
    auth = {"token": token} if stock else {"token": token, "client": "cloche"}
    try:
        await client.connect(f"{server.url}?{words}", auth=auth if token else None, wait_timeout=10)
        yield Listener(client, events, output)
    finally:
        with anyio.CancelScope(shield=True):
            await client.disconnect()
        for each in (sending, events, speaking, output):
            each.close()


async def make_session(client: httpx2.AsyncClient) -> str:
    return (await client.post("/api/sessions", json={})).json()["id"]


def command(text: str) -> dict[str, object]:
    return {"action": "run", "args": {"command": text}}


async def test_a_client_sees_what_it_and_others_do(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    async with connected(server, sid) as one, connected(server, sid) as other:
        stored = await one.say(command("echo hi"))
        for each in (one, other):
            seen = await each.wait_for(observation="run")
            assert (seen["cause"], seen["content"]) == (stored["id"], "hi\n")
        assert (await client.get(f"/api/sessions/{sid}")).json()["clients"] == 2


async def test_output_comes_while_the_action_runs(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    async with connected(server, sid) as listener:
        stored = await listener.say(command("echo first; read -t 30 line; echo second"))
        with anyio.fail_after(20):
            piece = await listener.output.receive()
        assert piece == {"action": stored["id"], "stream": "stdout", "text": "first\n"}
        await client.post(f"/api/sessions/{sid}/interrupt")
        await listener.wait_for(cause=stored["id"])


async def test_a_client_that_comes_back_gets_what_it_missed_and_nothing_twice(
    server: RunningServer, client: httpx2.AsyncClient
) -> None:
    sid = await make_session(client)
    seen: list[int] = []

    async def work() -> None:
        for number in range(60):
            await client.post(f"/api/sessions/{sid}/actions", json=command(f"echo {number}"))
        tasks.cancel_scope.cancel()

    async def listen() -> None:
        while True:
            last = seen[-1] if seen else -1
            async with connected(server, sid, latest_event_id=last) as listener:
                seen.extend([(await listener.events.receive())["id"] for _ in range(7)])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        tasks.start_soon(listen)
    assert seen == list(range(len(seen)))
    assert len(seen) > 60


async def test_a_session_is_begun_over_the_connection(server: RunningServer) -> None:
    async with connected(server) as listener:
        nothing = await listener.say(command("echo too early"))
        assert nothing["code"] == "no_session"
        begun = await listener.say({"action": "initialize", "args": {"runtime": "pyodide", "title": "mine"}})
        async with server.client() as client:
            assert (await client.get(f"/api/sessions/{begun['conversation_id']}")).json()["title"] == "mine"
        await listener.say(command("pwd"))
        assert (await listener.wait_for(observation="run"))["content"] == "/workspace\n"
        wrong = await listener.say({"action": "initialize", "args": {"runtime": 3}})
        assert (wrong["error"], wrong["code"]) == (True, "invalid")


async def test_a_stock_client_gets_what_it_understands(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    async with connected(server, sid, stock=True) as listener:
        assert (await listener.wait_for(status_update=True))["type"] == "info"
        await listener.say({"action": "run_code", "args": {"language": "lua", "code": "print(1)"}})
        await listener.say(command("echo hi"))
        seen = await listener.wait_for(observation="run")
        assert seen["content"] == "hi\n"
        assert "cloche" not in seen
        kinds = [
            event.get("observation") for event in (await client.get(f"/api/sessions/{sid}/events")).json()["events"]
        ]
        assert "run_code" in kinds
        wrong = await listener.say({"action": "run"})
        assert wrong["code"] == "event"
        told = await listener.wait_for(error=True)
        assert told["message"] == wrong["message"]


async def test_an_old_client_of_openhands_logs_in_by_its_own_name_for_the_token(server: RunningServer) -> None:
    async with server.client() as client:
        sid = await make_session(client)
    query = {"session_api_key": OWNER}
    async with connected(server, sid, token=None, stock=True, **query) as listener:
        assert "id" in await listener.say(command("true"))


@pytest.mark.parametrize("token", [None, "wrong", ""])
async def test_nobody_is_admitted_without_a_token(server: RunningServer, token: str | None) -> None:
    async with server.client() as client:
        sid = await make_session(client)
    with pytest.raises(Refused):
        async with connected(server, sid, token=token):
            pass
    assert len(server.app.sockets) == 0


async def test_nobody_follows_the_session_of_another(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    ada = await server.add_user("ada")
    for each in (sid, "nothing"):
        with pytest.raises(Refused):
            async with connected(server, each, token=ada):
                pass


async def test_a_reader_sees_and_does_nothing(server: RunningServer, client: httpx2.AsyncClient) -> None:
    reader = await server.add_user("reader", "read")
    async with connected(server, token=reader) as listener:
        told = await listener.say({"action": "initialize", "args": {}})
        assert told["code"] == "read_only"


@pytest.mark.parametrize("data", [None, 1, "x", [], {"action": 3}, {"action": "run", "args": []}, {"id": 1}])
async def test_garbage_is_answered_and_the_connection_goes_on(
    server: RunningServer, client: httpx2.AsyncClient, data: object
) -> None:
    sid = await make_session(client)
    async with connected(server, sid) as listener:
        told = await listener.say(data)
        assert told["error"] is True
        assert told["id"]
        assert "id" in await listener.say(command("true"))


async def test_clients_that_vanish_leave_nothing_behind(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    port = int(server.url.rpartition(":")[2])
    for _ in range(50):
        stream = await anyio.connect_tcp("127.0.0.1", port)
        await stream.send(
            b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        await stream.aclose()
    async with connected(server, sid) as listener:
        assert "id" in await listener.say(command("true"))
        assert len(server.app.sockets) == 1


async def test_everybody_is_disconnected_when_the_server_ends(start_server: StartServer) -> None:
    async with start_server() as server:
        async with server.client() as client:
            sid = await make_session(client)
        async with connected(server, sid) as listener:
            gone = anyio.Event()
            listener.client.on("disconnect", lambda *_: gone.set())
            await server.app.end()
            with anyio.fail_after(10):
                await gone.wait()
            with pytest.raises(Refused):
                async with connected(server, sid):
                    pass


async def test_why_a_connection_is_refused_is_told_in_words_and_by_a_code(server: RunningServer) -> None:
    client = socketio.AsyncClient(reconnection=False)
    told: list[dict[str, Any]] = []
    client.on("connect_error", told.append)
    with pytest.raises(Refused):
        await client.connect(f"{server.url}?conversation_id=nothing", auth={"token": OWNER}, wait_timeout=10)
    [refusal] = told
    assert refusal["message"] == "there is no session 'nothing'"
    assert refusal["data"]["code"] == "session_unknown"
