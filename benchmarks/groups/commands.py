"""The time of the commands."""

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from anyio import to_thread

from benchmarks.measure import Row, Scale, Target, alternate, in_ms

COMMAND_LIMIT = 60


async def rows(scale: Scale) -> list[Row]:
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
    return await to_thread.run_sync(time_command, argv)


def time_command(argv: list[str]) -> float:
    """Seconds from the start of a program to its end."""
    start = time.perf_counter()
    subprocess.run(argv, check=True, capture_output=True, timeout=COMMAND_LIMIT)
    return time.perf_counter() - start
