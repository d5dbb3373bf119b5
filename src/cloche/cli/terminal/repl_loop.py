"""An interactive session at a terminal: read a cell, run it, show its result, until the user leaves."""

import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from anyio.from_thread import BlockingPortal, start_blocking_portal

from cloche.cli import exit_codes
from cloche.cli.options import RunSettings
from cloche.cli.result_output import print_message
from cloche.cli.running.run_code import open_sandbox
from cloche.cli.terminal.cell_player import CellPlayer
from cloche.cli.terminal.control_sequences import strip_control
from cloche.cli.terminal.line_editor import LineEditor
from cloche.cli.terminal.prompt_styles import (
    BashPrompt,
    CodeAdvice,
    PlainPrompt,
    PromptStyle,
    PythonPrompt,
    split_address,
)
from cloche.cli.terminal.shown_images import ShownImages
from cloche.cli.terminal.stdin import read_hidden
from cloche.errors import ConfigError, SandboxError
from cloche.sandbox.info import installed_versions
from cloche.sandbox.languages import languages

if TYPE_CHECKING:
    from cloche.cli.any_sandbox import AnySandbox


_LOAD = re.compile(r"%load\s+(.+?)\s*")
_LOAD_LIMIT = 1 << 20
"""The most bytes of a file for %load."""


def hold_conversation(settings: RunSettings, language: str, images: Path | None = None) -> int:
    """Open a sandbox, run an interactive session in it, and return the exit code."""
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, lambda number, _: sys.exit(exit_codes.SIGNAL + number))
    try:
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(open_sandbox(settings, language)) as box,
        ):
            advice = CodeAdvice(portal, box, language)
            dialect = _pick_style(language, advice, portal, box)
            editor = LineEditor(language, advice)
            player = CellPlayer(portal, box, ShownImages(images or Path()), editor.ask)
            click.echo(_make_banner(language), err=True)
            # Keys typed while a cell runs are shown with the next prompt, not in its output.
            with read_hidden():
                return Conversation(dialect, editor, player).hold(settings.timeout)
    except ConfigError as error:
        raise click.UsageError(strip_control(str(error))) from None
    except SandboxError as error:
        print_message(str(error))
        return exit_codes.UNAVAILABLE


def _make_banner(language: str) -> str:
    known = installed_versions()
    leave = "exit or Ctrl-D leaves" if language == "bash" else "Ctrl-D leaves"
    return f"cloche {known['cloche']}: {languages()[language].title} {known[language]} under glass; {leave}"


def _pick_style(language: str, advice: CodeAdvice, portal: BlockingPortal, box: "AnySandbox") -> PromptStyle:
    if language == "bash":
        return BashPrompt(portal, box)
    return PythonPrompt(advice) if language == "python" else PlainPrompt(language)


class Conversation:
    """Reads the user's cells and runs them."""

    def __init__(self, dialect: PromptStyle, editor: LineEditor, player: CellPlayer) -> None:
        self._dialect = dialect
        self._editor = editor
        self._player = player
        self._next_text = ""

    def hold(self, timeout: float) -> int:
        """Read, run and show cells until Ctrl-D."""
        while True:
            self._refresh()
            try:
                text = self._read()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return self._dialect.code
            if self._dialect.leaves(text, None):
                return self._dialect.code
            if not text.strip() or self._load(text):
                continue
            heading = self._dialect.heading()
            language, text = split_address(self._dialect.language, text)
            result = self._player.run(text, language, heading=heading, timeout=timeout)
            if result is not None and self._dialect.leaves(text, result):
                return self._dialect.code
            if self._player.screen.used:
                click.echo(self._dialect.gap, nl=False)

    def _refresh(self) -> None:
        screen = self._player.screen
        screen.begin()
        screen.write("stdout", self._dialect.refresh())
        screen.end()

    def _read(self) -> str:
        text, self._next_text = self._next_text, ""
        return self._editor.read(self._dialect.prompt(), self._dialect.continuation, text)

    def _load(self, text: str) -> bool:
        """Handle `%load FILE`: put the text of a file of this machine into the editor."""
        found = _LOAD.fullmatch(text.strip()) if self._dialect.language == "python" else None
        if found is None:
            return False
        path = Path(found[1].strip("'\"")).expanduser()
        try:
            with path.open("rb") as file:
                data = file.read(_LOAD_LIMIT + 1)
            if len(data) > _LOAD_LIMIT:
                raise ValueError(f"it is over {_LOAD_LIMIT >> 20} MB")
            self._next_text = strip_control(data.decode("utf-8-sig")).replace("\r\n", "\n").rstrip("\n")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or (
                "it is not UTF-8" if isinstance(error, UnicodeError) else error
            )
            print_message(f"%load cannot read {path} of this machine: {reason}")
        return True
