"""Many starts at once: whether the program that asks for them goes on meanwhile."""

import anyio

import cloche
from benchmarks.loop_latency import measured_lags
from benchmarks.measure import Row, Scale

AT_ONCE = 40
PAUSE = 1.0
"""Seconds in which the machine forgets what was before."""


async def rows(scale: Scale) -> list[Row]:
    count = min(AT_ONCE, scale.sandboxes)
    # The first one also imports what all of them need.
    await _start()
    await anyio.sleep(PAUSE)
    async with measured_lags() as lags, anyio.create_task_group() as tasks:
        for _ in range(count):
            tasks.start_soon(_start)
    return [lags.row(f"loop lag while {count} start")]


async def _start() -> None:
    async with cloche.Sandbox(confinement="require") as box:
        await box.run("1 + 1", check=True)
