"""Statistics of a pool."""

import statistics
import time
from collections import deque

import msgspec

KEPT = 1000
"""How many hand-outs' waits are remembered."""


class PoolStats(msgspec.Struct, frozen=True):
    """The state of a pool, and what it has done so far."""

    spare: int
    """Sandboxes that could be handed out now."""
    busy: int
    starting: int
    closing: int
    waiting: int
    """Callers that are waiting now."""
    templates: int
    handed_out: int
    waited: int
    """Hand-outs that had to wait for a start or a place."""
    failed: int
    """Starts that failed."""
    discarded: int
    """Spares that were dropped because they had died, hung or become too old."""
    refill_rate: float
    """Sandboxes started per second, while any are starting."""
    median_wait: float
    """Seconds, over the last hand-outs."""

    def __str__(self) -> str:
        return (
            f"{self.spare} spare, {self.busy} in use, {self.starting} starting, {self.waiting} waiting; "
            f"{self.handed_out} handed out, {self.failed} failed to start"
        )


class PoolCounts:
    """The numbers behind the statistics."""

    def __init__(self) -> None:
        self.handed_out = 0
        self.waited = 0
        self.failed = 0
        self.discarded = 0
        self._started = 0
        self._waits: deque[float] = deque(maxlen=KEPT)
        self._starting = 0
        self._since = 0.0
        self._seconds = 0.0

    def hand_out(self, seconds: float, *, waited: bool) -> None:
        self.handed_out += 1
        self.waited += waited
        self._waits.append(seconds)

    def begin_start(self) -> None:
        if self._starting == 0:
            self._since = time.monotonic()
        self._starting += 1

    def end_start(self, *, well: bool) -> None:
        self._starting -= 1
        self._started += well
        if self._starting == 0:
            self._seconds += time.monotonic() - self._since

    @property
    def refill_rate(self) -> float:
        running = time.monotonic() - self._since if self._starting else 0.0
        seconds = self._seconds + running
        return self._started / seconds if seconds else 0.0

    @property
    def median_wait(self) -> float:
        return statistics.median(self._waits) if self._waits else 0.0
