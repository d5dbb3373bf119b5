"""The history file of the prompt."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompt_toolkit.history import History

LIMIT = 1 << 20
"""The most bytes of a history file."""


def state_dir() -> Path:
    """The user's folder for the state of programs, XDG_STATE_HOME if that is used."""
    if chosen := os.environ.get("XDG_STATE_HOME"):
        return Path(chosen, "cloche")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "cloche", "state")
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/cloche"
    return Path.home() / ".local/state/cloche"


def open_history(language: str) -> "History":
    """The history of a language, in a file that only its user can read; in memory if no file can be written."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    class Discreet(FileHistory):
        """Leaves out lines that begin with a space."""

        def store_string(self, string: str) -> None:
            if not string.startswith(" "):
                with suppress(OSError):
                    super().store_string(string)

    try:
        path = state_dir() / f"{language}-history"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        _shorten_file(path)
    except (OSError, RuntimeError):
        return InMemoryHistory()
    return Discreet(str(path))


def _shorten_file(path: Path) -> None:
    """Keep the newer half of a history that has become too large."""
    if path.stat().st_size <= LIMIT:
        return
    data = path.read_bytes()[-LIMIT // 2 :]
    # Every entry starts with an empty line.
    data = data[data.find(b"\n\n") + 1 :]
    other = path.with_name(f".{path.name}.{os.getpid()}")
    other.touch(mode=0o600)
    other.write_bytes(data)
    other.replace(path)
