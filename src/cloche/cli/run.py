"""`cloche run`: code from the command line, a file or stdin."""

import sys
from pathlib import Path
from typing import Any

import click

from cloche.cli.options import Settings, sandbox_options


@click.command()
@click.option("-l", "--language", default=None, metavar="LANG", help="Default: by the file's ending, else python.")
@click.option("-c", "--code", default=None, metavar="CODE", help="The code itself.")
@click.option("--profile", is_flag=True, help="Add time and memory by function and line (with --json).")
@click.argument("file", required=False)
@sandbox_options
@click.pass_context
def run(
    ctx: click.Context, language: str | None, code: str | None, profile: bool, file: str | None, **options: Any
) -> None:
    """Run Python, or another language, in a sandbox of its own.

    FILE is a path, or - for standard input. What the code prints goes to stdout and stderr, the value of its last
    expression to stdout.

    \b
    cloche run -c 'print(6 * 7)'
    cloche run analysis.py --mount ./data:ro --timeout 60
    echo 'print(1)' | cloche run -
    cloche run --json -c '1/0'
    """
    from cloche.cli.session import Job, execute

    text, stdin, found = _source(code, file)
    job = Job(language or found, text, stdin, profile)
    ctx.exit(execute(job, Settings(**options)))


def _source(code: str | None, file: str | None) -> tuple[str, bytes | None, str]:
    if (code is None) == (file is None):
        raise click.UsageError("Give either -c CODE or a FILE (- for standard input).")
    if code is not None:
        return code, piped(), "python"
    if file == "-":
        return sys.stdin.read(), None, "python"
    assert file is not None
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"Cannot read {file}: {error}") from error
    return text, piped(), "bash" if path.suffix in (".sh", ".bash") else "python"


def piped() -> bytes | None:
    """What is piped in, if anything is; a terminal is asked line by line instead."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return None
    return sys.stdin.buffer.read()
