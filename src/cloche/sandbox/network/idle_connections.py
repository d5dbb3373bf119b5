"""Idle connections, kept for the next request to the same origin."""

import time

from cloche.limits import NET_IDLE, NET_IDLE_TIMEOUT
from cloche.sandbox.network.connection import Connection

Origin = tuple[str, str, int]


class IdleConnections:
    """Keeps a few open connections; the oldest is closed first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Origin, Connection]] = []
        self._closed = False

    async def take(self, origin: Origin) -> Connection | None:
        """The latest connection that still works."""
        await self._drop_old()
        while True:
            at = next((at for at in reversed(range(len(self._waiting))) if self._waiting[at][0] == origin), None)
            if at is None:
                return None
            _, connection = self._waiting.pop(at)
            if not connection.stale:
                return connection
            await connection.close()

    async def give(self, origin: Origin, connection: Connection, keep_alive: bool) -> None:
        """Keep a connection after its exchange, if it can be used again."""
        if self._closed or not connection.recycle(keep_alive):
            await connection.close()
            return
        self._waiting.append((origin, connection))
        while len(self._waiting) > NET_IDLE:
            await self._waiting.pop(0)[1].close()

    async def close(self) -> None:
        self._closed = True
        while self._waiting:
            await self._waiting.pop()[1].close()

    async def _drop_old(self) -> None:
        latest = time.monotonic() - NET_IDLE_TIMEOUT
        while self._waiting and self._waiting[0][1].idle_since < latest:
            await self._waiting.pop(0)[1].close()
