"""A server that is killed while many sessions work, and started again."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio import to_thread

from cloche.cli.bench.figures import PROC, process_family

ROUNDS = int(os.environ.get("CLOCHE_KILLS", "2"))
"""How often the server is killed."""
SESSIONS = 20
TOKEN = "a-token-of-ours"
HEADERS = {"authorization": f"Bearer {TOKEN}"}

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(90 + 60 * ROUNDS)]


@contextmanager
def serving(data: Path) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """A server in a process of its own, when it has printed its address."""
    env = {**os.environ, "CLOCHE_DATA": str(data), "CLOCHE_TOKEN": TOKEN, "CLOCHE_SANDBOX__PLUGINS": "[]"}
    env |= {"CLOCHE_SERVER__MAX_SESSIONS_PER_USER": "50", "CLOCHE_SERVER__MAX_RUNNING": "50"}
    command = [sys.executable, "-m", "cloche", "serve", "--port", "0", "--no-browser", "--config", os.devnull]
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline().decode()
            yield line.split()[-1], process
        finally:
            process.kill()


class Worker:
    """What the users of the sessions have done, and what they were told."""

    def __init__(self) -> None:
        self.told: dict[str, list[int]] = {}
        """The ids of events that the server has acknowledged, by session."""

    async def work(self, url: str, sid: str) -> None:
        """Run one action after the other until the server is gone."""
        number = 0
        with anyio.CancelScope():
            async with httpx2.AsyncClient(base_url=url, headers=HEADERS, timeout=30) as api:
                while True:
                    number += 1
                    waits = number % 3 > 0
                    text = f"echo {number} >> log; sleep 0.0{number % 7}"
                    try:
                        answer = await api.post(
                            f"/api/sessions/{sid}/actions",
                            params={"wait": waits},
                            json={"action": "run", "args": {"command": text}},
                        )
                    except httpx2.TransportError:
                        return
                    if answer.status_code in (200, 202):
                        self.told.setdefault(sid, []).append(answer.json()["id"])


async def list_events(api: httpx2.AsyncClient, sid: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        page = (await api.get(f"/api/sessions/{sid}/events", params={"start": len(found), "limit": 1000})).json()
        found += page["events"]
        if not page["has_more"]:
            return found


def check_events(events: list[dict[str, Any]], told: list[int]) -> None:
    """What was acknowledged is there, and each action has its one observation."""
    assert [event["id"] for event in events] == list(range(len(events)))
    assert set(told) <= {event["id"] for event in events}
    actions = [event["id"] for event in events if event.get("action") == "run"]
    answered = [event["cause"] for event in events if event.get("observation") in ("run", "error") and "cause" in event]
    assert sorted(answered) == actions


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 15
    while left := [pid for pid in pids if (PROC / str(pid)).exists() and not is_dead(pid)]:
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.05)


def is_dead(pid: int) -> bool:
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def test_nothing_that_was_acknowledged_is_lost_and_nothing_is_left_behind(tmp_path: Path) -> None:
    worker = Worker()
    sids: list[str] = []
    family: list[int] = []
    for round_number in range(ROUNDS):
        with serving(tmp_path) as (url, process):
            async with httpx2.AsyncClient(base_url=url, headers=HEADERS, timeout=60) as api:
                if not sids:
                    sids = [(await api.post("/api/sessions", json={})).json()["id"] for _ in range(SESSIONS)]
                for sid in sids:
                    check_events(await list_events(api, sid), worker.told.get(sid, []))
            async with anyio.create_task_group() as tasks:
                for sid in sids:
                    tasks.start_soon(worker.work, url, sid)
                await anyio.sleep(3 + 0.37 * (round_number % 10))
                family = (await to_thread.run_sync(process_family, process.pid))[1:]
                process.send_signal(signal.SIGKILL)
            process.wait()
            await to_thread.run_sync(wait_until_gone, family)
    with serving(tmp_path) as (url, _):
        async with httpx2.AsyncClient(base_url=url, headers=HEADERS, timeout=60) as api:
            listed = (await api.get("/api/sessions")).json()["sessions"]
            assert {each["id"] for each in listed} == set(sids)
            for sid in sids:
                check_events(await list_events(api, sid), worker.told.get(sid, []))
    assert sum(map(len, worker.told.values())) > 10 * ROUNDS
    kept = [each async for each in anyio.Path(tmp_path / "workspaces").iterdir()]
    assert len(kept) <= SESSIONS + 4
