"""Runs the benchmarks: `python -m benchmarks [--quick] [--only NAME]... [--output FILE]`."""

import argparse
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio

import cloche
from benchmarks import bulk, cold, footprint, interrupts, leaks, warm
from benchmarks.machine import Quiet, describe
from benchmarks.measure import FULL, QUICK, Row, Scale
from benchmarks.peers import compile_packages
from benchmarks.report import render, table

RESULTS = Path(__file__).with_name("RESULTS.md")
GROUP_LIMIT = 900.0
"""Seconds one group may take."""

FAILURES = (cloche.ClocheError, OSError, RuntimeError, ValueError, subprocess.SubprocessError)
"""What may go wrong in a group without ending the run."""

GROUPS: dict[str, Callable[[Scale], Awaitable[list[Row]]]] = {
    "cold": cold.rows,
    "warm": warm.rows,
    "bulk": bulk.rows,
    "interrupts": interrupts.rows,
    "leaks": leaks.rows,
    "memory": footprint.memory,
    "commands": footprint.commands,
}


async def run(names: Sequence[str], scale: Scale) -> tuple[str, bool]:
    """The report, and whether everything could be measured."""
    compile_packages()
    quiet = Quiet()
    async with cloche.Sandbox(confinement="require") as box:
        layers = box.info.layers
    rows: list[Row] = []
    whole = True
    for name in names:
        await quiet.pause()
        start = time.monotonic()
        found: list[Row] = []
        try:
            with anyio.fail_after(GROUP_LIMIT):
                found = await GROUPS[name](scale)
        except FAILURES as error:
            # The other groups are still worth having.
            whole = False
            fault = f"{type(error).__name__}: {error}".partition("\n")[0]
            found = [Row(name=name, unit="", ours=[], broken=[fault])]
        rows += found
        print(f"{name}: {time.monotonic() - start:.0f} s\n{table(found)}\n", file=sys.stderr)
    return render(describe(layers, quiet), rows), whole


def main() -> int:
    """Print the report; a full run also writes it. A missed target is no failure, a missing row is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures Cloche against its peers.")
    parser.add_argument("--quick", action="store_true", help="few repetitions: whether it works, not how fast")
    parser.add_argument("--only", action="append", choices=list(GROUPS), help="one group; may be given several times")
    parser.add_argument("--output", type=Path, help="where the report goes (a full run: benchmarks/RESULTS.md)")
    options = parser.parse_args()
    full = not options.quick and options.only is None
    report, whole = anyio.run(run, options.only or list(GROUPS), QUICK if options.quick else FULL)
    print(report)
    target: Path | None = options.output or (RESULTS if full else None)
    if target is not None:
        target.write_text(report)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
