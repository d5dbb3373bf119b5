"""The measurements of `cloche bench`: each trial returns a few figures."""

import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import anyio
import msgspec
from anyio import to_thread

from cloche.cli.bench.figures import find_descendants, format_number, in_ms, p95, pss_mb
from cloche.limits import MB
from cloche.options import Confinement
from cloche.sandbox.pool.pool import Pool
from cloche.sandbox.sandbox import Sandbox

LOOP = "while True: pass"
LIMIT = 0.3
"""Seconds after which the endless loop is stopped."""

POOL = 2
REST = 1.0


class Figure(msgspec.Struct, frozen=True):
    """One line of the result: the median of `count` values, and their 95th percentile."""

    name: str
    unit: str
    median: float
    p95: float
    count: int
    note: str = ""

    def texts(self) -> tuple[str, str]:
        """Median and p95 as text."""
        return format_number(self.median, self.unit), format_number(self.p95, self.unit)


class BenchScale(msgspec.Struct, frozen=True):
    """How often each thing is measured."""

    starts: int
    calls: int
    warm_up: int
    file_mb: int
    stops: int
    handouts: int


USUAL = BenchScale(starts=7, calls=300, warm_up=100, file_mb=50, stops=5, handouts=5)
QUICK = BenchScale(starts=1, calls=20, warm_up=5, file_mb=5, stops=1, handouts=2)


class BenchTrials:
    """Runs the trials one after another; each figure is reported as soon as it is known."""

    def __init__(self, scale: BenchScale, confinement: Confinement, tell: Callable[[Figure], None]) -> None:
        self._scale = scale
        self._confinement: Confinement = confinement
        self._tell = tell
        self.figures: list[Figure] = []

    async def run(self) -> None:
        await self._starts()
        async with self._box() as (box, before):
            await self._calls(box, "warm 1+1", "1+1", "python")
            await self._calls(box, "bash echo hi", "echo hi", "bash")
            # Measured when Python and bash are in use, and before large files are.
            await self._weigh(before)
            await self._files(box)
            await self._stops(box)
        await self._handouts()

    async def _weigh(self, before: set[int]) -> None:
        await anyio.sleep(2 * REST)
        weight = pss_mb(await to_thread.run_sync(find_descendants) - before)
        # Only Linux reports it.
        if weight > 0:
            self._add("memory, Python and bash used", "MB", [weight], "proportional set size, at rest")

    def _add(self, name: str, unit: str, values: Sequence[float], note: str = "") -> None:
        worst = p95(values, rate=unit.endswith("/s"))
        figure = Figure(name, unit, statistics.median(values), worst, len(values), note)
        self.figures.append(figure)
        self._tell(figure)

    @asynccontextmanager
    async def _box(self) -> AsyncGenerator[tuple[Sandbox, set[int]]]:
        before = await to_thread.run_sync(find_descendants)
        async with Sandbox(confinement=self._confinement, timeout=60) as box:
            yield box, before

    async def _starts(self) -> None:
        # The first one may have to build the snapshot.
        seconds = [await self._start() for _ in range(self._scale.starts + 1)][1:]
        self._add("cold start to the first value", "ms", in_ms(seconds))

    async def _start(self) -> float:
        start = time.perf_counter()
        async with self._box() as (box, _):
            await box.run("1+1", check=True)
            return time.perf_counter() - start

    async def _calls(self, box: Sandbox, name: str, code: str, language: str) -> None:
        async def call() -> None:
            await box.run(code, language=language, check=True)

        await _time_repeats(call, self._scale.warm_up)
        note = f"after {self._scale.warm_up} calls"
        self._add(name, "ms", in_ms(await _time_repeats(call, self._scale.calls)), note)

    async def _files(self, box: Sandbox) -> None:
        size = self._scale.file_mb
        data = bytes(size * MB)
        writing = await _time_repeats(lambda: box.write("big.bin", data), 3)
        reading = await _time_repeats(lambda: box.read("big.bin"), 3)
        await box.remove("big.bin")
        self._add(f"{size} MB file in", "MB/s", [size / seconds for seconds in writing])
        self._add(f"{size} MB file out", "MB/s", [size / seconds for seconds in reading])

    async def _stops(self, box: Sandbox) -> None:
        await box.run("kept = 41", check=True)

        async def stop() -> None:
            await box.run(LOOP, timeout=LIMIT)

        late = [seconds - LIMIT for seconds in await _time_repeats(stop, self._scale.stops)]
        kept = (await box.run("kept")).value == "41"
        self._add("a loop stopped, after its timeout", "ms", in_ms(late), f"variables {'kept' if kept else 'LOST'}")

    async def _handouts(self) -> None:
        seconds: list[float] = []
        async with Pool(POOL, confinement=self._confinement) as pool:
            for _ in range(self._scale.handouts):
                await pool.ready()
                # Spares run cells for a moment to warm up, as in a pool that is not constantly used.
                await anyio.sleep(REST)
                start = time.perf_counter()
                async with pool.sandbox() as box:
                    await box.run("1+1", check=True)
                    seconds.append(time.perf_counter() - start)
        self._add("pool: hand-out to the first value", "ms", in_ms(seconds), f"{POOL} kept ready")


async def _time_repeats(act: Callable[[], Awaitable[object]], count: int) -> list[float]:
    seconds: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        await act()
        seconds.append(time.perf_counter() - start)
    return seconds
