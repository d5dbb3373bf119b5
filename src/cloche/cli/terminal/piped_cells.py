"""Runs cells that are piped into a prompt, one after another, up to the first that fails."""

import re
from pathlib import Path

import click
from anyio.from_thread import start_blocking_portal

from cloche.cli import exit_codes
from cloche.cli.options import RunSettings
from cloche.cli.result_output import exit_code, print_message
from cloche.cli.running.code_source import find_source
from cloche.cli.running.run_code import RunJob, execute_job, open_sandbox
from cloche.cli.terminal.cell_player import CellPlayer
from cloche.cli.terminal.control_sequences import strip_control
from cloche.cli.terminal.shown_images import ShownImages
from cloche.errors import ConfigError, SandboxError

_MARK = re.compile(r"^# ?%%.*$", re.MULTILINE)


def run_piped(settings: RunSettings, language: str, images: Path) -> int:
    """Run the cells in standard input; returns the exit code."""
    source = find_source(None, ["-"], language)
    if language == "bash":
        return execute_job(RunJob(source), settings)
    try:
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(open_sandbox(settings, language)) as box,
        ):
            player = CellPlayer(portal, box, ShownImages(images), None)
            for cell in split_cells(source.code):
                result = player.run(cell, language, heading="", timeout=settings.timeout)
                if result is None or not result.ok:
                    return exit_codes.UNAVAILABLE if result is None else exit_code(result)
    except ConfigError as error:
        raise click.UsageError(strip_control(str(error))) from None
    except SandboxError as error:
        print_message(str(error))
        return exit_codes.UNAVAILABLE
    return 0


def split_cells(text: str) -> list[str]:
    """The cells of a script, separated by lines that start with `# %%`."""
    return [cell for cell in _MARK.split(text) if cell.strip()]
