"""What a row of the results is, and the arithmetic behind it."""

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import msgspec

from cloche.cli.bench.figures import in_ms, p95

__all__ = ["FULL", "QUICK", "Row", "Scale", "Target", "Timed", "alternate", "clock", "in_ms", "p95"]

Kind = Literal["ratio", "median", "p95", "tail"]
Timed = Callable[[], Awaitable[float]]


class Target(msgspec.Struct, frozen=True):
    """A bound that was promised: of the ratio to the peer, the median, the 95th percentile, or p95 over median."""

    kind: Kind
    limit: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table."""

    name: str
    unit: str
    ours: Sequence[float]
    peer: str = ""
    theirs: Sequence[float] = ()
    target: Target | None = None
    broken: Sequence[str] = ()
    """What had to hold besides the time, and did not."""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        if not self.theirs or not self.ours:
            return None
        return statistics.median(self.ours) / statistics.median(self.theirs)

    @property
    def met(self) -> bool | None:
        """Whether the target was met; None where there is none."""
        if self.broken:
            return False
        if self.target is None:
            return None
        return bool(self.ours) and self.target.met(self._judged(self.target.kind))

    def _judged(self, kind: Kind) -> float:
        match kind:
            case "ratio" if self.ratio is not None:
                return self.ratio
            case "ratio":
                raise ValueError(f"{self.name}: a ratio needs a peer")
            case "median":
                return statistics.median(self.ours)
            case "p95":
                return p95(self.ours)
            case "tail":
                return p95(self.ours) / statistics.median(self.ours)


class Scale(msgspec.Struct, frozen=True):
    """How often each thing is measured."""

    cold: int
    warm: int
    warm_up: int
    compute: int
    bulk: int
    lines: int
    interrupts: int
    sandboxes: int
    commands: int
    crowd: int
    pool: int
    requests: int
    repository: int


FULL = Scale(
    cold=7, warm=300, warm_up=100, compute=30, bulk=5, lines=10**6, interrupts=5, sandboxes=200, commands=15, crowd=20,
    pool=100, requests=1000, repository=2000,
)  # fmt: skip
QUICK = Scale(
    cold=2, warm=30, warm_up=10, compute=5, bulk=2, lines=10**5, interrupts=1, sandboxes=4, commands=3, crowd=3,
    pool=8, requests=100, repository=200,
)  # fmt: skip


async def clock(act: Awaitable[object]) -> float:
    """Seconds until it is done."""
    start = time.perf_counter()
    await act
    return time.perf_counter() - start


async def alternate(*sides: Timed, count: int, block: int = 1) -> list[list[float]]:
    """Measure each side `count` times, in turns of `block`, so that whatever drifts hits all of them."""
    series: list[list[float]] = [[] for _ in sides]
    while len(series[-1]) < count:
        size = min(block, count - len(series[-1]))
        for side, values in zip(sides, series, strict=True):
            values += [await side() for _ in range(size)]
    return series
