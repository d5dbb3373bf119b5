"""Memory of one sandbox, and the time of the commands."""

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from anyio import to_thread

import cloche
from benchmarks.measure import Row, Scale, Target, alternate, in_ms
from benchmarks.peers import ipykernel, stock_files
from benchmarks.processes import descendants, family, pss_mb

CELLS = 20
"""Cells run before memory is looked at."""

COMMAND_LIMIT = 60


async def memory(scale: Scale) -> list[Row]:
    """Proportional set size of all processes of one sandbox, after a few cells."""
    with stock_files() as files:

        async def stock() -> float:
            with files.start() as started:
                for _ in range(CELLS):
                    await started.run("1+1")
                return pss_mb(family(started.pid))

        ours, kernel, bare = await alternate(_box_memory, _kernel_memory, stock, count=min(scale.cold, 3))
    peers = {"ipykernel": kernel, "stock Pyodide": bare}
    name = "memory of one sandbox (PSS)"
    return [Row(name=name, unit="MB", ours=ours, peer=peer, theirs=theirs) for peer, theirs in peers.items()]


async def _box_memory() -> float:
    before = descendants()
    async with cloche.Sandbox(confinement="require") as box:
        for _ in range(CELLS):
            await box.run("1+1", check=True)
        return pss_mb(descendants() - before)


async def _kernel_memory() -> float:
    async with ipykernel() as kernel:
        for _ in range(CELLS):
            await kernel.run("1+1")
        return pss_mb(family(kernel.pid))


async def commands(scale: Scale) -> list[Row]:
    """Wall time of whole processes, as a person at a shell sees it."""
    program = str(Path(sys.executable).with_name("cloche"))
    acts = {
        "`cloche --help`": ([program, "--help"], Target("median", 150)),
        "`cloche run -c 1`": ([program, "run", "-c", "1"], None),
    }
    bare = partial(_command, [sys.executable, "-c", "pass"])
    found: list[Row] = []
    for name, (argv, target) in acts.items():
        ours, theirs = await alternate(partial(_command, argv), bare, count=scale.commands)
        found.append(
            Row(name=name, unit="ms", ours=in_ms(ours), peer="`python -c pass`", theirs=in_ms(theirs), target=target)
        )
    return found


async def _command(argv: list[str]) -> float:
    return await to_thread.run_sync(_timed, argv)


def _timed(argv: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(argv, check=True, capture_output=True, timeout=COMMAND_LIMIT)
    return time.perf_counter() - start
