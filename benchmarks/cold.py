"""From nothing to the first result."""

import statistics
import time

import cloche
from benchmarks.measure import Row, Scale, Target, alternate, in_ms
from benchmarks.peers import StockFiles, ipykernel, stock_files

CODE = "1+1"


async def rows(scale: Scale) -> list[Row]:
    """Each starts anew every time; what can be cached on disk is."""
    ready: list[float] = []
    await _ours(ready)
    await _kernel()
    ready.clear()
    with stock_files() as files:
        ours, kernel, stock = await alternate(lambda: _ours(ready), _kernel, lambda: _stock(files), count=scale.cold)
    mine = in_ms(ours)
    parts = f"ready after {statistics.median(ready) * 1000:.0f} ms of it"
    return [
        Row(
            name="cold start to the first cell",
            unit="ms",
            ours=mine,
            peer="stock Pyodide",
            theirs=in_ms(stock),
            target=Target("ratio", 0.15),
            note=parts,
        ),
        Row(
            name="cold start to the first cell",
            unit="ms",
            ours=mine,
            peer="ipykernel",
            theirs=in_ms(kernel),
            target=Target("ratio", 0.55),
            note=parts,
        ),
    ]


async def _ours(ready: list[float]) -> float:
    start = time.perf_counter()
    async with cloche.Sandbox(confinement="require") as box:
        ready.append(time.perf_counter() - start)
        result = await box.run(CODE)
        passed = time.perf_counter() - start
    _check(result.value)
    return passed


async def _kernel() -> float:
    start = time.perf_counter()
    async with ipykernel() as kernel:
        value = await kernel.run(CODE)
        passed = time.perf_counter() - start
    _check(value)
    return passed


async def _stock(files: StockFiles) -> float:
    start = time.perf_counter()
    with files.start() as stock:
        value = await stock.run(CODE)
        passed = time.perf_counter() - start
    _check(value)
    return passed


def _check(value: str | None) -> None:
    if value != "2":
        raise RuntimeError(f"{CODE} gave {value!r}")
