"""How late an event loop is, compared with an idle one in another process (`python -m benchmarks.loop_latency`)."""

import math
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio
import msgspec
from anyio import to_thread

from benchmarks.measure import Row, Target

EVERY = 0.02
"""Seconds that each sleep should take."""

ABOVE_MS = 50.0
"""Milliseconds that the loop may be later than the sleeping one, which feels the same machine."""


class Lags(msgspec.Struct):
    """Seconds by which sleeps took longer than they should, here and in the other process."""

    ours: list[float]
    theirs: list[float]

    def row(self, name: str) -> Row:
        """The 99th percentile here above that of the other."""
        ours, theirs = (p99(values) * 1000 for values in (self.ours, self.theirs))
        note = f"p99 {ours:.0f} ms, in a sleeping process {theirs:.0f} ms; longest {max(self.ours):.2f} s"
        return Row(name=name, unit="ms", ours=[max(0.0, ours - theirs)], target=Target("median", ABOVE_MS), note=note)


@asynccontextmanager
async def measured_lags() -> AsyncGenerator[Lags]:
    """Measure while the block runs; what is given is filled when it ends."""
    lags = Lags([], [])
    pipe = subprocess.PIPE
    argv = [sys.executable, "-m", "benchmarks.loop_latency"]
    with await to_thread.run_sync(lambda: subprocess.Popen(argv, stdin=pipe, stdout=pipe)) as other:
        assert other.stdout is not None
        try:
            await to_thread.run_sync(other.stdout.readline)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_note, lags.ours)
                yield lags
                tasks.cancel_scope.cancel()
            said, _ = await to_thread.run_sync(other.communicate)
            lags.theirs += msgspec.json.decode(said, type=list[float])
        finally:
            other.kill()


def p99(values: Sequence[float]) -> float:
    """What 99 % are no later than."""
    return sorted(values)[math.ceil(len(values) * 0.99) - 1]


async def _note(lags: list[float]) -> None:
    while True:
        start = time.monotonic()
        await anyio.sleep(EVERY)
        lags.append(time.monotonic() - start - EVERY)


async def _sleep_until_told() -> None:
    lags: list[float] = []
    print(flush=True)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_note, lags)
        await to_thread.run_sync(sys.stdin.read)
        tasks.cancel_scope.cancel()
    print(msgspec.json.encode(lags).decode())


if __name__ == "__main__":
    anyio.run(_sleep_until_told)
