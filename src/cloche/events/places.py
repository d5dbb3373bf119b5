"""Where what Cloche keeps for its user lies."""

import os
import sys
from pathlib import Path


def data_dir() -> Path:
    """The folder of sessions and their files: CLOCHE_DATA, else the user's own folder for data."""
    if chosen := os.environ.get("CLOCHE_DATA"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "cloche", "data")
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/cloche"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "cloche")
