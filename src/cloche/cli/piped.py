"""Runs cells that are piped into a prompt, one after the other up to the first that fails."""

import re
from pathlib import Path

import click
from anyio.from_thread import start_blocking_portal

from cloche.cli import exits
from cloche.cli.escapes import plain
from cloche.cli.images import Images
from cloche.cli.options import Settings
from cloche.cli.player import Player
from cloche.cli.render import exit_code, say
from cloche.cli.session import Job, execute, open_sandbox
from cloche.cli.source import find_source
from cloche.errors import ConfigError, SandboxError

_MARK = re.compile(r"^# ?%%.*$", re.MULTILINE)


def run_piped(settings: Settings, language: str, images: Path) -> int:
    """Run what standard input holds, and give the exit code."""
    source = find_source(None, ["-"], language)
    if language == "bash":
        return execute(Job(source), settings)
    try:
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(open_sandbox(settings, language)) as box,
        ):
            player = Player(portal, box, Images(images), None)
            for cell in split(source.code):
                result = player.run(cell, language, heading="", timeout=settings.timeout)
                if result is None or not result.ok:
                    return exits.UNAVAILABLE if result is None else exit_code(result)
    except ConfigError as error:
        raise click.UsageError(plain(str(error))) from None
    except SandboxError as error:
        say(str(error))
        return exits.UNAVAILABLE
    return 0


def split(text: str) -> list[str]:
    """The cells of a script: what stands between lines that begin with `# %%`."""
    return [cell for cell in _MARK.split(text) if cell.strip()]
