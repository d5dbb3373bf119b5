"""How soon code that does not end is stopped, and what is kept."""

import time

import anyio
import msgspec

import cloche
from benchmarks.measure import Row, Scale, Target, in_ms

AFTER = 0.5
"""Seconds that the code runs before it is stopped."""

STUBBORN = "sum(range(10**11))"
PATIENCE = 5.0
"""Seconds for which the caller leaves `input()` without an answer."""


class Case(msgspec.Struct, frozen=True):
    """Code that does not end by itself."""

    name: str
    code: str
    language: str = "python"
    asks: bool = False
    """Whether it waits for an answer: such time is the caller's, so it is stopped by `interrupt()`."""


CASES = (
    Case("a loop", "while True: pass"),
    Case("`time.sleep`", "import time; time.sleep(60)"),
    Case("`asyncio.sleep`", "import asyncio; await asyncio.sleep(60)"),
    Case("`input()`", "input('?')", asks=True),
    Case("a bash loop", "while true; do :; done", language="bash"),
    Case("a regex", "import re; re.match('(a+)+$', 'a' * 60 + 'b')"),
)


async def rows(scale: Scale) -> list[Row]:
    """Soft interrupts, and the one that costs the worker."""
    return [*[await _soft(case, scale) for case in CASES], await _hard(scale)]


async def _soft(case: Case, scale: Scale) -> Row:
    late: list[float] = []
    broken: set[str] = set()
    async with cloche.Sandbox(confinement="require") as box:
        await _set(box)
        for _ in range(scale.interrupts):
            passed, result = await (_interrupted(box, case) if case.asks else _timed_out(box, case))
            late.append(passed)
            broken |= _faults(result, case)
            broken |= await _lost(box)
    return Row(
        name=f"interrupt of {case.name}",
        unit="ms",
        ours=in_ms(late),
        target=Target("p95", 100),
        broken=sorted(broken),
        note=f"after `interrupt()` at {AFTER} s" if case.asks else f"after the timeout of {AFTER} s",
    )


async def _hard(scale: Scale) -> Row:
    late: list[float] = []
    broken: set[str] = set()
    case = Case("a C loop", STUBBORN)
    async with cloche.Sandbox(confinement="require") as box:
        for _ in range(scale.interrupts):
            await _set(box)
            start = time.perf_counter()
            result = await box.run(case.code, timeout=AFTER)
            if (await box.run("1+1")).value != "2":
                broken.add("the next call failed")
            late.append(time.perf_counter() - start - AFTER)
            if result.state != "lost":
                broken.add("the loss of state was not reported")
            broken |= await _lost(box, variables=False)
    return Row(
        name=f"{case.name} replaced, next call done",
        unit="ms",
        ours=in_ms(late),
        target=Target("p95", 1000),
        broken=sorted(broken),
        note="state reported lost, shell and files kept",
    )


async def _timed_out(box: cloche.Sandbox, case: Case) -> tuple[float, cloche.Result]:
    start = time.perf_counter()
    result = await box.run(case.code, language=case.language, timeout=AFTER)
    return time.perf_counter() - start - AFTER, result


async def _interrupted(box: cloche.Sandbox, case: Case) -> tuple[float, cloche.Result]:
    sent: list[float] = []
    got: list[cloche.Result] = []

    async def stop() -> None:
        await anyio.sleep(AFTER)
        sent.append(time.perf_counter())
        await box.interrupt()

    async def never(_: str) -> None:
        await anyio.sleep(PATIENCE)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        got.append(await box.run(case.code, on_input=never))
    return time.perf_counter() - sent[0], got[0]


async def _set(box: cloche.Sandbox) -> None:
    await box.run("kept = 41", check=True)
    await box.bash("kept=42; echo 43 > kept.txt", check=True)


def _faults(result: cloche.Result, case: Case) -> set[str]:
    faults: set[str] = set()
    if result.state != "kept":
        faults.add("state was lost")
    if not case.asks and not result.timed_out:
        faults.add("not reported as timed out")
    return faults


async def _lost(box: cloche.Sandbox, *, variables: bool = True) -> set[str]:
    """Names what is not as `_set` left it."""
    lost: set[str] = set()
    if variables and (await box.run("kept")).value != "41":
        lost.add("a variable was lost")
    if (await box.bash("echo $kept; cat kept.txt")).stdout.split() != ["42", "43"]:
        lost.add("a shell variable or file was lost")
    return lost
