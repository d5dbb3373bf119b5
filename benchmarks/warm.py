"""Calls on a sandbox that runs already."""

from functools import partial

import cloche
from benchmarks.measure import Row, Scale, Target, alternate, clock, in_ms
from benchmarks.peers import Kernel, Stock, ipykernel, stock_files

CELL = "1+1"
SUM = "sum(range(10**6))"
ECHO = "echo hi"
BLOCK = 100
"""Calls in a row on one side, so that neither is measured as it wakes up only."""

SUM_WARM_UP = 10


async def rows(scale: Scale) -> list[Row]:
    """The same code on both sides, in turns."""
    async with cloche.Sandbox(confinement="require") as box, ipykernel() as kernel:
        found = await _cells(box, kernel, scale)
    async with cloche.Sandbox(confinement="require") as box:
        with stock_files() as files, files.start() as stock:
            found.append(await _sums(box, stock, scale))
        found.append(await _echoes(box, scale))
    return found


async def _cells(box: cloche.Sandbox, kernel: Kernel, scale: Scale) -> list[Row]:
    mine, theirs = partial(_cell, box, CELL), lambda: clock(kernel.run(CELL))
    early, _ = await alternate(mine, theirs, count=scale.warm_up, block=BLOCK)
    ours, peer = await alternate(mine, theirs, count=scale.warm, block=BLOCK)
    name, ms = f"warm `{CELL}`", in_ms(ours)
    note = f"after {scale.warm_up} calls"
    return [
        Row(
            name=name,
            unit="ms",
            ours=ms,
            peer="ipykernel",
            theirs=in_ms(peer),
            target=Target("ratio", 0.3),
            note=note,
        ),
        Row(name=f"{name}: p95 over median", unit="ms", ours=ms, target=Target("tail", 1.6), note=note),
        Row(name=f"{name}: the first {scale.warm_up}", unit="ms", ours=in_ms(early)),
    ]


async def _sums(box: cloche.Sandbox, stock: Stock, scale: Scale) -> Row:
    mine, theirs = partial(_cell, box, SUM), lambda: clock(stock.run(SUM))
    await alternate(mine, theirs, count=SUM_WARM_UP)
    ours, peer = await alternate(mine, theirs, count=scale.compute)
    return Row(
        name=f"`{SUM}`",
        unit="ms",
        ours=in_ms(ours),
        peer="stock Pyodide",
        theirs=in_ms(peer),
        target=Target("ratio", 1.1),
        note=f"after {SUM_WARM_UP} calls",
    )


async def _echoes(box: cloche.Sandbox, scale: Scale) -> Row:
    mine = partial(_cell, box, ECHO, "bash")
    await alternate(mine, count=scale.warm_up)
    (ours,) = await alternate(mine, count=scale.warm)
    note = f"after {scale.warm_up} calls"
    return Row(name=f"bash `{ECHO}`", unit="ms", ours=in_ms(ours), target=Target("median", 1.0), note=note)


async def _cell(box: cloche.Sandbox, code: str, language: str = "python") -> float:
    return await clock(box.run(code, language=language, check=True))
