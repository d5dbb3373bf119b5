"""A shell in a sandbox, line by line."""

import sys
from contextlib import suppress

import anyio
import anyio.to_thread
import click

from cloche.cli.options import EX_UNAVAILABLE, Settings
from cloche.cli.session import open_sandbox
from cloche.errors import ConfigError, SandboxError
from cloche.sandbox.result import Result, Text


def converse(settings: Settings) -> int:
    """Read a line, run it, until `exit` or Ctrl-D; the last exit code is returned."""
    try:
        return anyio.run(_converse, settings)
    except (SandboxError, ConfigError) as error:
        click.echo(f"cloche: {error}", err=True)
        return EX_UNAVAILABLE
    except KeyboardInterrupt:
        return 130


async def _converse(settings: Settings) -> int:
    code = 0
    async with open_sandbox(settings, "bash") as box:
        click.echo("A shell under glass; Ctrl-D or exit leaves it.", err=True)
        while True:
            line = await anyio.to_thread.run_sync(_read_line)
            if line is None or line.split()[:1] == ["exit"]:
                return code
            async for event in box.stream(line, language="bash"):
                match event:
                    case Text(stream, text):
                        print(text, end="", file=sys.stdout if stream == "stdout" else sys.stderr, flush=True)  # noqa: T201
                    case Result():
                        code = event.exit_code
                    case _:
                        pass


def _read_line() -> str | None:
    with suppress(EOFError):
        return input("cloche$ ")
    return None
