"""`cloche run`: code from the command line, a file or stdin."""

from typing import Any

import click

from cloche.cli.options import complete_language, read_settings, sandbox_options

GROUP, RANK = "Run code", 11
HELP = "Run Python, or another language, in a sandbox."


@click.command()
@click.option("-c", "--code", default=None, metavar="CODE", help="The code to run, instead of a file.")
@click.option(
    "-l",
    "--language",
    default=None,
    metavar="LANG",
    shell_complete=complete_language,
    help="The language; by default the one of the file's name, else python.",
)
@click.option("--profile", is_flag=True, help="Show time and memory by line and function.")
@sandbox_options
@click.argument("words", nargs=-1, metavar="[FILE] [ARGS]...", type=click.Path())
@click.pass_context
def run(
    ctx: click.Context, code: str | None, language: str | None, profile: bool, words: tuple[str, ...], **options: Any
) -> None:
    """Run Python, or another language, in a sandbox of its own.

    FILE is a path, or - for standard input. The ARGS go to the program; put those that begin with a dash after --.
    What the code prints goes to stdout and stderr; with -c or -, the value of its last expression is printed too.
    input() asks at the terminal, unless you pipe something in.

    \b
    cloche run -c 'print(6 * 7)'
    cloche run analysis.py --mount ./data:ro --timeout 60
    cloche run -w . tool.py input.txt -- --verbose
    echo 'print(1)' | cloche run -
    cloche run --with rich -c 'from rich import print; print("[b]hi[/b]")'
    cloche run --allow-net api.example.com client.py
    cloche run --json -c '1/0'
    cloche run -l ruby -c 'puts [3, 1, 2].sort.inspect'
    cloche run report.php

    Exit codes: 0 ok, 1 the code failed (or the code it gave to sys.exit), 2 usage, 69 sandbox unavailable, 124 timeout,
    130 Ctrl-C, 137 memory.
    """
    from cloche.cli.running.code_source import find_source

    source = find_source(code, words, language)

    from cloche.cli.running.run_code import RunJob, execute_job

    ctx.exit(execute_job(RunJob(source, profile), read_settings(options)))
