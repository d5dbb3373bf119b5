"""`cloche bash`: one command, or a shell."""

import os
import sys
from typing import Any

import click
from click.core import ParameterSource

from cloche.cli.options import read_settings, shell_options

GROUP, RANK = "Run code", 12
HELP = "Run a bash command in a sandbox, or open a shell in one."


@click.command()
@click.option("-c", "--command", default=None, metavar="CMD", help="The command to run; without it, a shell is opened.")
@shell_options
@click.argument("args", nargs=-1)
@click.pass_context
def bash(ctx: click.Context, command: str | None, args: tuple[str, ...], **options: Any) -> None:
    """Run a bash command in a sandbox of its own; the exit code is the command's.

    What you pipe in is the command's input, and the ARGS are its $1, $2 and so on. Without -c, commands are read from
    standard input; at a terminal that opens a shell, which has no timeout unless you pass --timeout.

    \b
    cloche bash -c 'echo hi | tr a-z A-Z'
    cat data.csv | cloche bash -c 'cut -d, -f1 | sort | uniq -c'
    cloche bash -w ./project
    cloche bash -c 'pip install attrs && python3 -c "import attr; print(attr.__name__)"'
    cloche bash --allow-net github.com -c 'git clone --depth 1 https://github.com/NAME/REPO'

    Exit codes: that of the command; 2 usage, 69 sandbox unavailable, 124 timeout, 130 Ctrl-C, 137 memory.
    """
    settings = read_settings(options)
    settings = settings.alter(env={**_terminal_variable(), **(settings.options.get("env") or {})})
    if command is None and args:
        raise click.UsageError("Arguments belong to a command: give one with -c, or run a file with `cloche run FILE`.")
    if command is None and sys.stdin and sys.stdin.isatty():
        if settings.as_json:
            raise click.UsageError("--json needs a command: give one with -c.")
        if settings.diff:
            raise click.UsageError("--diff needs a command: give one with -c.")
        from cloche.cli.terminal.repl_loop import hold_conversation

        if ctx.get_parameter_source("timeout") is ParameterSource.DEFAULT:
            settings = settings.alter(timeout=None)
        ctx.exit(hold_conversation(settings, "bash"))

    from cloche.cli.running.code_source import CodeSource, find_source

    source = CodeSource("bash", command, args=args) if command is not None else find_source(None, ["-"], "bash")

    from cloche.cli.running.run_code import RunJob, execute_job

    ctx.exit(execute_job(RunJob(source), settings))


def _terminal_variable() -> dict[str, str]:
    """The name of the terminal that shows standard output, so that commands colour theirs; none elsewhere."""
    if not sys.stdout or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or not os.environ.get("TERM"):
        return {}
    return {"TERM": os.environ["TERM"]}
