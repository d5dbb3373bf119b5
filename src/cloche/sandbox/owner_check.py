"""Checks that a sandbox is used only by the process and the event loop that opened it."""

import asyncio
import os

from cloche.errors import SandboxUnavailable


class OwnerCheck:
    """Refuses other processes and event loops at once; they would wait forever."""

    def __init__(self) -> None:
        self._process: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def forked(self) -> bool:
        """Whether this is a child of the process that opened the sandbox."""
        return self._process not in (None, os.getpid())

    def check(self) -> None:
        """Remember the first process and event loop; raise in any other."""
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
        """Like `check`, without an event loop."""
        if self._process is None:
            self._process = os.getpid()
        elif self.forked:
            raise SandboxUnavailable(
                f"this sandbox was opened by process {self._process}, of which this one is a fork: open another here, "
                "or start processes with multiprocessing's `spawn`"
            )
