"""The process and the event loop that opened a sandbox; it works in no other."""

import asyncio
import os
from types import TracebackType

import anyio

from cloche.errors import SandboxUnavailable


class OwnerCheck:
    """Refuses other processes and event loops at once: what they would wait for never comes."""

    def __init__(self) -> None:
        self._process: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def forked(self) -> bool:
        """Whether this is a child of the process that opened the sandbox."""
        return self._process not in (None, os.getpid())

    def check(self) -> None:
        """Belong to whoever comes first; raises for all others."""
        self.check_process()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise SandboxUnavailable(
                "Cloche runs on asyncio, not on trio: use cloche.SyncSandbox in a thread (trio.to_thread.run_sync)"
            ) from None
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise SandboxUnavailable(
                "this sandbox was opened in another event loop: use it there, open another here, or use "
                "cloche.SyncSandbox, which works from any thread"
            )

    def check_process(self) -> None:
        """The same for a caller that is not async."""
        if self._process is None:
            self._process = os.getpid()
        elif self.forked:
            raise SandboxUnavailable(
                f"this sandbox was opened by process {self._process}, of which this one is a fork: open another here, "
                "or start processes with multiprocessing's `spawn`"
            )


class CallTurn:
    """Held while a call runs, so that calls take turns; only its owner can have it."""

    def __init__(self, owner: OwnerCheck) -> None:
        self._owner = owner
        self._free = anyio.Semaphore(1)

    async def __aenter__(self) -> None:
        self._owner.check()
        await self._free.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._free.release()
