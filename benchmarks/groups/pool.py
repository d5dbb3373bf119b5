"""Hand-outs of a pool: how soon, how often, how evenly."""

import time

import anyio

import cloche
from benchmarks.measure import Row, Scale, Target, in_ms

SIZE = 4
PACE = 3.0
"""Hand-outs a second that the refill has to keep up with."""

IDLE = 5.0
"""Seconds in which nothing is asked of the pool."""

SAMPLES = 20
REFILLS = 12


async def rows(scale: Scale) -> list[Row]:
    async with cloche.Pool(SIZE, confinement="require") as pool:
        await _first(pool)
        found = [await _rested(pool, min(scale.pool, SAMPLES)), await _idle(pool, min(scale.pool, 5))]
        await pool.ready()
        found += [*await _row_of(pool, scale.pool), await _refill(pool, min(scale.pool, REFILLS))]
    return found


async def _first(pool: cloche.Pool) -> float:
    """Seconds from asking to the first value."""
    start = time.perf_counter()
    async with pool.sandbox() as box:
        result = await box.run("1+1")
        passed = time.perf_counter() - start
    if result.value != "2":
        raise RuntimeError(f"1+1 gave {result.value!r}")
    return passed


async def _rested(pool: cloche.Pool, count: int) -> Row:
    seconds: list[float] = []
    for _ in range(count):
        await pool.ready()
        # Spares rehearse when they are new.
        await anyio.sleep(1)
        seconds.append(await _first(pool))
    note = f"pool of {SIZE}, one a second"
    return Row(
        name="pool: hand-out to first value", unit="ms", ours=in_ms(seconds), target=Target("median", 5), note=note
    )


async def _idle(pool: cloche.Pool, count: int) -> Row:
    seconds: list[float] = []
    for _ in range(count):
        await pool.ready()
        await anyio.sleep(IDLE)
        seconds.append(await _first(pool))
    return Row(
        name="pool: the same after idle", unit="ms", ours=in_ms(seconds), target=Target("p95", 15), note=f"{IDLE:g} s"
    )


async def _row_of(pool: cloche.Pool, count: int) -> list[Row]:
    seconds: list[float] = []
    waited, begin = pool.stats.waited, time.perf_counter()
    for number in range(count):
        await anyio.sleep(max(0.0, begin + number / PACE - time.perf_counter()))
        seconds.append(await _first(pool))
    name, note = f"pool: {count} hand-outs in a row", f"{PACE:g} a second"
    late = pool.stats.waited - waited
    return [
        Row(name=f"{name}: waited for a start", unit="", ours=[late], target=Target("p95", 0), note=note),
        Row(name=f"{name}: to first value", unit="ms", ours=in_ms(seconds), note=note),
    ]


async def _refill(pool: cloche.Pool, count: int) -> Row:
    """How many a second are started when they are taken as soon as they are there."""
    for _ in range(SIZE):
        await _first(pool)
    start = time.perf_counter()
    for _ in range(count):
        await _first(pool)
    rate = count / (time.perf_counter() - start)
    return Row(name="pool: refill", unit="/s", ours=[rate], target=Target("median", 3, at_least=True))
