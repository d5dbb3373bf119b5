"""`cloche bash`: one command, or a shell."""

import sys
from typing import Any

import click

from cloche.cli.options import Settings, sandbox_options


@click.command()
@click.option("-c", "--command", default=None, metavar="CMD", help="The command; without it, a shell is opened.")
@sandbox_options
@click.pass_context
def bash(ctx: click.Context, command: str | None, **options: Any) -> None:
    """Run a bash command in a sandbox of its own; the exit code is the command's.

    Standard input is the command's. Without -c, lines are read from the terminal and run one after the other in one
    shell.

    \b
    cloche bash -c 'echo hi | tr a-z A-Z'
    cat data.csv | cloche bash -c 'cut -d, -f1 | sort | uniq -c'
    cloche bash -m ./project
    """
    from cloche.cli.run import piped
    from cloche.cli.session import Job, execute

    settings = Settings(**options)
    if command is not None:
        ctx.exit(execute(Job("bash", command, piped()), settings))
    if not sys.stdin.isatty():
        ctx.exit(execute(Job("bash", sys.stdin.read()), settings))
    from cloche.cli.shell import converse

    ctx.exit(converse(settings))
