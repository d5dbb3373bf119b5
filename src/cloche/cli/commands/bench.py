"""`cloche bench`: measures the speed and size of sandboxes on this machine."""

import sys
from typing import TYPE_CHECKING

import click

from cloche.cli import exit_codes
from cloche.cli.options import named_option

if TYPE_CHECKING:
    from cloche.cli.bench.trials import Figure
    from cloche.options import Confinement

GROUP, RANK = "This machine", 34
HELP = "Measure sandboxes on this machine."

_NAME, _NUMBER = 36, 12
"""Widths of the columns."""


@click.command()
@click.option("--quick", is_flag=True, help="Few repetitions: whether it works, not how fast.")
@named_option("confinement")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def bench(ctx: click.Context, quick: bool, confinement: "Confinement", as_json: bool) -> None:
    """Measure sandboxes on this machine: start, calls, files, interrupts, memory, the pool.

    It takes about twenty seconds. Compare runs on one machine while it does nothing else.

    \b
    cloche bench
    cloche bench --quick --json

    Exit codes: 0 measured, 2 usage, 69 the sandbox is unavailable, 130 Ctrl-C.
    """
    import anyio

    from cloche.cli.result_output import print_message
    from cloche.errors import SandboxError

    try:
        anyio.run(_print_figures, quick, confinement, as_json)
    except SandboxError as error:
        print_message(str(error))
        ctx.exit(exit_codes.UNAVAILABLE)


async def _print_figures(quick: bool, confinement: "Confinement", as_json: bool) -> None:
    import os
    import platform

    import msgspec
    from anyio import to_thread

    from cloche.cli.bench.trials import QUICK, USUAL, BenchTrials
    from cloche.cli.terminal.progress import PreparationProgress, prepare_sandbox
    from cloche.sandbox.info import installed_versions

    with PreparationProgress() as progress:
        await prepare_sandbox(progress)
    known = await to_thread.run_sync(installed_versions)
    system = f"{platform.system()} {platform.machine()}"
    if not as_json:
        click.echo(", ".join(f"{name} {version}" for name, version in known.items()))
        click.echo(f"{system}, {os.cpu_count()} cores\n")
        _print_row("", "median", "p95", "n", "")
    done = BenchTrials(QUICK if quick else USUAL, confinement, (lambda _: None) if as_json else _print_figure)
    await done.run()
    if as_json:
        report = {"system": system, "cores": os.cpu_count(), "versions": known, "figures": done.figures}
        click.echo(msgspec.json.encode(report))


def _print_figure(figure: "Figure") -> None:
    median, worst = figure.texts()
    _print_row(figure.name, median, worst if figure.count > 1 else "", str(figure.count), figure.note)
    sys.stdout.flush()


def _print_row(name: str, median: str, worst: str, count: str, note: str) -> None:
    click.echo(f"{name:{_NAME}}{median:>{_NUMBER}}{worst:>{_NUMBER}}{count:>6}  {note}".rstrip())
