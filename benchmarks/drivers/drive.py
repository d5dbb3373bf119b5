"""Measures one peer on request: `python -m benchmarks.drivers.drive NAME`, one line of JSON in, one out."""

import asyncio
import importlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.drivers.base import Peer, Session

LOOP = "while True: pass"
Answer = dict[str, Any]


class Driver:
    """Keeps one session for repeated calls, and a crowd to be weighed."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._crowd: list[Session] = []
        self._one: Session | None = None

    async def act(self, request: dict[str, Any]) -> Answer:
        """Do what is asked for; failures of the peer are answers too."""
        acts: dict[str, Callable[..., Awaitable[Answer]]] = {
            "version": self._version,
            "cold": self._cold,
            "repeat": self._repeat,
            "timeout": self._timeout,
            "crowd": self._open_crowd,
            "release": self._release,
        }
        name = request.pop("act")
        try:
            return await acts[name](**request)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises, the others go on
            return {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}

    async def _version(self) -> Answer:
        return {"version": self._peer.version()}

    async def _cold(self) -> Answer:
        start = time.perf_counter()
        session = await self._peer.open()
        try:
            _check(await session.value("1+1"), "2")
            passed = time.perf_counter() - start
        finally:
            await session.close()
        return {"seconds": passed}

    async def _repeat(self, kind: str, code: str, count: int, expect: str, budget: float) -> Answer:
        """The same call again and again: `count` times, or fewer when the budget of seconds is used up."""
        if self._one is None:
            self._one = await self._peer.open()
        act = getattr(self._one, kind)
        seconds: list[float] = []
        while len(seconds) < count and sum(seconds) < budget:
            start = time.perf_counter()
            answer = await act(code)
            seconds.append(time.perf_counter() - start)
            _check(str(answer).strip(), expect)
        return {"seconds": seconds}

    async def _timeout(self, limit: float) -> Answer:
        session = await self._peer.open()
        try:
            await session.printed("kept = 41")
            start = time.perf_counter()
            session = await session.stopped(LOOP, limit)
            _check(await session.value("1+1"), "2")
            passed = time.perf_counter() - start
            kept = await _safely(session, "kept") == "41"
        finally:
            await session.close()
        return {"seconds": passed, "kept": kept}

    async def _open_crowd(self, count: int, cells: int, command: str | None) -> Answer:
        """Open many at once, run a cell in each, and keep them."""
        start = time.perf_counter()
        async with asyncio.TaskGroup() as tasks:
            begun = [tasks.create_task(self._begin()) for _ in range(count)]
        passed = time.perf_counter() - start
        self._crowd += [task.result() for task in begun]
        for session in self._crowd:
            for _ in range(cells):
                await session.value("1+1")
            if command is not None:
                await session.bash(command)
        return {"seconds": passed}

    async def _begin(self) -> Session:
        session = await self._peer.open()
        _check(await session.value("1+1"), "2")
        return session

    async def _release(self) -> Answer:
        sessions, self._crowd = [*self._crowd, self._one], []
        self._one = None
        for session in sessions:
            if session is not None:
                await session.close()
        return {}


async def _safely(session: Session, expression: str) -> str | None:
    try:
        return await session.value(expression)
    except Exception:  # noqa: BLE001 - each peer says in its own way that a name is gone
        return None


def _check(value: str | None, expected: str) -> None:
    if value != expected:
        raise RuntimeError(f"gave {value!r} instead of {expected!r}")


async def serve(driver: Driver) -> None:
    """Answer each line until the input ends."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        answer = await driver.act(json.loads(line))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    await driver.act({"act": "release"})


if __name__ == "__main__":
    asyncio.run(serve(Driver(importlib.import_module(f"benchmarks.drivers.{sys.argv[1]}").PEER)))
