"""Checks regularly how much memory and processor time a process and its descendants use."""

import asyncio
import time
from collections.abc import Callable

from cloche.sandbox.process.priority import Priority
from cloche.sandbox.process.process_family import find_family, read_processor_time, read_resident

WATCH_EVERY = 0.25
"""Seconds between two checks."""

FAMILY_EVERY = 20
"""Checks after which the descendants are listed again; a sandbox has no way to start any."""


class Watchdog:
    """Watches from `start` to `stop`; calls `end` with the reason if the process uses too much memory."""

    def __init__(self, memory_bytes: int, end: Callable[[str], None], looked: Callable[[], None]) -> None:
        self._memory_bytes = memory_bytes
        self._allowances: dict[str, int] = {}
        self._end = end
        self._looked = looked
        self._pid = 0
        self._looks = 0
        self._members: list[int] = []
        self._next: asyncio.TimerHandle | None = None
        self._stopped = False
        self._priority = Priority()
        self.memory = 0
        """Resident bytes at the last check, 0 if unknown."""

    def start(self, pid: int) -> None:
        self._pid = pid
        self._look_later(0)

    def stop(self) -> None:
        self._stopped = True
        # Its process ids may soon belong to other processes.
        self._priority = Priority()
        if self._next is not None:
            self._next.cancel()

    def allow(self, language: str, memory_bytes: int) -> None:
        """Allow the process this much more memory, for one of its languages."""
        self._allowances[language] = memory_bytes

    def expedite(self) -> None:
        """Give the process normal priority: somebody waits for its next result."""
        self._priority.restore()

    def processor_time(self) -> float:
        """Seconds of processor time that they all have used."""
        return sum(read_processor_time(each) for each in self._members)

    def _look_later(self, seconds: float = WATCH_EVERY) -> None:
        if not self._stopped:
            self._next = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        self.memory = self._measure()
        allowed = self._memory_bytes + sum(self._allowances.values())
        if self.memory > allowed:
            self._end(f"it used {self.memory >> 20} MB of memory, more than the {allowed >> 20} MB it may")
        self._priority.look(self._members, self.processor_time(), time.monotonic())
        self._looked()
        self._look_later()

    def _measure(self) -> int:
        """Resident bytes of the process and its descendants.

        Not in a thread: reading /proc does not block, and a thread that loses the processor while it holds the GIL
        delays the event loop.
        """
        if self._looks % FAMILY_EVERY == 0:
            self._members = find_family(self._pid)
        self._looks += 1
        return sum(read_resident(each) for each in self._members)
