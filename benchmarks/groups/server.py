"""The server, as a process of its own: its start, its requests, many sessions, many readers."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import socketio

from benchmarks.measure import Row, Scale, Target, clock, in_ms
from benchmarks.peers import PeerFailed
from benchmarks.processes import pss_mb
from cloche.events import EventStream, MessageAction, SQLiteStore, new_event

TOKEN = "bench-token"
THEIR_PYTHON = "CLOCHE_OPENHANDS_PYTHON"
"""An environment variable that names a Python with OpenHands' agent-server."""
HEADERS = {"authorization": f"Bearer {TOKEN}"}
START_MS, IDLE_MB, FIRST_MS, ACTION_MS = 1500.0, 120.0, 60.0, 6.0
SESSIONS, SECONDS, EVERY, LATE_MS = 40, 120.0, 2.0, 250.0
READERS, RATE, READING = 25, 200, 10.0
STORED = 10_000
REPLAY_MS, STREAM_RATE = 1000.0, 20_000.0
PAUSE = 1.0
"""Seconds between sessions from the pool, which makes the next spare meanwhile."""


async def rows(scale: Scale) -> list[Row]:
    short = scale.cold <= 2
    with tempfile.TemporaryDirectory(prefix="bench-server-") as name:
        folder = Path(name)
        starts = [await _start_and_stop(folder / f"start{number}") for number in range(scale.cold)]
        await store_events(folder / "data", STORED)
        async with serving(folder / "data", pool=2) as (url, _):
            firsts = [await _begin_session(url) for _ in range(max(scale.cold, 3))]
            actions = await _act(url, scale.warm)
            theirs = await _act_at_peer(folder / "peer", scale.warm)
            replays = [await _replay(url, STORED) for _ in range(3)]
            streams = [STORED / await _stream(url, STORED) for _ in range(3)]
            wrong = await _read_together(url, 2.0 if short else READING)
        async with serving(folder / "many", pool=2) as (url, _):
            late, failed = await _work_together(url, 4 if short else SESSIONS, 6.0 if short else SECONDS)
    return [
        Row(
            name="`cloche serve` to its first answer",
            unit="ms",
            ours=in_ms([start for start, _ in starts]),
            target=Target("median", START_MS),
        ),
        Row(
            name="server at rest, without sandboxes (PSS)",
            unit="MB",
            ours=[size for _, size in starts],
            target=Target("median", IDLE_MB),
        ),
        Row(
            name="server: new session to its first observation, from a warm pool",
            unit="ms",
            ours=in_ms(firsts),
            target=Target("median", FIRST_MS),
        ),
        Row(
            name="server: `POST actions` with `echo hi`",
            unit="ms",
            ours=in_ms(actions),
            target=Target("median", ACTION_MS),
        ),
        Row(
            name="server: `POST actions` with `echo hi`, beside OpenHands",
            unit="ms",
            ours=in_ms(actions),
            peer="OpenHands' agent-server: execute_bash_command" if theirs else "",
            theirs=in_ms(theirs),
            note="" if theirs else f"not compared: {THEIR_PYTHON} names no Python that has openhands-agent-server",
        ),
        Row(
            name=f"server: {SESSIONS} sessions, a cell every {EVERY:g} s, beyond the code's own time",
            unit="ms",
            ours=in_ms(late),
            target=Target("p95", LATE_MS),
            broken=failed,
        ),
        Row(
            name=f"server: {READERS} readers of {RATE} events/s, events missed or out of order",
            unit="",
            ours=[wrong],
            target=Target("median", 0),
        ),
        Row(
            name=f"server: reconnect and replay of {STORED:,} events over Socket.IO",
            unit="ms",
            ours=in_ms(replays),
            target=Target("median", REPLAY_MS),
        ),
        Row(
            name=f"server: {STORED:,} events as server-sent events",
            unit="/s",
            ours=streams,
            target=Target("median", STREAM_RATE, at_least=True),
        ),
    ]


def _start(command: list[str], env: dict[str, str] | None = None, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    if cwd is not None:
        cwd.mkdir()
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=env, cwd=cwd, stdin=quiet, stdout=quiet, stderr=quiet)


@asynccontextmanager
async def serving(data: Path, *, pool: int, config: str = os.devnull) -> AsyncGenerator[tuple[str, int]]:
    """A server with this many spares, when it answers: its address and its process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, "CLOCHE_DATA": str(data), "CLOCHE_TOKEN": TOKEN, "CLOCHE_SERVER__POOL_SIZE": str(pool)}
    env |= {"CLOCHE_SERVER__REQUESTS_PER_SECOND": "100000", "CLOCHE_SERVER__MAX_SESSIONS_PER_USER": "100"}
    command = [sys.executable, "-m", "cloche", "serve", "--port", str(port), "--no-browser", "--config", config]
    process = _start(command, env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        async with httpx2.AsyncClient(base_url=url) as client:
            await wait_until(lambda: _answers(client), 30)
        yield url, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


async def wait_until(holds: Callable[[], Awaitable[bool]], seconds: float) -> None:
    """Look again and again, every millisecond."""
    with anyio.fail_after(seconds):
        while True:
            if await holds():
                return
            await anyio.sleep(0.001)


async def _say(true: bool) -> bool:
    return true


async def _answers(client: httpx2.AsyncClient, path: str = "/api/health") -> bool:
    try:
        return (await client.get(path)).status_code == 200
    except httpx2.TransportError:
        return False


async def _start_and_stop(data: Path) -> tuple[float, float]:
    """Seconds to the first answer, and the memory of the server then."""
    began = time.perf_counter()
    async with serving(data, pool=0) as (_, pid):
        return time.perf_counter() - began, pss_mb([pid])


def _client(url: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=f"{url}/api", headers=HEADERS, timeout=60)


def _action(command: str) -> dict[str, Any]:
    return {"action": "run", "args": {"command": command}}


async def _begin_session(url: str) -> float:
    await anyio.sleep(PAUSE)
    async with _client(url) as client:

        async def begin() -> None:
            sid = (await client.post("/sessions", json={})).json()["id"]
            (await client.post(f"/sessions/{sid}/actions", json=_action("echo hi"))).raise_for_status()

        return await clock(begin())


async def _act(url: str, count: int) -> list[float]:
    async with _client(url) as client:
        sid = (await client.post("/sessions", json={})).json()["id"]

        async def act() -> None:
            (await client.post(f"/sessions/{sid}/actions", json=_action("echo hi"))).raise_for_status()

        await act()
        return [await clock(act()) for _ in range(count)]


async def _act_at_peer(folder: Path, count: int) -> list[float]:
    """The same command at OpenHands' server, which starts a shell for each."""
    python = os.environ.get(THEIR_PYTHON)
    if not python:
        return []
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [python, "-m", "openhands.agent_server", "--host", "127.0.0.1", "--port", str(port)]
    process = _start(command, cwd=folder)
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            await wait_until(lambda: _answers(client, "/alive"), 60)

            async def act() -> None:
                answer = await client.post("/api/bash/execute_bash_command", json={"command": "echo hi"})
                if answer.json()["stdout"] != "hi\n":
                    raise PeerFailed(answer.text[:200])

            await act()
            return [await clock(act()) for _ in range(count)]
    finally:
        process.kill()
        process.wait()


async def _work_together(url: str, sessions: int, seconds: float) -> tuple[list[float], list[str]]:
    """Each runs a cell that computes a little; the time that is not the cell's, and what failed."""
    late: list[float] = []
    failed: list[str] = []
    code = "import time; t = time.process_time(); sum(range(20000)); print(time.process_time() - t)"

    async def work(number: int) -> None:
        async with _client(url) as client:
            sid = (await client.post("/sessions", json={})).json()["id"]
            (await client.post(f"/sessions/{sid}/start")).raise_for_status()
            started.append(sid)
            await wait_until(lambda: _say(len(started) == sessions), 120)
            end = time.monotonic() + seconds
            await anyio.sleep(EVERY * number / sessions)
            while time.monotonic() < end:
                began = time.perf_counter()
                answer = await client.post(
                    f"/sessions/{sid}/actions", json={"action": "run_ipython", "args": {"code": code}}
                )
                took = time.perf_counter() - began
                try:
                    late.append(took - float(answer.json()["content"].split()[0]))
                except (KeyError, ValueError, IndexError):
                    failed.append(answer.text[:200])
                await anyio.sleep(max(0.0, EVERY - took))

    started: list[str] = []
    async with anyio.create_task_group() as tasks:
        for number in range(sessions):
            tasks.start_soon(work, number)
    return late, failed


async def store_events(data: Path, count: int) -> None:
    """A session with so many events, as another program left it."""
    async with SQLiteStore(data / "events.db") as store:
        stream = EventStream("long", store)
        await stream.add_events([new_event(MessageAction(f"event {number}"), "user") for number in range(count)])


async def _replay(url: str, count: int) -> float:
    began = time.perf_counter()
    async with _listening(url, "long") as (_, seen):
        await wait_until(lambda: _say(len(seen) == count), 30)
        took = time.perf_counter() - began
        assert seen == list(range(count)), "the replay is not whole"
    return took


async def _stream(url: str, count: int) -> float:
    began, size = time.perf_counter(), 0
    async with (
        _client(url) as client,
        client.stream("GET", "/sessions/long/events", headers={"accept": "text/event-stream"}) as answer,
    ):
        async for piece in answer.aiter_raw():
            size += piece.count(b"\n\n")
            if size >= count:
                break
    return time.perf_counter() - began


async def _read_together(url: str, seconds: float) -> float:
    """How many events readers did not get, or not in their order."""
    last = 0
    async with _client(url) as client:
        sid = (await client.post("/sessions", json={})).json()["id"]
        (await client.post(f"/sessions/{sid}/start")).raise_for_status()
        readers: list[list[int]] = []
        async with anyio.create_task_group() as tasks:
            done = anyio.Event()

            async def read() -> None:
                async with _listening(url, sid) as (_, seen):
                    readers.append(seen)
                    await done.wait()

            for _ in range(READERS):
                tasks.start_soon(read)
            await wait_until(lambda: _say(len(readers) == READERS), 30)
            await _send_at_rate(client, sid, seconds)
            last = (await client.get(f"/sessions/{sid}")).json()["events"]
            with suppress(TimeoutError):
                await wait_until(lambda: _say(all(len(seen) >= last for seen in readers)), 10)
            done.set()
    return float(sum(abs(last - len(seen)) + (seen != sorted(set(seen))) for seen in readers))


async def _send_at_rate(client: httpx2.AsyncClient, sid: str, seconds: float) -> None:
    """Actions whose two events make up the rate."""
    began, sent = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        (await client.post(f"/sessions/{sid}/actions", json=_action(":"))).raise_for_status()
        sent += 2
        await anyio.sleep(max(0.0, began + sent / RATE - time.monotonic()))


@asynccontextmanager
async def _listening(url: str, sid: str) -> AsyncGenerator[tuple[socketio.AsyncClient, list[int]]]:
    seen: list[int] = []
    client = socketio.AsyncClient(reconnection=False)

    def take(event: dict[str, Any]) -> None:
        seen.append(event["id"])

    client.on("oh_event", take)
    await client.connect(
        f"{url}?conversation_id={sid}", auth={"token": TOKEN, "client": "cloche"}, transports=["websocket"]
    )
    try:
        yield client, seen
    finally:
        await client.disconnect()
