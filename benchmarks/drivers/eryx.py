"""pyeryx: CPython for WASI inside the calling process; its Session keeps state, and has no shell."""

import asyncio
import importlib
import importlib.metadata
from contextlib import suppress
from typing import Any

from benchmarks.drivers.base import Peer, Session

eryx: Any = importlib.import_module("eryx")


class EryxSession(Session):
    def __init__(self, session: Any) -> None:
        self._session: Any = session

    async def value(self, expression: str) -> str:
        result = await asyncio.to_thread(self._session.execute, f"print({expression})")
        return result.stdout_text.strip()

    async def printed(self, code: str) -> int:
        return len((await asyncio.to_thread(self._session.execute, code)).stdout_text)

    async def bash(self, command: str) -> str:
        raise NotImplementedError("it has no shell")

    async def stopped(self, code: str, seconds: float) -> Session:
        self._session.execution_timeout_ms = int(seconds * 1000)
        with suppress(TimeoutError, eryx.EryxError):
            await asyncio.to_thread(self._session.execute, code)
        # After its time is over a session answers nothing any more.
        return await PEER.open()

    async def close(self) -> None:
        self._session = None


class Eryx(Peer):
    async def open(self) -> Session:
        return EryxSession(await asyncio.to_thread(eryx.Session))

    def version(self) -> str:
        return importlib.metadata.version("pyeryx")


PEER = Eryx()
