"""Frames of Socket.IO that no client would send."""

import anyio
import httpx2
import pytest
import websockets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloche.limits import SERVER_MESSAGE_LIMIT
from tests.server.conftest import OWNER, RunningServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

MALFORMED = [
    "",
    "9",
    "4",
    "49",
    "42",
    "42[",
    "42{}",
    "42[]",
    "42[1]",
    '42["oh_user_action"',
    '42["oh_user_action",]',
    '42["nothing",{}]',
    '42["connect",{}]',
    '42["disconnect"]',
    '420["oh_user_action",{"action":"run"}]',
    '42999999999999999999999["oh_user_action",{}]',
    '451-["oh_user_action",{"_placeholder":true,"num":0}]',
    '459999999999-["oh_user_action"]',
    "45-1-[]",
    "40/other,",
    "43",
    "44",
    "5",
    "6",
    "1",
    "4\u0000",
    "42" + "[" * 50_000,
]


def address(server: RunningServer) -> str:
    return f"{server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket"


async def send(server: RunningServer, *frames: str | bytes) -> None:
    """Connect, log in, and send these; the server may close the connection at any of them."""
    headers = {"authorization": f"Bearer {OWNER}"}
    try:
        async with websockets.connect(address(server), additional_headers=headers, proxy=None) as connection:
            await connection.recv()
            await connection.send("40")
            await connection.recv()
            for frame in frames:
                await connection.send(frame)
            with anyio.move_on_after(0.05):
                await connection.recv()
    except websockets.ConnectionClosed:
        pass


@pytest.mark.slow
async def test_malformed_frames_end_their_own_connection_at_most(
    server: RunningServer, client: httpx2.AsyncClient
) -> None:
    with anyio.fail_after(60):
        for frame in MALFORMED:
            await send(server, frame)
            await send(server, frame.encode())
    assert (await client.get("/api/health")).status_code == 200
    # The library sees the end of a connection on which it stopped reading (after an empty frame) by its next ping only.
    with anyio.fail_after(10):
        while len(server.app.sockets) > 2:
            await anyio.lowlevel.checkpoint()


async def test_a_frame_beyond_the_limit_is_refused(server: RunningServer, client: httpx2.AsyncClient) -> None:
    with anyio.fail_after(30):
        await send(server, '42["oh_user_action","' + "x" * SERVER_MESSAGE_LIMIT + '"]')
    assert (await client.get("/api/health")).status_code == 200


@pytest.mark.slow
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(frames=st.lists(st.one_of(st.text(max_size=50), st.binary(max_size=50)), max_size=5))
async def test_nothing_that_is_sent_ends_the_server(server: RunningServer, frames: list[str | bytes]) -> None:
    await send(server, *frames)
    async with server.client() as client:
        assert (await client.get("/api/health")).status_code == 200
