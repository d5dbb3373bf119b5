"""`python3` as a program of its own, started from bash, and what it costs a sandbox."""

import sys
from functools import partial

import anyio
from anyio import to_thread

import cloche
from benchmarks.groups.commands import time_command
from benchmarks.measure import Row, Scale, Target, clock, in_ms
from benchmarks.processes import find_descendants, pss_mb

PROGRAM = "python3 -c 'print(1)'"
FIRST_MS, SPARE_MS = 350, 60
ONLY_BASH_MB = 130
"""What a sandbox may have in which Python's cells are used too."""

SETTLE = 1.0
"""Seconds after which the next spare is ready, and what has ended is gone."""


async def rows(scale: Scale) -> list[Row]:
    """The first program of a sandbox, those after it, and memory without and with them."""
    first: list[float] = []
    without: list[float] = []
    beside: list[float] = []
    for _ in range(scale.cold):
        before = find_descendants()
        async with cloche.Sandbox(confinement="require") as box:
            await box.bash("for i in {1..200}; do echo $i; done | sort -n | tail -1", check=True)
            await anyio.sleep(SETTLE)
            without.append(await _measure_memory(before))
            first.append(await _run(box))
            await anyio.sleep(SETTLE)
            beside.append(await _measure_memory(before))
    spare: list[float] = []
    theirs: list[float] = []
    async with cloche.Sandbox(confinement="require") as box:
        await _run(box)
        for _ in range(scale.commands):
            await anyio.sleep(SETTLE)
            spare.append(await _run(box))
            theirs.append(await to_thread.run_sync(time_command, [sys.executable, "-c", "print(1)"]))
    row = partial(Row, unit="ms", peer="`python3` of the machine", theirs=in_ms(theirs))
    return [
        row(name=f"`{PROGRAM}` from bash, the first", ours=in_ms(first), target=Target("median", FIRST_MS)),
        row(name=f"`{PROGRAM}` from bash, later", ours=in_ms(spare), target=Target("median", SPARE_MS)),
        Row(
            name="memory of a sandbox that runs bash only (PSS)",
            unit="MB",
            ours=without,
            peer="the same with an interpreter ready for the next `python3`",
            theirs=beside,
            target=Target("median", ONLY_BASH_MB),
        ),
    ]


async def _run(box: cloche.Sandbox) -> float:
    return await clock(box.bash(PROGRAM, check=True))


async def _measure_memory(before: set[int]) -> float:
    return await to_thread.run_sync(lambda: pss_mb(find_descendants() - before))
