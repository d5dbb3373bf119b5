"""`cloche doctor`: what works here, and what to do about the rest."""

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cloche.cli.doctor_checks import DoctorReport

GROUP, RANK = "This machine", 33
HELP = "Check this machine: engine, cache, isolation."


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check this machine: versions, the engine's files, the layers of isolation, a first run.

    What does not work is named, with what to do about it.

    \b
    cloche doctor
    cloche doctor --json

    Exit codes: 0 sandboxes work here, 1 they do not.
    """
    import anyio
    import msgspec

    from cloche.cli.doctor_checks import examine_host

    if not as_json and sys.stderr.isatty():
        click.echo("cloche: looking ...", err=True, nl=False)
    report = anyio.run(examine_host)
    if not as_json and sys.stderr.isatty():
        click.echo("\r\033[K", err=True, nl=False)
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        _print_report(report)
    ctx.exit(0 if report.ok else 1)


def _print_report(report: "DoctorReport") -> None:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    click.echo(f"{versions}\n")
    for check in report.checks:
        _print_row("ok" if check.ok else "FAIL", check.name, check.detail, good=check.ok)
        if check.advice:
            _print_row("", "", check.advice)
    click.secho("\nLayers of isolation, from the inside out", bold=True)
    for layer in report.layers:
        _print_row("holds" if layer.holds else "MISSING", layer.name, layer.detail, good=layer.holds)
    click.secho("\nConfinement by the operating system: the first that holds is used", bold=True)
    for layer in report.system:
        state = "holds" if layer.holds else "no" if layer.tested else "unknown"
        _print_row(state, layer.name, layer.detail, good=layer.holds or None)
    click.echo(f"\n{report.summary}")


def _print_row(state: str, name: str, detail: str, *, good: bool | None = None) -> None:
    colour = {True: "green", False: "red", None: None}[good]
    first, *rest = detail.splitlines() or [""]
    click.echo(f"  {click.style(f'{state:8}', fg=colour)}{name:12}{first}")
    for line in rest:
        click.echo(f"{'':22}{line}")
