"""The languages: how long each takes to load, to be stopped, and to compute, and what memory they take."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import anyio
from anyio import to_thread

import cloche
from benchmarks.measure import Row, Scale, Target, in_ms
from benchmarks.processes import find_descendants, pss_mb
from benchmarks.programs import ANSWERS, PROGRAMS, Program, first_cell
from cloche.sandbox.cache.packs import ensure_pack
from cloche.sandbox.languages import languages

LOAD = {
    **dict.fromkeys(("javascript", "lua", "scheme", "sql"), 60.0),
    "typescript": 120.0,
    **dict.fromkeys(("perl", "php"), 250.0),
    "ruby": 500.0,
    "r": 1300.0,
}
"""Milliseconds that a first load may take; a language that is not named has no bound."""

ASIDE = ("ruby", "r")
"""Languages whose second instance has no bound."""

SOFT, HARD = 150.0, 1500.0
AFTER = 0.3
"""Seconds that code runs before it is stopped."""

PAUSE = 0.5
"""Seconds in which a sandbox comes to rest: after the first cell V8 compiles Python's main loop for a fifth of one."""

TOGETHER = 1500.0
"""Megabytes that all languages may take together."""

OTHERS = [name for name, each in languages().items() if not each.core]


async def rows(scale: Scale) -> list[Row]:
    """All that is promised of languages, one after the other."""
    for name in languages():
        if languages()[name].pack:
            await ensure_pack(name)
    found: list[Row] = []
    for name in OTHERS:
        found += await _loads(name, scale)
        if name in PROGRAMS:
            found.append(await _stop(name, scale))
    for name, program in PROGRAMS.items():
        found += await _works(name, program, scale)
    return [*found, await _together(scale)]


async def _loads(name: str, scale: Scale) -> list[Row]:
    first: list[float] = []
    second: list[float] = []
    memory = 0.0
    broken: set[str] = set()
    for _ in range(min(scale.cold, 9)):
        async with cloche.Sandbox(confinement="require") as box:
            await box.run("1", check=True)
            await anyio.sleep(PAUSE)
            first.append(await _timed(box, name, broken))
            memory = next(each.memory for each in await box.languages() if each.name == name) / 1e6
            await anyio.sleep(PAUSE)
            start = time.perf_counter()
            await box.reset(name)
            await _timed(box, name, broken)
            second.append(time.perf_counter() - start)
    bound = Target("median", LOAD[name]) if name in LOAD else None
    again = Target("median", LOAD[name] / 2) if name in LOAD and name not in ASIDE else None
    return [
        Row(
            name=f"{name}: loaded in a running sandbox at rest, first value there",
            unit="ms",
            ours=in_ms(first),
            target=bound,
            broken=sorted(broken),
            note=f"interpreter holds {memory:.0f} MB",
        ),
        Row(
            name=f"{name}: a second one in the same process",
            unit="ms",
            ours=in_ms(second),
            target=again,
            broken=sorted(broken),
        ),
    ]


async def _timed(box: cloche.Sandbox, name: str, broken: set[str]) -> float:
    code, value = first_cell(name)
    start = time.perf_counter()
    result = await box.run(code, language=name)
    passed = time.perf_counter() - start
    if (result.value or result.stdout).find(value) < 0:
        broken.add(f"{code} gave {result.value!r}")
    return passed


async def _stop(name: str, scale: Scale) -> Row:
    """From the end of the patience to the next value."""
    late: list[float] = []
    states: set[str] = set()
    soft = languages()[name].interrupt == "soft"
    async with cloche.Sandbox(confinement="require") as box:
        await box.run(PROGRAMS[name].one, language=name)
        for _ in range(scale.interrupts):
            start = time.perf_counter()
            result = await box.run(PROGRAMS[name].endless, language=name, timeout=AFTER)
            states.add(result.state)
            if not soft:
                await box.run(PROGRAMS[name].one, language=name)
            late.append(time.perf_counter() - start - AFTER)
    wanted = "kept" if soft else "lost"
    return Row(
        name=f"{name}: a loop interrupted" if soft else f"{name}: a loop killed, next value there",
        unit="ms",
        ours=in_ms(late),
        target=Target("p95", SOFT if soft else HARD),
        broken=[f"state {state}" for state in states - {wanted}],
        note=f"state {wanted}",
    )


async def _works(name: str, program: Program, scale: Scale) -> list[Row]:
    found: list[Row] = []
    native = shutil.which(program.native[0]) if program.native else None
    async with cloche.Sandbox(confinement="require", timeout=120) as box:
        for what, code in program.work.items():
            ours = [await _run(box, name, code, ANSWERS[what]) for _ in range(min(scale.cold, 5))]
            theirs: list[float] = []
            if native is not None:
                argv = [native, *program.native[1:], code]
                base = min([await to_thread.run_sync(_native, [*argv[:-1], _nothing(name)]) for _ in range(3)])
                theirs = [await to_thread.run_sync(_native, argv) - base for _ in range(min(scale.cold, 5))]
            floor = [max(each, 0.1) for each in in_ms(theirs)]
            peer = f"native {Path(native).name}" if native else ""
            found.append(Row(name=f"{name}: {what}", unit="ms", ours=in_ms(ours), peer=peer, theirs=floor))
    return found


def _nothing(name: str) -> str:
    return {"php": ";", "r": "invisible(1)"}.get(name, "")


async def _run(box: cloche.Sandbox, name: str, code: str, answer: str) -> float:
    start = time.perf_counter()
    result = await box.run(code, language=name)
    passed = time.perf_counter() - start
    if re.findall(r"\d+", result.stdout)[:1] != [answer]:
        raise RuntimeError(f"{name} gave {result.stdout!r} {result.error}")
    return passed


def _native(argv: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(argv, check=True, capture_output=True, timeout=60)
    return time.perf_counter() - start


async def _together(scale: Scale) -> Row:
    """All languages used in one sandbox."""
    sizes: list[float] = []
    for _ in range(min(scale.cold, 2)):
        before = find_descendants()
        async with cloche.Sandbox(confinement="require") as box:
            for name in ("python", *OTHERS):
                await box.run(first_cell(name)[0], language=name)
            await box.bash("true")
            sizes.append(pss_mb(find_descendants() - before))
    return Row(
        name="all languages loaded in one sandbox (PSS)", unit="MB", ours=sizes, target=Target("median", TOGETHER)
    )
