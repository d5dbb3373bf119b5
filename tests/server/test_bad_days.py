"""Clients that do not read, vanish, send too much; a disk that is full; a store that is locked."""

import base64
import os
import resource
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio import to_thread
from anyio.abc import SocketStream

from cloche.events import MessageAction
from cloche.limits import SERVER_BODY_LIMIT
from tests.server.conftest import OWNER, RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

MB = 1_000_000


async def make_session(client: httpx2.AsyncClient) -> str:
    return (await client.post("/api/sessions", json={})).json()["id"]


def command(text: str) -> dict[str, object]:
    return {"action": "run", "args": {"command": text}}


def used_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MB


@asynccontextmanager
async def raw(server: RunningServer, head: str) -> AsyncGenerator[SocketStream]:
    """A connection on which nothing is read but what the test reads."""
    async with await anyio.connect_tcp("127.0.0.1", int(server.url.rpartition(":")[2])) as stream:
        await stream.send(f"{head}\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {OWNER}\r\n".encode())
        yield stream


@pytest.mark.slow
async def test_a_reader_of_events_that_does_not_read_costs_little(
    server: RunningServer, client: httpx2.AsyncClient
) -> None:
    sid = await make_session(client)
    stream = (await server.app.manager.find(sid)).stream
    async with raw(server, f"GET /api/sessions/{sid}/events HTTP/1.1") as connection:
        await connection.send(b"Accept: text/event-stream\r\n\r\n")
        await connection.receive(100)
        before = used_mb()
        for _ in range(200):
            await stream.add_events([MessageAction("x" * 10_000)] * 50, "user")
        grown = used_mb() - before
        assert (await client.get("/api/health")).status_code == 200
    assert grown < 60, "100 MB were written"


@pytest.mark.slow
async def test_a_client_that_does_not_read_is_disconnected_and_the_others_get_everything(
    server: RunningServer, client: httpx2.AsyncClient
) -> None:
    # In place of 30 s.
    server.app.sockets._stall = 0.5  # pyright: ignore[reportPrivateUsage]
    sid = await make_session(client)
    stream = (await server.app.manager.find(sid)).stream
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET /socket.io/?EIO=4&transport=websocket&conversation_id={sid}&client=cloche HTTP/1.1"
    async with raw(server, head) as connection:
        await connection.send(
            b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: " + key.encode() + b"\r\n\r\n"
        )
        seen = b""
        while b'"sid"' not in seen:
            seen += await connection.receive()
        await connection.send(_mask_frame(b"40"))
        with anyio.fail_after(10):
            while len(server.app.sockets) == 0:
                await anyio.lowlevel.checkpoint()
        before = used_mb()
        with anyio.fail_after(30):
            while len(server.app.sockets):
                await stream.add_events([MessageAction("x" * 10_000)] * 50, "user")
        assert used_mb() - before < 100
    assert (await client.get("/api/health")).status_code == 200


async def test_bodies_beyond_the_limit_are_refused_before_they_are_read(
    server: RunningServer, client: httpx2.AsyncClient
) -> None:
    sid = await make_session(client)
    headers = {"content-type": "application/json"}
    answer = await client.post(
        f"/api/sessions/{sid}/actions", content=b'{"a": "' + b"x" * SERVER_BODY_LIMIT + b'"}', headers=headers
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_deep_json_is_refused(client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    deep = b'{"action": "run", "args": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001
    answer = await client.post(
        f"/api/sessions/{sid}/actions", content=deep, headers={"content-type": "application/json"}
    )
    assert answer.status_code in (400, 422)
    assert (await client.get("/api/health")).status_code == 200


async def test_clients_that_vanish_in_the_middle_of_a_request_leave_the_server_as_it_was(
    server: RunningServer, client: httpx2.AsyncClient
) -> None:
    sid = await make_session(client)
    for _ in range(50):
        async with raw(server, f"POST /api/sessions/{sid}/actions HTTP/1.1") as connection:
            await connection.send(b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
    for _ in range(50):
        async with raw(server, f"GET /api/sessions/{sid}/events HTTP/1.1") as connection:
            await connection.send(b"Accept: text/event-stream\r\n\r\n")
    answer = await client.post(f"/api/sessions/{sid}/actions", json=command("echo still here"))
    assert answer.json()["content"] == "still here\n"


@pytest.mark.slow
async def test_a_locked_store_is_told_and_passes(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    await client.post(f"/api/sessions/{sid}/start")

    def lock() -> sqlite3.Connection:
        other = sqlite3.connect(server.config.core.store_folder / "events.db", check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        return other

    other = await to_thread.run_sync(lock)
    try:
        answer = await client.post(f"/api/sessions/{sid}/actions", json=command("true"))
        assert (answer.status_code, answer.json()["code"]) == (503, "store_locked")
    finally:
        await to_thread.run_sync(other.close)
    assert (await client.post(f"/api/sessions/{sid}/actions", json=command("echo back"))).json()["content"] == "back\n"


async def test_a_full_disk_is_told_and_passes(server: RunningServer, client: httpx2.AsyncClient) -> None:
    sid = await make_session(client)
    await client.post(f"/api/sessions/{sid}/start")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (server.config.core.store_folder / "events.db-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        answer = await client.post(f"/api/sessions/{sid}/actions", json=command("true"))
        assert (answer.status_code, answer.json()["code"]) == (507, "store_full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (await client.post(f"/api/sessions/{sid}/actions", json=command("echo back"))).json()["content"] == "back\n"


def _mask_frame(text: bytes) -> bytes:
    """A frame of a client of WebSocket."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
