"""Time limits of a request, each with its own message."""

import time
from collections.abc import Generator
from contextlib import contextmanager

import anyio

from cloche.sandbox.network.network_limits import NetworkLimits
from cloche.sandbox.network.refusals import Timeout


@contextmanager
def limit_time(seconds: float, what: str) -> Generator[None]:
    """Raise Timeout with this message if the block takes longer."""
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError:
        raise Timeout(f"{what} within {seconds:g} s") from None


class PaceLimit:
    """Checks how fast the other side sends or takes a body; only the time spent waiting for it counts."""

    def __init__(self, limits: NetworkLimits, who: str) -> None:
        self._limits = limits
        self._who = who
        self._waited = 0.0
        self._moved = 0
        self.patient = False
        """Whether long pauses are normal for this body, such as an event stream."""

    @contextmanager
    def waiting(self, what: str) -> Generator[None]:
        """Wraps one step that waits for the other side."""
        began = time.monotonic()
        with limit_time(self._limits.total if self.patient else self._limits.stall, f"{self._who} {what}"):
            yield
        self._waited += time.monotonic() - began

    def moved(self, size: int) -> None:
        """Count bytes; raises Timeout if there were too few in the time window."""
        self._moved += size
        if self._waited < self._limits.slow_window:
            return
        if self._moved < self._limits.slowest * self._waited and not self.patient:
            raise Timeout(
                f"{self._who} is too slow: {self._moved} bytes in {self._waited:.0f} s, "
                f"where at least {self._limits.slowest} a second are expected"
            )
        self._waited = 0.0
        self._moved = 0
