"""Runs the benchmarks: `python -m benchmarks [--quick] [--only NAME]... [--output FILE]`."""

import argparse
import compileall
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import cast

import anyio

import cloche
from benchmarks import chart
from benchmarks.groups import (
    actions,
    bulk,
    commands,
    comparison,
    events,
    floods,
    git,
    interrupts,
    languages,
    leaks,
    llm,
    mcp,
    network,
    packages,
    page,
    play,
    policy,
    pool,
    programs,
    server,
    sessions,
    starts,
    tools,
    truth,
)
from benchmarks.machine import Quiet, describe
from benchmarks.measure import FULL, QUICK, Row, Scale
from benchmarks.peer_table import PeerTable
from benchmarks.peers import PeerFailed
from benchmarks.report import PICTURE, render, table

RESULTS = Path(__file__).with_name("RESULTS.md")
GROUP_LIMIT = 1800.0
"""Seconds one group may take."""

FAILURES = (cloche.ClocheError, OSError, PeerFailed, RuntimeError, ValueError, subprocess.SubprocessError)
"""What may go wrong in a group without ending the run."""

PANELS = (
    comparison.COLD,
    comparison.WARM,
    comparison.BASH,
    comparison.MEMORY,
    comparison.CROWD,
    comparison.CROWD_MEMORY,
)

Found = list[Row] | tuple[list[Row], PeerTable]
GROUPS: dict[str, Callable[[Scale], Awaitable[Found]]] = {
    "peers": comparison.rows,
    "bulk": bulk.rows,
    "interrupts": interrupts.rows,
    "pool": pool.rows,
    "starts": starts.rows,
    "floods": floods.rows,
    "packages": packages.rows,
    "policy": policy.rows,
    "network": network.rows,
    "git": git.rows,
    "tools": tools.rows,
    "programs": programs.rows,
    "languages": languages.rows,
    "events": events.rows,
    "actions": actions.rows,
    "mcp": mcp.rows,
    "llm": llm.rows,
    "sessions": sessions.rows,
    "server": server.rows,
    "page": page.rows,
    "play": play.rows,
    "leaks": leaks.rows,
    "commands": commands.rows,
    "truth": truth.rows,
}


class Run:
    """Collects the rows of the groups, whatever fails."""

    def __init__(self, scale: Scale) -> None:
        self._scale = scale
        self.rows: list[Row] = []
        self.board: PeerTable | None = None
        self.whole = True

    async def group(self, name: str) -> None:
        start = time.monotonic()
        found: list[Row] = []
        try:
            with anyio.fail_after(GROUP_LIMIT):
                answer = await GROUPS[name](self._scale)
            found, self.board = answer if isinstance(answer, tuple) else (answer, self.board)
        except (*FAILURES, ExceptionGroup) as error:
            # The other groups are still worth having.
            self.whole = False
            found = [Row(name=name, unit="", ours=[], broken=[_fault(error)])]
        self.rows += found
        print(f"{name}: {time.monotonic() - start:.0f} s\n{table(found)}\n", file=sys.stderr)


async def run(names: Sequence[str], scale: Scale) -> tuple[str, str | None, bool]:
    """The report, the picture, and whether everything could be measured."""
    # As an installer would: images often set PYTHONDONTWRITEBYTECODE.
    compileall.compile_dir(str(Path(cloche.__file__).parent), quiet=2)
    quiet = Quiet()
    async with cloche.Sandbox(confinement="require") as box:
        layers = box.info.layers
    done = Run(scale)
    for name in names:
        await quiet.pause()
        await done.group(name)
    machine = describe(layers, quiet, done.board.versions if done.board else {})
    caption = f"{machine.facts['cpu']}; {machine.facts['date']}."
    drawn = chart.draw(done.board, PANELS, caption) if done.board else None
    return render(machine, done.rows, done.board), drawn, done.whole


def _fault(error: BaseException) -> str:
    inner = error
    while isinstance(inner, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", inner)
        inner = group.exceptions[0]
    return f"{type(inner).__name__}: {inner}".partition("\n")[0]


def main() -> int:
    """Print the report; a full run also writes it. A missed target is no failure, a missing row is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures Cloche against its peers.")
    parser.add_argument("--quick", action="store_true", help="few repetitions: whether it works, not how fast")
    parser.add_argument("--only", action="append", choices=list(GROUPS), help="one group; may be given several times")
    parser.add_argument("--output", type=Path, help="where the report goes (a full run: benchmarks/RESULTS.md)")
    options = parser.parse_args()
    full = not options.quick and options.only is None
    report, drawn, whole = anyio.run(run, options.only or list(GROUPS), QUICK if options.quick else FULL)
    print(report)
    target: Path | None = options.output or (RESULTS if full else None)
    if target is not None:
        target.write_text(report)
        if drawn is not None:
            target.with_name(PICTURE).write_text(drawn)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
